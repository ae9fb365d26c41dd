"""The formula in columns is the formula; people's preferences are found again; the rest stays where it is."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.learning.fitting import fit, rounded
from mindnet_pipeline.learning.formula import columns, totals
from mindnet_pipeline.learning.holdout import FOLDS, PAIRS_IN_ORDER, judge, parts
from mindnet_pipeline.retrieval.scoring import PARTS, PartWeights, Signals, score
from mindnet_pipeline.settings import TuningOptions
from mindnet_pipeline_tests.learning.worlds import WEIGHTS, rated_pairs, someone_who_likes
from mindnet_pipeline_tests.retrieval.signals import any_signals, any_weights

BOUNDS = TuningOptions().bounds.model_dump()


@given(st.lists(any_signals, min_size=1, max_size=5), any_weights)
def test_the_formula_in_columns_is_that_of_search(signals: list[Signals], weights: PartWeights) -> None:
    assert totals(columns(signals), weights) == pytest.approx([score(each, weights).total for each in signals])


TASTES = {
    "types": {"type": 1.0},
    "no links": {"edge": 0.0},
    "words": {"semantic": 0.4, "lexical": 0.6},
    "links": {"edge": 1.6},
}


@pytest.mark.parametrize("changed", TASTES.values(), ids=TASTES)
def test_a_persons_taste_is_found_again(changed: dict[str, float]) -> None:
    taste = dataclasses.replace(WEIGHTS, **changed)
    learned = fit(rated_pairs(someone_who_likes(taste), 60, seed=1), WEIGHTS, BOUNDS)
    for name, wanted in changed.items():
        before = abs(getattr(WEIGHTS, name) - wanted)
        assert abs(getattr(learned, name) - wanted) < 0.5 * before


def test_someone_who_is_content_changes_little() -> None:
    learned = fit(rated_pairs(someone_who_likes(WEIGHTS, noise=0.05), 60, seed=2), WEIGHTS, BOUNDS)
    for name in PARTS:
        assert getattr(learned, name) == pytest.approx(getattr(WEIGHTS, name), abs=0.25)


def test_the_weights_of_text_keep_their_sum() -> None:
    taste = dataclasses.replace(WEIGHTS, lexical=0.9, semantic=0.1)
    learned = fit(rated_pairs(someone_who_likes(taste), 20, seed=3), WEIGHTS, BOUNDS)
    assert learned.semantic + learned.lexical == pytest.approx(1.0)


def test_no_weight_leaves_its_bounds() -> None:
    taste = dataclasses.replace(WEIGHTS, edge=0.0, type=2.0, lexical=0.9, semantic=0.1)
    bounds = {"semantic": (0.6, 2), "lexical": (0, 2), "edge": (0.5, 2), "centrality": (0, 0.5), "type": (0, 0.1)}
    learned = fit(rated_pairs(someone_who_likes(taste), 20, seed=4), WEIGHTS, bounds)
    assert learned.edge == pytest.approx(0.5)
    assert learned.type == pytest.approx(0.1)
    assert learned.semantic >= 0.6 - 1e-9


def test_a_weight_outside_its_bounds_may_stay_but_goes_no_further() -> None:
    taste = dataclasses.replace(WEIGHTS, edge=2.0)
    learned = fit(rated_pairs(someone_who_likes(taste), 20, seed=5), WEIGHTS, {**BOUNDS, "edge": (0.0, 0.5)})
    assert learned.edge == pytest.approx(WEIGHTS.edge, abs=1e-3)


def test_the_limits_of_the_graph_and_what_intents_count_are_not_learned() -> None:
    learned = fit(rated_pairs(someone_who_likes(WEIGHTS), 10, seed=6), WEIGHTS, BOUNDS)
    kept = ("graph_cap", "link_list_damping", "intent")
    assert [getattr(learned, name) for name in kept] == [getattr(WEIGHTS, name) for name in kept]


def test_without_text_there_is_no_scale() -> None:
    nothing = dataclasses.replace(WEIGHTS, semantic=0.0, lexical=0.0)
    with pytest.raises(ConfigError, match="both 0"):
        fit(rated_pairs(someone_who_likes(WEIGHTS), 5, seed=7), nothing, BOUNDS)


def test_rounded_weights_have_four_digits() -> None:
    assert rounded(dataclasses.replace(WEIGHTS, edge=0.123456)).edge == 0.1235


def test_every_question_is_in_exactly_one_part() -> None:
    keys = [f"{number:x}" for number in range(23)]
    dealt = parts(keys)
    assert len(dealt) == FOLDS
    assert sorted(key for part in dealt for key in part) == sorted(keys)


def test_a_question_asked_twice_counts_once() -> None:
    pairs = rated_pairs(someone_who_likes(WEIGHTS), 1, seed=8)
    again = [dataclasses.replace(pair, query_id="again") for pair in pairs]
    assert judge([*pairs, *again], WEIGHTS) == judge(pairs, WEIGHTS)
    assert judge(pairs, WEIGHTS)[PAIRS_IN_ORDER] == 1.0
