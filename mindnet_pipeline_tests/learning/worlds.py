"""Situations made up for tests: hits with given signals, scored by the real formula, and simulated people who rate."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from mindnet_pipeline.learning.labels import Label, ratings_of
from mindnet_pipeline.learning.pairs import TrainingPair, training_pairs
from mindnet_pipeline.learning.situations import LoggedHit, Situation
from mindnet_pipeline.retrieval.scoring import PartWeights, Signals, score

WEIGHTS = PartWeights(0.7, 0.3, 0.7, 0.02, 0.05, graph_cap=0.7, link_list_damping=0.5)
TIME = "2025-03-01T10:00:00.000+00:00"
TYPE_PREFERENCES = (0.8, 0.9, 0.9, 0.95, 1.0, 1.0, 1.1)
"""As in the shipped types.yaml."""

Person = Callable[[Sequence[LoggedHit], random.Random], Sequence[int]]
"""Somebody who rates: the shown hits → a rating for each."""


def situation(query_id: str, query: str, signals: Sequence[Signals], shown: int = 10) -> Situation:
    """A situation whose hits are `<n>#c01`, ranked under the shipped weights."""
    scored = [(f"{number}#c01", each, score(each, WEIGHTS)) for number, each in enumerate(signals)]
    scored.sort(key=lambda row: (-row[2].total, row[0]))
    hits = tuple(
        LoggedHit(
            chunk_id, chunk_id[:-4], rank, rank if rank <= shown else 0, made.total, dict(made.parts), each
        )
        for rank, (chunk_id, each, made) in enumerate(scored, start=1)
    )  # fmt: skip
    return Situation(query_id, TIME, query, {}, "", shown, "de", "none", WEIGHTS, hits)


def label(query_id: str, chunk_id: str, rating: int) -> Label:
    """A rating of a chunk."""
    return Label(query_id, chunk_id, chunk_id, rating, "", TIME)


def signals_of(chance: random.Random) -> Signals:
    """What a candidate of a believable vault looks like to search."""
    return Signals(
        semantic=chance.betavariate(3, 2),
        lexical=chance.betavariate(1, 2) if chance.random() < 0.7 else 0.0,
        edge=chance.betavariate(1, 2) if chance.random() < 0.5 else 0.0,
        centrality=chance.betavariate(1, 4),
        retriever_weight=chance.choice(TYPE_PREFERENCES),
        link_list=chance.random() < 0.05,
    )


def asked_and_rated(person: Person, questions: int, seed: int, shown: int = 6) -> tuple[list[Situation], list[Label]]:
    """So many questions with twenty candidates each, the shown ones rated by this person."""
    chance = random.Random(seed)
    situations, labels = [], []
    for number in range(questions):
        query_id = f"{number:08x}{seed:08x}"
        asked = situation(query_id, f"Frage {number} von {seed}", [signals_of(chance) for _ in range(20)], shown)
        situations.append(asked)
        rated = person(asked.shown, chance)
        labels += [label(query_id, hit.chunk_id, rating) for hit, rating in zip(asked.shown, rated, strict=True)]
    return situations, labels


def rated_pairs(person: Person, questions: int, seed: int) -> list[TrainingPair]:
    """The training pairs of a simulated person."""
    situations, labels = asked_and_rated(person, questions, seed)
    return training_pairs(situations, ratings_of(labels))


def someone_who_likes(weights: PartWeights, noise: float = 0.0) -> Person:
    """Rates by the place that these weights would give a hit among those shown."""

    def rate(hits: Sequence[LoggedHit], chance: random.Random) -> list[int]:
        liked = [score(hit.signals, weights).total + chance.gauss(0, noise) for hit in hits]
        places = {at: place for place, at in enumerate(sorted(range(len(hits)), key=lambda at: -liked[at]))}
        return [5 - (4 * places[at]) // max(1, len(hits) - 1) for at in range(len(hits))]

    return rate


def someone_who_does_not_care(hits: Sequence[LoggedHit], chance: random.Random) -> list[int]:
    """Rates by chance."""
    return [chance.randint(1, 5) for _ in hits]
