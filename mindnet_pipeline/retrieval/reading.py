"""What reading the candidates adds to a search for words: which stand together, and which are nearly there. Pure.

Words of one sentence speak of one thing; the same words spread over a chunk may speak of several. And a stemmer joins
neither `Verwaltung` with `Kolonialverwaltung` nor `conceive` with `conception`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

Words = frozenset[int]
"""Indices of words, of all their forms."""

_WORD = re.compile(r"\w+")
_SHORT = 5
"""So many letters at least tell a word: four are in too many others."""
_TELLING = 0.6
_END = re.compile(
    r"""[.!?…] ["”“»)\]*_]* (?=\s) (?!\s+[a-zäöüß])
    | [。！？]
    | \n (?= \s* (?: [-*+\#>|] | \d+[.)]\s | \n ))  # a list item, heading, quoted line, row or paragraph""",
    re.VERBOSE,
)
_THREE_SIGNS = re.compile(r"[^\s.]{3}")


class Text(NamedTuple):
    """A candidate as it is read: the words of each sentence, and all of it in small letters.

    `question`: the question's words as its language writes them, in the order of the question.
    """

    question: Sequence[Words]
    sentences: Sequence[Words]
    small: str


class Reading(NamedTuple):
    """`together`: how much of the question one sentence holds, as a share of the best candidate's; 1 where unknown.

    `alike`: the share of the question's words that the text lacks but has in a longer word or as a relative.
    """

    together: float = 1.0
    alike: float = 0.0


def split(text: str) -> list[str]:
    r"""The sentences of a text, roughly: a search reads a hundred texts, and one cut too few does little harm.

    >>> split("Am 3. Oktober kam Dr. Lay. Dann ging er.\n- eins\n- zwei")
    ['Am 3. Oktober kam Dr. Lay.', 'Dann ging er.', '- eins', '- zwei']
    """
    ends = [match.end() for match in _END.finditer(text) if _is_end(text, match.start())]
    return [sentence for start, end in pairwise([0, *ends, len(text)]) if (sentence := text[start:end].strip())]


def _is_end(text: str, at: int) -> bool:
    """Not the full stop of `z. B.`, `Dr.` or `3.`."""
    return text[at] != "." or (at > 2 and _THREE_SIGNS.match(text, at - 3) is not None)


def beginning(word: str) -> str:
    """What tells a word in longer ones and among its relatives: three fifths of its letters; empty for a short word.

    >>> beginning("conceived?"), beginning("Haus"), beginning("Ki-Verwaltung")
    ('concei', '', 'verwal')
    """
    longest = max(_WORD.findall(word.lower()), key=len, default="")
    return longest[: max(_SHORT, math.ceil(_TELLING * len(longest)))] if len(longest) > _SHORT else ""


def read(beginnings: Sequence[str], texts: Mapping[str, Text]) -> dict[str, Reading]:
    """What reading says of each text. A word weighs the more the fewer of the texts have it.

    >>> texts = {"near": Text([{1}, {2}], [{1, 2}], ""), "far": Text([{1}, {2}], [{1}, {2}], "")}
    >>> [reading.together for reading in read(["", ""], texts).values()]
    [1.0, 0.5]
    """
    found = {key: [_held(text.question, sentence) for sentence in text.sentences] for key, text in texts.items()}
    held = {key: frozenset().union(*sentences) for key, sentences in found.items()}
    weights = [_rarity(sum(at in has for has in held.values()), len(texts)) for at in range(len(beginnings))]
    fullest = {key: max((_weight(s, weights) for s in sentences), default=0.0) for key, sentences in found.items()}
    best = max(fullest.values(), default=0.0)
    full = sum(weights)
    readings = {}
    for key, text in texts.items():
        nearly = [at for at, start in enumerate(beginnings) if start and at not in held[key] and start in text.small]
        together = fullest[key] / best if fullest[key] else 1.0
        readings[key] = Reading(together, _weight(nearly, weights) / full if nearly else 0.0)
    return readings


def _held(question: Sequence[Words], sentence: Words) -> frozenset[int]:
    """Which of the question's words, by their number, the sentence has."""
    return frozenset(at for at, word in enumerate(question) if not word.isdisjoint(sentence))


def _rarity(having: int, all_texts: int) -> float:
    """The inverse document frequency of BM25."""
    return math.log(1 + (all_texts - having + 0.5) / (having + 0.5))


def _weight(found: Collection[int], weights: Sequence[float]) -> float:
    return sum(weights[at] for at in found)
