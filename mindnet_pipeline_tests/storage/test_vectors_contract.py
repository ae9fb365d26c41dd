"""The contract of every vector store: generations, writing, and what is there."""

from __future__ import annotations

import numpy as np
import pytest

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.storage.vectors.protocol import SparseVector, StoreFacts
from mindnet_pipeline_tests.storage.points import FACTS, OTHER, chunk, edge, ids, note
from mindnet_pipeline_tests.storage.samples import search


def test_a_new_store_has_no_current_generation(store):
    assert (store.current(), store.generations()) == (None, [])


def test_reading_a_store_that_was_never_filled_says_to_sync(store):
    with pytest.raises(StoreError, match="mindnet sync"):
        store.reader(wait_s=0)


def test_a_generation_is_current_only_after_the_switch(store):
    store.writer(FACTS).close()
    before = store.current()
    store.switch(FACTS)
    assert (before, store.current()) == (None, FACTS)


def test_a_switch_drops_the_other_generations(store):
    store.writer(FACTS).close()
    store.switch(FACTS)
    store.writer(OTHER).close()
    built = store.generations()
    store.switch(OTHER)
    assert (built, store.generations()) == ([FACTS, OTHER], [OTHER])


def test_a_switch_to_a_generation_that_is_not_there_is_refused(store):
    with pytest.raises(StoreError, match="model-a"):
        store.switch(FACTS)


def test_a_switch_can_be_repeated(filled):
    store = filled(chunk("a"))
    store.switch(FACTS)
    assert store.current() == FACTS


def test_writing_again_to_a_generation_keeps_what_is_there(filled):
    store = filled(chunk("a"))
    with store.writer(FACTS) as writer:
        writer.upsert("chunks", [chunk("b")])
        assert writer.logical_ids("chunks") == {"a#c01", "b#c01"}


def test_writing_the_same_points_twice_changes_nothing(filled):
    store = filled(chunk("a"), chunk("a"))
    with store.writer(FACTS) as writer:
        assert writer.upsert("chunks", [chunk("a")]) == 1
    with store.reader() as reader:
        assert reader.count("chunks") == 1


def test_deleting_a_note_removes_its_points_from_all_collections(filled):
    store = filled(
        chunk("a"),
        chunk("b"),
        notes=(note("a"), note("b")),
        edges=(edge("e1", "a", source_id="b#c01"), edge("e2", "b", source_id="a#c01")),
    )
    with store.writer(FACTS) as writer:
        writer.delete_notes(["a", "never-there"])
        left = [writer.logical_ids(name) for name in ("notes", "chunks", "edges")]
    assert left == [{"b"}, {"b#c01"}, {"e2"}]


def test_closing_twice_is_safe(filled):
    reader = filled(chunk("a")).reader()
    reader.close()
    reader.close()


@pytest.mark.parametrize("vector", [[0, 0, 0, 0], [1, float("inf"), 0, 0], [1, 0]])
def test_a_point_with_a_vector_that_means_nothing_is_refused_and_nothing_written(store, vector):
    with store.writer(FACTS) as writer:
        with pytest.raises(StoreError, match="b#c01"):
            writer.upsert("chunks", [chunk("a"), chunk("b", dense=vector)])
        assert writer.logical_ids("chunks") == set()


def test_a_generation_without_dense_vectors_takes_words_only(store):
    facts = StoreFacts("none", 0)
    with store.writer(facts) as writer:
        writer.upsert("chunks", [chunk("a", dense=[], sparse={1: 1.0})])
        writer.upsert("notes", [note("a")])
    store.switch(facts)
    with store.reader() as reader:
        dense = search(reader, np.empty(0, dtype=np.float32), 3)
        words = search(reader, SparseVector((1,), (1.0,)), 3)
    assert (dense, ids(words)) == ([], ["a#c01"])


def test_a_note_without_a_vector_is_stored(filled):
    with filled(notes=(note("empty"), note("full", [1, 0, 0, 0]))).reader() as reader:
        assert reader.count("notes") == 2


def test_describe_says_where_it_is(store):
    assert store.describe().split(",")[0] in {"embedded", "server"}


class TestWhatIsThere:
    POINTS = ("a#c01", "a#c02", "b#c01")

    @pytest.fixture
    def writer(self, filled):
        store = filled(chunk("a"), chunk("a", 2), chunk("b"), notes=(note("a"), note("b")))
        with store.writer(FACTS) as writer:
            yield writer

    def test_it_holds_exactly_what_was_written(self, writer) -> None:
        assert writer.holds_exactly("chunks", self.POINTS)
        assert writer.holds_exactly("notes", ["b", "a"])
        assert writer.holds_exactly("edges", [])

    @pytest.mark.parametrize(
        "ids", [POINTS[:2], (*POINTS, "c#c01"), (*POINTS[:2], "c#c01"), (*POINTS, "b#c01"), ()], ids=len
    )
    def test_a_point_more_or_less_or_another_is_not_exactly_that(self, writer, ids: tuple[str, ...]) -> None:
        assert not writer.holds_exactly("chunks", ids)

    def test_points_are_counted_by_note(self, writer) -> None:
        assert writer.counts_by_note("chunks") == {"a": 2, "b": 1}
        assert writer.counts_by_note("notes") == {"a": 1, "b": 1}
        assert writer.counts_by_note("edges") == {}

    def test_more_notes_than_a_page_are_all_counted(self, writer) -> None:
        writer.upsert("notes", [note(f"n{number}") for number in range(2500)])
        assert len(writer.counts_by_note("notes")) == 2502
        assert writer.holds_exactly("notes", ["a", "b", *(f"n{number}" for number in range(2500))])
