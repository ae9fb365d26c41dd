"""What repeats, and in which order: from a ranking to hits that each say something new. Pure.

In the order of the ranking: a chunk whose text a better hit already has is folded into it, and no note has more than
its share.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mindnet_pipeline.decision_engine.intents import Order
from mindnet_pipeline.retrieval.ranking import Ranked

_WORD = re.compile(r"\w+")
_SHINGLE = 4
_NEARLY_AS_GOOD = 0.7
"""Share of the best score from which on a hit may change places for its date."""
_SAME = 0.8
"""Share of the longer text's word runs that the other also has, from which on the two say the same."""


@dataclass(frozen=True, slots=True)
class Picked:
    """A hit to be: the ranked chunk, the span and text to show, and the titles of other notes with the same text."""

    ranked: Ranked
    char_start: int
    char_end: int
    text: str
    also_in: tuple[str, ...] = ()


def pick(ranking: Iterable[Ranked], *, limit: int, max_per_note: int) -> list[Picked]:
    """The first `limit` hits that differ, with at most `max_per_note` of one note.

    A neighbour that repeats a hit's text is joined with it into one longer hit; a repetition elsewhere is named in
    `also_in`.
    """
    picked: list[Picked] = []
    runs: list[frozenset[tuple[str, ...]]] = []
    per_note: Counter[str] = Counter()
    for ranked in ranking:
        own = word_runs(ranked.candidate.payload["text"])
        twin = _twin(own, runs)
        if twin is not None:
            picked[twin] = _folded(picked[twin], ranked)
        elif per_note[ranked.candidate.note_id] < max_per_note:
            if len(picked) == limit:
                break
            per_note[ranked.candidate.note_id] += 1
            picked.append(_picked(ranked))
            runs.append(own)
    return picked


def arranged(picked: Sequence[Picked], order: Order) -> list[Picked]:
    """The hits in the order that the kind of question asks for: as ranked, or by the dates of their notes.

    Only hits that are nearly as good as the best change places; a hit without a date comes after those with one.
    """
    if order == "score" or not picked:
        return list(picked)
    bound = _NEARLY_AS_GOOD * max(each.ranked.score.total for each in picked)
    good = [each for each in picked if each.ranked.score.total >= bound]
    dated = [each for each in good if _date(each)]
    dated.sort(key=_date, reverse=order == "newest")
    return [*dated, *(each for each in good if not _date(each)), *(each for each in picked if each not in good)]


def _date(hit: Picked) -> str:
    """When the hit's note was created, ISO; empty if it does not say."""
    return str(hit.ranked.candidate.payload.get("created_at") or "")


def word_runs(text: str) -> frozenset[tuple[str, ...]]:
    """All runs of four words; a shorter text is one run."""
    words = _WORD.findall(text.lower())
    if len(words) < _SHINGLE:
        return frozenset([tuple(words)] if words else ())
    return frozenset(tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1))


def repeats(first: frozenset[tuple[str, ...]], second: frozenset[tuple[str, ...]]) -> bool:
    """True if the two texts say the same in the same words: most runs of the longer are in the other.

    >>> repeats(word_runs("eins zwei drei vier"), word_runs("Eins, zwei: drei vier!"))
    True
    """
    longer = max(len(first), len(second))
    return longer > 0 and len(first & second) >= _SAME * longer


def _twin(own: frozenset[tuple[str, ...]], runs: Sequence[frozenset[tuple[str, ...]]]) -> int | None:
    return next((at for at, other in enumerate(runs) if repeats(own, other)), None)


def _picked(ranked: Ranked) -> Picked:
    payload = ranked.candidate.payload
    return Picked(ranked, payload["char_start"], payload["char_end"], payload["text"])


def _folded(hit: Picked, ranked: Ranked) -> Picked:
    other = ranked.candidate.payload
    if ranked.candidate.note_id != hit.ranked.candidate.note_id:
        titles = dict.fromkeys((*hit.also_in, other["note_title"]))
        return Picked(hit.ranked, hit.char_start, hit.char_end, hit.text, tuple(titles))
    if other["char_start"] == hit.char_end:
        return Picked(hit.ranked, hit.char_start, other["char_end"], hit.text + other["text"], hit.also_in)
    if other["char_end"] == hit.char_start:
        return Picked(hit.ranked, other["char_start"], hit.char_end, other["text"] + hit.text, hit.also_in)
    return hit
