"""The total and its parts, and what the graph's limits are for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.retrieval.scoring import PARTS, PartWeights, Signals, graph_factor, scaled, score
from mindnet_pipeline_tests.retrieval.signals import any_signals, any_weights, unit

WEIGHTS = PartWeights(0.7, 0.3, 0.7, 0.02, 0.05, graph_cap=0.7, link_list_damping=0.5)


@given(any_signals, any_weights)
def test_the_parts_add_up_to_the_total_exactly(signals: Signals, weights: PartWeights) -> None:
    made = score(signals, weights)
    assert math.fsum(made.parts.values()) == made.total
    assert tuple(made.parts) == PARTS


@given(any_signals, any_weights)
def test_no_part_is_negative_but_what_the_kind_of_question_takes(signals: Signals, weights: PartWeights) -> None:
    parts = score(signals, weights).parts
    assert all(part >= 0 for name, part in parts.items() if name != "intent")


@given(any_signals, any_weights)
def test_the_kind_of_question_gives_or_takes_at_most_what_the_text_is_worth(
    signals: Signals, weights: PartWeights
) -> None:
    parts = score(signals, weights).parts
    assert abs(parts["intent"]) <= (parts["semantic"] + parts["lexical"]) * abs(signals.intent) + 1e-9


@given(st.floats(0, 0.61), any_weights)
def test_the_strongest_preference_lifts_nothing_much_less_relevant_above_the_best(
    relevance: float, weights: PartWeights
) -> None:
    best = score(Signals(semantic=1, lexical=1, retriever_weight=0), weights)
    other = score(
        Signals(semantic=relevance, lexical=relevance, retriever_weight=0, intent=(2 - 1) * relevance), weights
    )
    assert other.total <= best.total + 1e-9


@given(any_signals, any_weights)
def test_links_have_at_most_their_share_of_text_and_links(signals: Signals, weights: PartWeights) -> None:
    parts = score(signals, weights).parts
    links, text = parts["edge"] + parts["centrality"], parts["semantic"] + parts["lexical"]
    assert weights.graph_cap == 1 or links <= weights.graph_cap * (links + text) + 1e-9


@given(any_signals, any_weights)
def test_links_never_carry_what_is_irrelevant_by_itself(signals: Signals, weights: PartWeights) -> None:
    nothing = Signals(edge=signals.edge, centrality=signals.centrality, retriever_weight=signals.retriever_weight)
    parts = score(nothing, weights).parts
    assert weights.graph_cap == 1 or parts["edge"] == parts["centrality"] == 0


@given(any_signals, any_weights, unit)
def test_a_stronger_link_never_lowers_a_total(signals: Signals, weights: PartWeights, edge: float) -> None:
    low, high = sorted((edge, signals.edge))
    totals = [
        score(
            Signals(signals.semantic, signals.lexical, value, signals.centrality, signals.retriever_weight), weights
        ).total
        for value in (low, high)
    ]
    assert totals[0] <= totals[1] + 1e-9


def test_the_total_is_the_formula_of_the_design() -> None:
    made = score(Signals(semantic=0.8, lexical=0.5, edge=0.4, centrality=1.0, retriever_weight=1.1), WEIGHTS)
    assert made.total == pytest.approx(0.7 * 0.8 + 0.3 * 0.5 + 0.7 * 0.4 + 0.02 * 1.0 + 0.05 * 1.1)


def test_a_list_of_links_gets_a_share_of_what_links_give() -> None:
    plain = score(Signals(semantic=0.8, edge=0.4), WEIGHTS)
    listed = score(Signals(semantic=0.8, edge=0.4, link_list=True), WEIGHTS)
    assert listed.parts["edge"] == pytest.approx(plain.parts["edge"] * WEIGHTS.link_list_damping)
    assert listed.parts["semantic"] == plain.parts["semantic"]


def test_a_cap_of_one_is_no_cap() -> None:
    assert graph_factor(0.0, 5.0, 1.0) == 1.0


@given(st.dictionaries(st.text(max_size=3), st.floats(-1, 1)), st.floats(-1, 1), st.floats(-1, 1))
def test_scaled_values_lie_between_0_and_1_and_keep_their_order(
    values: dict[str, float], low: float, high: float
) -> None:
    made = scaled(values, low, high)
    assert all(0 <= value <= 1 for value in made.values())
    order = sorted(values, key=lambda key: values[key])
    assert [made[key] for key in order] == sorted(made.values())


def test_a_single_candidate_is_the_best_there_is() -> None:
    assert scaled({"a": 0.8}, 0.8, 0.8) == {"a": 1.0}
