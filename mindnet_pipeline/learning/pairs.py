"""Training pairs: within one question, each hit that was rated good against each that was rated poor. Pure.

What lies between (a 3) says too little to be learned from. Ratings of different questions are never compared: people
are strict on one day and mild on another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from mindnet_pipeline.core.ids import fold, sha256
from mindnet_pipeline.learning.labels import HIGHEST, LOWEST, Ratings
from mindnet_pipeline.learning.situations import Situation
from mindnet_pipeline.retrieval.scoring import Signals

GOOD, POOR = 4, 2
"""From which rating on a hit is good, and up to which it is poor."""

_KEY_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class RatedHit:
    """A hit with its rating and its signals."""

    chunk_id: str
    rating: int
    signals: Signals


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """Two hits of one question. `question` is the same for the same words, whenever they were asked."""

    query_id: str
    question: str
    language: str
    intent: str
    model_key: str
    better: RatedHit
    worse: RatedHit

    @property
    def difference(self) -> int:
        """By how much the ratings differ, from 2 to 4."""
        return self.better.rating - self.worse.rating


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is to learn from."""

    questions: int
    rated_questions: int
    labels: int
    pairs: int
    paired_questions: int
    by_rating: Mapping[int, int]


def training_pairs(situations: Iterable[Situation], ratings: Ratings) -> list[TrainingPair]:
    """All pairs, question by question, in the order they were asked."""
    return [pair for situation in situations for pair in _pairs_of(situation, ratings)]


def count(situations: Sequence[Situation], ratings: Ratings, pairs: Sequence[TrainingPair]) -> Counts:
    """How much was asked, rated and paired."""
    given = Counter(ratings.values())
    return Counts(
        questions=len(situations),
        rated_questions=len({query_id for query_id, _ in ratings}),
        labels=len(ratings),
        pairs=len(pairs),
        paired_questions=len({pair.question for pair in pairs}),
        by_rating={rating: given[rating] for rating in range(HIGHEST, LOWEST - 1, -1)},
    )


def question_key(query: str) -> str:
    """The same for the same words, whatever their case and blanks: such questions are one when it comes to judging."""
    return sha256(" ".join(fold(query).split()))[:_KEY_CHARACTERS]


def _pairs_of(situation: Situation, ratings: Ratings) -> Iterable[TrainingPair]:
    rated = [
        RatedHit(hit.chunk_id, ratings[situation.query_id, hit.chunk_id], hit.signals)
        for hit in situation.hits
        if (situation.query_id, hit.chunk_id) in ratings
    ]
    good = [hit for hit in rated if hit.rating >= GOOD]
    poor = [hit for hit in rated if hit.rating <= POOR]
    key = question_key(situation.query)
    for better, worse in product(good, poor):
        yield TrainingPair(
            situation.query_id, key, situation.language, situation.intent, situation.model_key, better, worse
        )
