"""How a ranking came about, in numbers: what feedback is logged with and weights are learned from. Pure.

Everything that `scoring.score` needs to make each total again is here, so that it can also be made under other weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mindnet_pipeline.retrieval.filters import Filters
from mindnet_pipeline.retrieval.ranking import Ranked
from mindnet_pipeline.retrieval.scoring import PartWeights, Score, Signals

_TRACED = 20
"""So many of a ranking are kept beside the hits: what nearly became one can be rated too."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One candidate in the ranking. `rank` counts all candidates from 1; `shown` is its number among the hits, or 0."""

    chunk_id: str
    note_id: str
    rank: int
    shown: int
    signals: Signals
    score: Score


@dataclass(frozen=True, slots=True)
class Trace:
    """What one search was asked and decided: for each of `candidates`, `score(signals, weights) == score`, exactly."""

    filters: Filters
    limit: int
    language: str
    model_key: str
    weights: PartWeights
    candidates: tuple[Scored, ...]


def scored(ranking: Sequence[Ranked], shown: Sequence[str]) -> tuple[Scored, ...]:
    """The best of a ranking and every hit, in the ranking's order. `shown` are the hits' chunk ids, best first."""
    numbers = {chunk_id: number for number, chunk_id in enumerate(shown, start=1)}
    return tuple(
        Scored(
            each.candidate.chunk_id,
            each.candidate.note_id,
            rank,
            numbers.get(each.candidate.chunk_id, 0),
            each.signals,
            each.score,
        )
        for rank, each in enumerate(ranking, start=1)
        if rank <= _TRACED or each.candidate.chunk_id in numbers
    )
