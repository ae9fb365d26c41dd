"""The measures against worked examples, scikit-learn and their own laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.evaluation.bootstrap import interval
from mindnet_pipeline.evaluation.measures import MEASURES, all_found, hit, ndcg, recall, reciprocal_rank

metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn comes with sentence-transformers")

RANKING = ["x", "a", "y", "b"]
GRADES = {"a": 2.0, "b": 1.0, "c": 1.0}
ids = st.sampled_from("abcdefgh")
rankings = st.lists(ids, unique=True)
judgements = st.dictionaries(ids, st.sampled_from([1.0, 2.0, 3.0]), min_size=1)


def test_recall_is_the_share_found() -> None:
    assert recall(RANKING, GRADES, 2) == pytest.approx(1 / 3)
    assert recall(RANKING, GRADES, 10) == pytest.approx(2 / 3)


def test_reciprocal_rank_is_that_of_the_first_find() -> None:
    assert reciprocal_rank(RANKING, GRADES) == 0.5
    assert reciprocal_rank(RANKING, GRADES, cutoff=1) == 0.0


def test_hit_and_all_found_look_at_the_first_places_only() -> None:
    assert (hit(RANKING, GRADES, 1), hit(RANKING, GRADES, 2)) == (0.0, 1.0)
    assert (all_found(RANKING, {"a": 1.0}, 1), all_found(RANKING, {"a": 1.0}, 2)) == (0.0, 1.0)


def test_ndcg_worked_by_hand() -> None:
    gained = 2 / np.log2(3) + 1 / np.log2(5)
    ideal = 2 / np.log2(2) + 1 / np.log2(3) + 1 / np.log2(4)
    assert ndcg(RANKING, GRADES, 10) == pytest.approx(gained / ideal)


@given(st.permutations("abcdefgh"), judgements, st.integers(1, 8))
def test_ndcg_agrees_with_scikit_learn(ranking: list[str], grades: dict[str, float], cutoff: int) -> None:
    truth = [[grades.get(found, 0.0) for found in ranking]]
    scores = [list(range(len(ranking), 0, -1))]
    assert ndcg(ranking, grades, cutoff) == pytest.approx(metrics.ndcg_score(truth, scores, k=cutoff))


@given(rankings, judgements)
def test_every_measure_lies_between_0_and_1(ranking: list[str], grades: dict[str, float]) -> None:
    assert all(0 <= measure(ranking, grades) <= 1 + 1e-12 for measure in MEASURES.values())


@given(judgements)
def test_the_ideal_ranking_scores_1(grades: dict[str, float]) -> None:
    best = sorted(grades, key=lambda found: -grades[found])
    assert ndcg(best, grades, 10) == pytest.approx(1)
    assert recall(best, grades, 10) == 1


def test_the_interval_holds_the_mean_and_narrows_with_more_questions() -> None:
    few, many = [0.0, 1.0] * 5, [0.0, 1.0] * 200
    low, high = interval(few)
    assert low <= 0.5 <= high
    assert interval(many)[1] - interval(many)[0] < high - low


def test_the_same_values_give_the_same_interval() -> None:
    assert interval([0.1, 0.9, 0.4]) == interval([0.1, 0.9, 0.4])


def test_no_values_give_an_empty_interval() -> None:
    assert interval([]) == (0.0, 0.0)
