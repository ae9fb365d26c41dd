"""Would learned weights have ordered questions better that they were not learned from? Pure.

The questions are dealt into five parts; each part is judged with weights learned from the other four. All askings of
one question are in one part, and count as one question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mindnet_pipeline.evaluation.evaluation import Mean, mean
from mindnet_pipeline.evaluation.measures import ndcg
from mindnet_pipeline.learning.fitting import Bounds, fit
from mindnet_pipeline.learning.pairs import TrainingPair
from mindnet_pipeline.retrieval.scoring import PartWeights, score

FOLDS = 5
PAIRS_IN_ORDER = "pairs in order"
NDCG = "nDCG@10 of rated hits"

_CUTOFF = 10


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measure's mean over questions under the present weights and under learned ones; `gain` with its interval."""

    measure: str
    before: float
    after: float
    gain: Mean


def cross_validate(pairs: Sequence[TrainingPair], present: PartWeights, bounds: Bounds) -> list[Comparison]:
    """Both measures over all questions, each judged with weights that were learned without it."""
    questions: dict[str, list[TrainingPair]] = defaultdict(list)
    for pair in pairs:
        questions[pair.question].append(pair)
    before, after = [], []
    for part in parts(questions):
        learned = fit([pair for key, own in questions.items() if key not in part for pair in own], present, bounds)
        before += [judge(questions[key], present) for key in part]
        after += [judge(questions[key], learned) for key in part]
    return [_compare(name, [b[name] for b in before], [a[name] for a in after]) for name in (PAIRS_IN_ORDER, NDCG)]


def parts(keys: Iterable[str]) -> list[list[str]]:
    """The questions dealt into parts, always in the same way: the keys are hashes, so their order says nothing.

    >>> parts("fedcba")
    [['a', 'f'], ['b'], ['c'], ['d'], ['e']]
    """
    ordered = sorted(keys)
    return [dealt for start in range(FOLDS) if (dealt := ordered[start::FOLDS])]


def judge(pairs: Sequence[TrainingPair], weights: PartWeights) -> Mapping[str, float]:
    """One question's measures under these weights: the mean over the times it was asked."""
    asked: dict[str, list[TrainingPair]] = defaultdict(list)
    for pair in pairs:
        asked[pair.query_id].append(pair)
    values = [_judge_once(own, weights) for own in asked.values()]
    return {name: float(np.mean([value[name] for value in values])) for name in values[0]}


def _judge_once(pairs: Sequence[TrainingPair], weights: PartWeights) -> dict[str, float]:
    hits = {hit.chunk_id: hit for pair in pairs for hit in (pair.better, pair.worse)}
    total = {chunk_id: score(hit.signals, weights).total for chunk_id, hit in hits.items()}
    ranking = sorted(hits, key=lambda chunk_id: (-total[chunk_id], chunk_id))
    ordered = [_in_order(total[pair.better.chunk_id], total[pair.worse.chunk_id]) for pair in pairs]
    grades = {chunk_id: hit.rating - 1.0 for chunk_id, hit in hits.items()}
    return {PAIRS_IN_ORDER: float(np.mean(ordered)), NDCG: ndcg(ranking, grades, _CUTOFF)}


def _in_order(better: float, worse: float) -> float:
    return 0.5 if better == worse else float(better > worse)


def _compare(measure: str, before: Sequence[float], after: Sequence[float]) -> Comparison:
    gain = mean([a - b for b, a in zip(before, after, strict=True)])
    return Comparison(measure, float(np.mean(before)), float(np.mean(after)), gain)
