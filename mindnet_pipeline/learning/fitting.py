"""Weights from training pairs: a pairwise logistic objective over the score formula. Pure.

A good hit should have a higher total than a poor one of the same question; how sure that has to be is a slope that is
learned along. Only directions can be learned from an order, so the text's weights (semantic and lexical) keep their
sum, and the scores their size. Without evidence a weight stays where it is: each is drawn to its present value as if
that had been measured with the spread `_SPREADS`.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.learning.formula import Floats, SignalColumns, columns, totals
from mindnet_pipeline.learning.pairs import TrainingPair
from mindnet_pipeline.retrieval.scoring import PARTS, PartWeights, Signals

Bounds = Mapping[str, tuple[float, float]]
"""The lowest and the highest value of each weight, by the part's name."""

_FREE = ("edge", "centrality", "type")
_SPREADS = np.array([0.15, 0.35, 0.05, 0.30])
"""Of the lexical share of the text's weights, and of the free weights."""

_SLOPES = (2.0, 5.0, 10.0, 20.0, 50.0)
_SLOPE_BOUNDS = (math.log(0.5), math.log(200.0))
_FULL_DIFFERENCE = 4.0
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class _Problem:
    """The pairs in arrays: signals of every distinct hit, for each pair the two rows and what it counts."""

    signals: SignalColumns
    better: np.ndarray
    worse: np.ndarray
    counts: Floats


def fit(pairs: Sequence[TrainingPair], present: PartWeights, bounds: Bounds) -> PartWeights:
    """The weights under which the pairs are ordered best, within the bounds and not needlessly far from the present.

    Raises:
        ConfigError: the present weights give text nothing, so that there is no scale to keep.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - takes a second to load, and only learning needs it

    text = present.semantic + present.lexical
    if text <= 0:
        raise ConfigError("weights.semantic and weights.lexical are both 0: there is nothing to tune against.")
    start = np.array([present.lexical / text, *(getattr(present, name) for name in _FREE)])
    problem = _problem(pairs)

    def loss(point: Floats) -> float:
        made = totals(problem.signals, _weights(point, present))
        margins = math.exp(point[-1]) * (made[problem.better] - made[problem.worse])
        data = float(problem.counts @ np.logaddexp(0.0, -margins))
        return data + 0.5 * float(np.sum(((point[:-1] - start) / _SPREADS) ** 2))

    slope = min((math.log(each) for each in _SLOPES), key=lambda each: loss(np.append(start, each)))
    box = [*_box(present, bounds), _SLOPE_BOUNDS]
    found = minimize(loss, np.append(start, slope), method="L-BFGS-B", bounds=box)
    return _weights(found.x, present)


def rounded(weights: PartWeights) -> PartWeights:
    """The weights with as many digits as people want to see in a file."""
    return dataclasses.replace(weights, **{name: round(getattr(weights, name), _DIGITS) for name in PARTS})


def _weights(point: Floats, present: PartWeights) -> PartWeights:
    text = present.semantic + present.lexical
    share = float(point[0])
    free = {name: float(value) for name, value in zip(_FREE, point[1:-1], strict=True)}
    return dataclasses.replace(present, semantic=(1 - share) * text, lexical=share * text, **free)


def _box(present: PartWeights, bounds: Bounds) -> list[tuple[float, float]]:
    """The bounds of the free numbers. What is outside today may stay there."""
    text, share = present.semantic + present.lexical, present.lexical / (present.semantic + present.lexical)
    low = max(bounds["lexical"][0] / text, 1 - bounds["semantic"][1] / text, 0.0)
    high = min(bounds["lexical"][1] / text, 1 - bounds["semantic"][0] / text, 1.0)
    made = [(min(low, share), max(high, share))]
    for name in _FREE:
        value = getattr(present, name)
        made.append((min(bounds[name][0], value), max(bounds[name][1], value)))
    return made


def _problem(pairs: Sequence[TrainingPair]) -> _Problem:
    """A question with n rated hits orders them by n-1 independent comparisons: so much do its pairs count together."""
    hits: dict[tuple[str, str], int] = {}
    signals: list[Signals] = []
    of_question: dict[str, list[TrainingPair]] = defaultdict(list)
    for pair in pairs:
        of_question[pair.query_id].append(pair)
        for hit in (pair.better, pair.worse):
            if (pair.query_id, hit.chunk_id) not in hits:
                hits[pair.query_id, hit.chunk_id] = len(signals)
                signals.append(hit.signals)
    share = {
        query_id: (len({hit.chunk_id for pair in own for hit in (pair.better, pair.worse)}) - 1) / len(own)
        for query_id, own in of_question.items()
    }
    return _Problem(
        columns(signals),
        np.array([hits[pair.query_id, pair.better.chunk_id] for pair in pairs], dtype=np.int64),
        np.array([hits[pair.query_id, pair.worse.chunk_id] for pair in pairs], dtype=np.int64),
        np.array([share[pair.query_id] * pair.difference / _FULL_DIFFERENCE for pair in pairs]),
    )
