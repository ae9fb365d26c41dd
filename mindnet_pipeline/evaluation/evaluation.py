"""Golden questions asked of a search → measures by category, with intervals and latency.

Knows nothing of how search works: it is handed a function that answers, and a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.evaluation.bootstrap import interval
from mindnet_pipeline.evaluation.golden import GoldenQuestion
from mindnet_pipeline.evaluation.judging import grades_of, judged
from mindnet_pipeline.evaluation.measures import MEASURES

Ask = Callable[[str], Sequence[Hit]]
"""A question → its hits, best first."""

ALL = "all"


@dataclass(frozen=True, slots=True)
class Answered:
    """One question's measures by name, and how long the answer took."""

    question: GoldenQuestion
    values: Mapping[str, float]
    seconds: float


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over questions with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Report:
    """Means by category (`all` first) and measure, latency, and the questions whose answer is not among the hits."""

    means: Mapping[str, Mapping[str, Mean]]
    counts: Mapping[str, int]
    p50_ms: float
    p95_ms: float
    missed: tuple[str, ...]


def answer_all(questions: Sequence[GoldenQuestion], ask: Ask, clock: Callable[[], float]) -> list[Answered]:
    """Every question asked once, in order."""
    answered = []
    for question in questions:
        started = clock()
        hits = ask(question.question)
        seconds = clock() - started
        ranking, grades = judged(hits, question.relevant), grades_of(question.relevant)
        values = {name: measure(ranking, grades) for name, measure in MEASURES.items()}
        answered.append(Answered(question, values, seconds))
    return answered


def summarise(answered: Sequence[Answered]) -> Report:
    """Means by category and over all."""
    groups: dict[str, list[Answered]] = {ALL: list(answered)}
    for each in answered:
        if each.question.category:
            groups.setdefault(each.question.category, []).append(each)
    milliseconds = [each.seconds * 1000 for each in answered] or [0.0]
    return Report(
        means={name: {m: mean([each.values[m] for each in group]) for m in MEASURES} for name, group in groups.items()},
        counts={name: len(group) for name, group in groups.items()},
        p50_ms=float(np.quantile(milliseconds, 0.5)),
        p95_ms=float(np.quantile(milliseconds, 0.95)),
        missed=tuple(each.question.id for each in answered if not each.values["Recall@10"]),
    )


def compare(base: Sequence[Answered], other: Sequence[Answered]) -> dict[str, Mean]:
    """By how much `other` is better than `base`, question by question (negative: worse)."""
    pairs = list(zip(base, other, strict=True))
    return {m: mean([after.values[m] - before.values[m] for before, after in pairs]) for m in MEASURES}


def compare_by_category(base: Sequence[Answered], other: Sequence[Answered]) -> dict[str, dict[str, Mean]]:
    """The same by category, `all` first."""
    categories = dict.fromkeys(each.question.category for each in base if each.question.category)
    return {ALL: compare(base, other)} | {
        name: compare(*([each for each in some if each.question.category == name] for some in (base, other)))
        for name in categories
    }


def mean(values: Sequence[float]) -> Mean:
    """The mean and its interval."""
    return Mean(float(np.mean(values)) if values else 0.0, *interval(values))
