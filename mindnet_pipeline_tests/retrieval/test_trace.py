"""The trace of a search: enough to make every total again, under the same weights or others."""

from __future__ import annotations

import pytest

from mindnet_pipeline.retrieval.filters import Filters
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.scoring import score
from mindnet_pipeline_tests.retrieval.worlds import World


@pytest.fixture
def result() -> SearchResult:
    world = World()
    for number in range(30):
        world.note(f"beet{number:02}", f"Kohl im Beet Nummer {number}.", f"Noch ein Wort zum Kohl {number}.")
        world.link(f"beet{number:02}#c01", f"beet{(number + 1) % 30:02}", "depends_on")
    return world.retriever().search("Kohl Beet 7", limit=3, filters=Filters(types=("concept",)))


def test_every_total_is_made_again_from_the_trace_exactly(result: SearchResult) -> None:
    assert any(each.signals.edge > 0 for each in result.trace.candidates)
    for each in result.trace.candidates:
        assert score(each.signals, result.trace.weights) == each.score


def test_more_than_the_hits_is_traced_in_the_order_of_the_ranking(result: SearchResult) -> None:
    ranks = [each.rank for each in result.trace.candidates]
    assert ranks == sorted(ranks)
    assert len(ranks) >= 20
    totals = [each.score.total for each in result.trace.candidates]
    assert totals == sorted(totals, reverse=True)


def test_the_hits_are_marked_with_their_numbers(result: SearchResult) -> None:
    shown = {each.shown: (each.chunk_id, each.score.total) for each in result.trace.candidates if each.shown}
    assert [shown[number] for number in (1, 2, 3)] == [(hit.chunk_id, hit.score) for hit in result.hits]
    assert len(shown) == 3


def test_the_trace_says_what_was_asked_for(result: SearchResult) -> None:
    assert result.trace.limit == 3
    assert result.trace.filters.types == ("concept",)
    assert result.trace.model_key == "words@test"
    assert result.trace.language == "de"
