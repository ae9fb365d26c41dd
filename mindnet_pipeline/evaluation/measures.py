"""Measures of one ranking against graded judgements. Pure; the definitions of trec_eval.

A ranking is a list of ids, best first, each once. Judgements map ids to grades above 0; an id without a grade is not
relevant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

Grades = Mapping[str, float]
Measure = Callable[[Sequence[str], Grades], float]


def ndcg(ranking: Sequence[str], grades: Grades, cutoff: int) -> float:
    """Normalised discounted cumulative gain at the cutoff: linear gains, logarithmic discount.

    >>> ndcg(["x", "a"], {"a": 1.0}, 10)
    0.6309297535714575
    """
    ideal = _gain(sorted(grades.values(), reverse=True)[:cutoff])
    return _gain([grades.get(found, 0.0) for found in ranking[:cutoff]]) / ideal if ideal else 0.0


def recall(ranking: Sequence[str], grades: Grades, cutoff: int) -> float:
    """The share of all relevant ids that are among the first `cutoff`."""
    return len(grades.keys() & set(ranking[:cutoff])) / len(grades) if grades else 0.0


def reciprocal_rank(ranking: Sequence[str], grades: Grades, cutoff: int | None = None) -> float:
    """One over the rank of the first relevant id; 0 if there is none."""
    return next((1 / rank for rank, found in enumerate(ranking[:cutoff], start=1) if found in grades), 0.0)


def hit(ranking: Sequence[str], grades: Grades, cutoff: int) -> float:
    """1 if a relevant id is among the first `cutoff`."""
    return float(not grades.keys().isdisjoint(ranking[:cutoff]))


def all_found(ranking: Sequence[str], grades: Grades, cutoff: int) -> float:
    """1 if every relevant id is among the first `cutoff`."""
    return float(bool(grades) and grades.keys() <= set(ranking[:cutoff]))


MEASURES: Mapping[str, Measure] = {
    "nDCG@5": lambda ranking, grades: ndcg(ranking, grades, 5),
    "nDCG@10": lambda ranking, grades: ndcg(ranking, grades, 10),
    "Recall@5": lambda ranking, grades: recall(ranking, grades, 5),
    "Recall@10": lambda ranking, grades: recall(ranking, grades, 10),
    "MRR": lambda ranking, grades: reciprocal_rank(ranking, grades, 10),
    "hit@1": lambda ranking, grades: hit(ranking, grades, 1),
}
"""What an evaluation reports, by name."""


def _gain(grades: Sequence[float]) -> float:
    return math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, start=1))
