"""What is logged of a question, and that it comes back unchanged."""

from __future__ import annotations

import json
import math

import pytest

from mindnet_pipeline.learning.situations import Situation, parse_situation, situation_of, written
from mindnet_pipeline.retrieval.filters import Filters
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.scoring import score
from mindnet_pipeline_tests.learning.worlds import TIME
from mindnet_pipeline_tests.retrieval.worlds import World


@pytest.fixture(scope="module")
def result() -> SearchResult:
    world = World().note("beet", "Kohl wächst im Beet.", type="decision").note("plan", "Kohl: [[beet]] [[beet]]")
    world.note("anders", "Möhren und etwas Kohl.").link("plan#c01", "beet", "depends_on")
    return world.retriever().search("Kohl im Beet", limit=2, filters=Filters(langs=("de",)))


@pytest.fixture(scope="module")
def logged(result: SearchResult) -> Situation:
    made = situation_of(result, TIME)
    assert made is not None
    return parse_situation(written(made).encode())


def test_a_situation_comes_back_as_it_was_written(result: SearchResult, logged: Situation) -> None:
    assert logged == situation_of(result, TIME)


def test_every_logged_total_is_made_again_exactly_under_the_logged_weights(logged: Situation) -> None:
    assert any(hit.signals.edge > 0 for hit in logged.hits)
    for hit in logged.hits:
        again = score(hit.signals, logged.weights)
        assert again.total == hit.score
        assert again.parts == hit.score_breakdown
        assert math.fsum(hit.score_breakdown.values()) == hit.score


def test_it_says_what_was_asked_and_by_which_model(result: SearchResult, logged: Situation) -> None:
    assert (logged.query_id, logged.query, logged.k) == (result.query_id, "Kohl im Beet", 2)
    assert (logged.time, logged.language, logged.model_key) == (TIME, "de", "words@test")
    assert (logged.filters, logged.intent) == ({"langs": ["de"]}, result.intent.name)


def test_the_shown_hits_are_known_among_all_candidates(result: SearchResult, logged: Situation) -> None:
    assert [hit.chunk_id for hit in logged.shown] == [hit.chunk_id for hit in result.hits]
    assert len(logged.hits) == 3


def test_it_is_one_line(result: SearchResult) -> None:
    made = situation_of(result, TIME)
    assert "\n" not in written(made)
    assert json.loads(written(made))["query"] == "Kohl im Beet"


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'{"query_id": "a"}', b"\xff"])
def test_what_is_no_situation_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_situation(line)


def test_a_result_without_a_trace_is_not_logged() -> None:
    assert situation_of(SearchResult("id", "Kohl", ()), TIME) is None
