"""Sentence ends: sentencex, corrected where it fails on notes.

sentencex knows the abbreviations of many languages. Corrected here: German abbreviations, ordinals and dates, a quote
that the sentence goes on after, Markdown marks and footnotes after the full stop, ellipses, a line that is only a list
number. Not here: paragraphs and lists, which the parser finds.
"""

from __future__ import annotations

import re
from itertools import pairwise

import sentencex

from mindnet_pipeline.core.model import Span

_DEFAULT_LANGUAGE = "en"
_CLOSERS = r"[\"'”“’‘»«›‹」』）)\]*_~=`]*(?:\[\^[^\]\s]+\])*"
_MISSED = re.compile(rf"(?:…|\.\.\.|[.!?]{_CLOSERS}(?<![.!?])|[.!?]\[\^[^\]\s]+\])[ \t\n]+(?=[\W_]*[A-ZÄÖÜ0-9])")
_CLOSING_AFTER = re.compile(rf"(?:[*_~=`”’»」』）)\]]+|\[\^[^\]\s]+\])+[ \t]*\n*(?=\s|$|\w|\W)")
_ABBREVIATION = re.compile(
    r"(?<![^\W\d_])(?:z|d|u|o|s|i|v|a|m|n|h|e|b|B|A|T|S|R|U|V|J|"
    r"bzw|ca|usw|etc|vgl|Vgl|evtl|ggf|inkl|exkl|zzgl|max|min|Nr|Nrn|Abb|Tab|Kap|Bd|Hrsg|Aufl|Jh|Jhd|Jhdt|Mio|Mrd|Tel|Dr|Prof|"
    r"Dipl|Ing|Hr|Fr|St|Str|str|geb|gest|verh|Art|Abs|Anm|Bsp|bspw|sog|insb|allg|engl|dt|lat|griech|franz|ital|jap|röm|"
    r"Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sep|Sept|Okt|Nov|Dez|Mo|Di|Mi|Do|So|Std|Min|Sek|bez|betr|gem|lt|resp|rd|mind|mtl|tägl|"
    r"ff|f|Fa|Co|Mr|Mrs|Ms|Jr|Sr|vs|al|eg|ie|cf|approx|Fig|No|Vol|pp|ed|eds|Inc|Ltd|Gen|Col|Lt|Sgt|Rev|Hon)\.$"
)
_ENDS_WITH_NUMBER = re.compile(r"(?<![\w.,:/-])(\d{1,2}|[IVX]+)\.\s*$")
_ORDINAL_FOLLOWS = re.compile(
    r"\s*(?:\d{1,2}\.|[a-zäöü]|(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)|"
    r"(?:Jahrhundert|Jh|Kapitel|Auflage|Klasse|Geburtstag|Stock|Etage|Platz|Tag|Woche|Monat|Quartal|Semester|Weltkrieg|Mal|Version|Teil|Schritt))"
)


def sentence_spans(text: str, lang: str) -> list[Span]:
    """The sentences of a paragraph, tiling it exactly; the blanks after a sentence belong to it.

    >>> [("Am 3. Oktober kam Dr. Lay. Dann ging er.")[a:b] for a, b in sentence_spans("Am 3. Oktober kam Dr. Lay. Dann ging er.", "de")]
    ['Am 3. Oktober kam Dr. Lay. ', 'Dann ging er.']
    """
    if not text:
        return []
    ends = {boundary["end_index"] for boundary in sentencex.get_sentence_boundaries(lang or _DEFAULT_LANGUAGE, text)}
    cuts = [0, *sorted(end for end in ends if 0 < end < len(text)), len(text)]
    return list(pairwise(cuts))
