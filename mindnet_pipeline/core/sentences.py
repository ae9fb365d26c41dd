"""Sentence ends: sentencex, corrected where it fails on notes.

sentencex knows the abbreviations of many languages. Corrected here: ordinals and dates, German and English
abbreviations that it lacks, a sentence that goes on in lower case, closing marks and footnotes after the full stop,
ellipses, abbreviations that do end a sentence. In doubt there is no end: a sentence too long does less harm than one
that is cut. Not here: paragraphs and lists, which the parser finds.
"""

from __future__ import annotations

import re
from itertools import pairwise

import sentencex

from mindnet_pipeline.core.model import Span
from mindnet_pipeline.core.sentence_words import ABBREVIATIONS, STARTERS

_DEFAULT_LANGUAGE = "en"
_LOOK_BACK = 40

_CLOSING = r"(?:[\"'”“’‘»«›‹」』）)\]*_~=`]|\[\^[^\]\s]+\])"
_CLOSING_LEFT_OVER = re.compile(r"(?<=\S)(?:\[\^[^\]\s]+\]|[”’»」』）)\]*_~=`\"']+)+(?=\s|$)\s*|(?<=\S)\s+")
_OPENING = "„“\"'‚‘«»›‹([{*_~=`!#>-"
_MISSED = re.compile(
    rf"(?:(?:…|\.\.\.){_CLOSING}*|[.!?。！？]{_CLOSING}+|(?:\d ?(?:s|h|m|g|l|km|cm|mm|kg|min)|°[CF])\.)\s+"
)
_MAY_END = re.compile(
    r"(?:\b(?:usw|etc|ff|Jh|Jhd|Uhr|u\. ?a|o\. ?ä|z\. ?T|[ap]\.m|Inc|Ltd|Co|Jr|Sr)\.)\s+(?=([A-ZÄÖÜ]\w*))"
)

_LAST_WORD = re.compile(rf"(?<![^\W_])(?<!\.)([^\W\d_]+)\.{_CLOSING}*\s*$")
_LETTERS = re.compile(rf"(?<![^\W_])(?<!\.)(?:(?:[^\W\d_]\. ?)*[^\W\d_]|med\. ?vet)\.{_CLOSING}*\s*$")
_ALSO_WORDS = re.compile(rf"(?<![^\W_])(?<!\.)(?:No|no|So|Do|Mi|Art|Abs)\.{_CLOSING}*\s*$")
_NUMBERED = re.compile(r"(?<![\w,:/-])(?<!\d\.)(?:\d{1,2}|[IVX]+)\.\s*$")
_ITEM_NUMBER = re.compile(r"^[\s>]*\d+\.\s*$")
_FULL_STOP = re.compile(rf"\.{_CLOSING}*\s*$")
_GOES_ON = re.compile(r"(?:[\w(\[,]|(?:^|\s)[„“\"'‚‘«»›‹(\[{*_~=`]+)[^\S\r\n]*(?:\r\n?|\n)?\Z")
_NEXT_WORD = re.compile(r"\s*")
_STOP = re.compile(r"[.!?]\s+")
_UNIT = re.compile(r"(?:\d ?(?:s|h|m|g|l|km|cm|mm|kg|min)|°[CF])\.\s*$")


def sentence_spans(text: str, lang: str) -> list[Span]:
    r"""The sentences of a paragraph, tiling it exactly; the blanks after a sentence belong to it.

    >>> text = "Am 3. Oktober kam Dr. Lay. Dann ging er."
    >>> [text[a:b] for a, b in sentence_spans(text, "de")]
    ['Am 3. Oktober kam Dr. Lay. ', 'Dann ging er.']
    >>> sentence_spans("Der Haus.\r\n\r\n", "de")
    [(0, 13)]
    """
    if not text:
        return []
    known = sentencex.get_sentence_boundaries(lang or _DEFAULT_LANGUAGE, text)
    likely = {_after_closing(text, boundary["end_index"]) for boundary in known}
    likely.update(match.end() for match in _MISSED.finditer(text))
    lower = text.islower()
    if lower:
        likely.update(match.end() for match in _STOP.finditer(text))
    ends = {end for end in likely if 0 < end < len(text) and _is_end(text, end, lower)}
    ends.update(m.end() for m in _MAY_END.finditer(text) if m[1] in STARTERS)
    starts = {_NEXT_WORD.match(text, end).end() for end in ends}  # type: ignore[union-attr]  # an empty match at least
    return list(pairwise([0, *sorted(starts - {0, len(text)}), len(text)]))


def _after_closing(text: str, end: int) -> int:
    """The end, moved behind closing marks, footnotes and blanks that belong to the sentence."""
    match = None if text[end - 1].isspace() else _CLOSING_LEFT_OVER.match(text, end)
    return match.end() if match else end


def _is_end(text: str, end: int, lower: bool) -> bool:
    """Whether a sentence ends there: not after abbreviations and ordinals, not where it goes on in lower case."""
    following = text[end : end + _LOOK_BACK].lstrip(_OPENING)
    if following[:1].islower() and not lower and text[end - 1] not in "\n。！？":
        return False
    before = text[max(0, end - _LOOK_BACK) : end]
    if not _FULL_STOP.search(before):
        return not _GOES_ON.search(before)
    if _ITEM_NUMBER.search(before):
        return False
    starts = re.match(r"\w*", following)[0] in STARTERS  # type: ignore[index]  # an empty match at least
    if starts and (_UNIT.search(before) or _ALSO_WORDS.search(before)):
        return True
    return not _is_abbreviated(before) and (starts or not _NUMBERED.search(before))


def _is_abbreviated(before: str) -> bool:
    """Whether the text ends with an abbreviation, a street's name or single letters with full stops."""
    word = _LAST_WORD.search(before)
    return bool((word and (word[1] in ABBREVIATIONS or word[1].endswith("str"))) or _LETTERS.search(before))
