"""The contract of every vector store, on each backend: embedded, the client's imitation of a server, a server if there
is one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from mindnet_pipeline.core.errors import QueryError, StoreError
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import (
    Condition,
    Point,
    Search,
    SparseVector,
    StoreFacts,
    VectorStore,
    Where,
)
from mindnet_pipeline_tests.storage.samples import search

FACTS = StoreFacts("model-a", 4)
OTHER = StoreFacts("model-b", 3)


def open_backend(name: str, folder: Path) -> VectorStore:
    if name == "embedded":
        return EmbeddedStore(str(folder))
    from mindnet_pipeline.storage.vectors.server import ServerStore  # noqa: PLC0415 - only where it is chosen

    if name == "memory":
        return ServerStore(":memory:", "test")
    url = os.environ["MINDNET_QDRANT_URL"]
    return ServerStore(url, f"test{uuid.uuid4().hex[:8]}", os.environ.get("MINDNET_QDRANT_API_KEY", ""))


def drop_everything(store: VectorStore) -> None:
    if isinstance(store, EmbeddedStore):
        return
    for name in store._names():
        store._client.delete_collection(name)
    store.close()


@pytest.fixture(params=["embedded", "memory", *(["server"] if os.environ.get("MINDNET_QDRANT_URL") else [])])
def store(request: pytest.FixtureRequest, quick_folder: Path) -> Iterator[VectorStore]:
    opened = open_backend(request.param, quick_folder)
    yield opened
    drop_everything(opened)


def chunk(
    note: str, index: int = 1, dense: list[float] | None = None, sparse: dict[int, float] | None = None, **payload
):
    vector = np.array(dense if dense is not None else [1, 0, 0, 0], dtype=np.float32)
    words = SparseVector(tuple(sparse), tuple(sparse.values())) if sparse else None
    return Point(f"{note}#c{index:02d}", {"note_id": note, "chunk_index": index, **payload}, vector, words)


def note(note_id: str, dense: list[float] | None = None, **payload) -> Point:
    vector = None if dense is None else np.array(dense, dtype=np.float32)
    return Point(note_id, {"note_id": note_id, **payload}, vector)


def edge(edge_id: str, owner: str, **payload) -> Point:
    return Point(edge_id, {"note_id": owner, **payload})


@pytest.fixture
def filled(store: VectorStore) -> Callable[..., VectorStore]:
    def fill(*chunks: Point, notes: tuple[Point, ...] = (), edges: tuple[Point, ...] = ()) -> VectorStore:
        with store.writer(FACTS) as writer:
            writer.upsert("chunks", chunks)
            writer.upsert("notes", notes)
            writer.upsert("edges", edges)
        store.switch(FACTS)
        return store

    return fill


def ids(found) -> list[str]:
    return [each.logical_id for each in found]


def matching(store: VectorStore, *must: Condition, must_not: tuple[Condition, ...] = ()) -> list[str]:
    with store.reader() as reader:
        return ids(reader.lookup("chunks", Where(must, must_not)))


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


def test_dense_search_ranks_by_cosine(filled):
    store = filled(
        chunk("far", dense=[0, 1, 0, 0]), chunk("near", dense=[2, 0, 0, 0]), chunk("mid", dense=[1, 1, 0, 0])
    )
    with store.reader() as reader:
        found = search(reader, np.array([1, 0, 0, 0], dtype=np.float32), 2)
    assert ids(found) == ["near#c01", "mid#c01"]
    assert [each.score for each in found] == pytest.approx([1.0, 0.5**0.5], abs=1e-5)


def test_hits_of_equal_score_are_ordered_by_id(filled):
    store = filled(*(chunk(name) for name in "cab"))
    with store.reader() as reader:
        assert ids(search(reader, np.array([1, 0, 0, 0], dtype=np.float32), 3)) == ["a#c01", "b#c01", "c#c01"]


def test_sparse_search_prefers_the_rarer_word(filled):
    store = filled(
        chunk("both", sparse={1: 1.0, 2: 1.0}),
        chunk("common", sparse={1: 1.0}),
        chunk("other", sparse={1: 1.0, 3: 1.0}),
    )
    with store.reader() as reader:
        found = search(reader, SparseVector((1, 2), (1.0, 1.0)), 10)
    assert found[0].logical_id == "both#c01"
    assert found[0].score > 2 * found[1].score


def test_sparse_search_leaves_out_chunks_without_a_word_of_the_question(filled):
    store = filled(chunk("a", sparse={1: 1.0}), chunk("b", sparse={2: 1.0}), chunk("c"))
    with store.reader() as reader:
        assert ids(search(reader, SparseVector((2,), (1.0,)), 10)) == ["b#c01"]


def test_a_question_without_words_finds_nothing(filled):
    with filled(chunk("a", sparse={1: 1.0})).reader() as reader:
        assert search(reader, SparseVector((), ()), 10) == []


@pytest.mark.parametrize(
    ("vector", "reason"),
    [([0, 0, 0, 0], "zero"), ([1, float("nan"), 0, 0], "finite"), ([1, 0, 0], "shape")],
)
def test_a_question_vector_that_means_nothing_is_refused(filled, vector, reason):
    with filled(chunk("a")).reader() as reader, pytest.raises(QueryError, match=reason):
        search(reader, np.array(vector, dtype=np.float32), 3)


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


def test_search_looks_only_where_the_filter_allows(filled):
    store = filled(chunk("a", type="task"), chunk("b", type="concept", sparse={1: 1.0}), chunk("c", sparse={1: 1.0}))
    where = Where(must=(Condition("type", any_of=("concept",)),))
    with store.reader() as reader:
        dense = search(reader, np.array([1, 0, 0, 0], dtype=np.float32), 10, where)
        sparse = search(reader, SparseVector((1,), (1.0,)), 10, where)
    assert ids(dense) == ids(sparse) == ["b#c01"]


def test_several_searches_are_answered_in_their_order(filled):
    near, far = np.array([1, 0, 0, 0], dtype=np.float32), np.array([0, 1, 0, 0], dtype=np.float32)
    word, none = SparseVector((1,), (1.0,)), SparseVector((), ())
    only_b = Where((Condition("note_id", any_of=("b",)),))
    store = filled(chunk("a", dense=[1, 0, 0, 0], sparse={1: 1.0}), chunk("b", dense=[0, 1, 0, 0]))
    searches = [Search(far, 1), Search(none, 5), Search(word, 5), Search(near, 5, only_b), Search(near, 0)]
    with store.reader() as reader:
        found = reader.search(searches, ["note_id"])
    assert [ids(each) for each in found] == [["b#c01"], [], ["a#c01"], ["b#c01"], []]


def test_no_search_has_no_answer(filled):
    with filled(chunk("a")).reader() as reader:
        assert reader.search([]) == []


def test_a_look_up_is_ordered_by_logical_id_and_limited(filled):
    with filled(*(chunk("n", index) for index in (3, 1, 2))).reader() as reader:
        assert ids(reader.lookup("chunks", Where(), limit=2)) == ["n#c01", "n#c02"]


def test_a_look_up_gives_only_the_fields_asked_for(filled):
    with filled(chunk("a", type="task", frontmatter={"mood": 3, "place": "Rom"})).reader() as reader:
        found = reader.lookup("chunks", Where(), fields=["type", "frontmatter.mood"])
    assert found[0].payload == {"type": "task", "frontmatter": {"mood": 3}}


def test_a_search_gives_only_the_fields_asked_for(filled):
    with filled(chunk("a", sparse={1: 1.0}, type="task", text="x")).reader() as reader:
        dense = search(reader, np.array([1, 0, 0, 0], dtype=np.float32), 1, None, ["type"])
        sparse = search(reader, SparseVector((1,), (1.0,)), 1, None, ["type"])
    for (found,) in (dense, sparse):
        assert found.logical_id == "a#c01"
        assert set(found.payload) - {"chunk_id"} == {"type"}


def test_get_gives_only_the_fields_asked_for(filled):
    with filled(chunk("a", type="task", text="x")).reader() as reader:
        (found,) = reader.get("chunks", ["a#c01"], fields=["type"])
    assert set(found.payload) - {"chunk_id"} == {"type"}


def test_a_tally_counts_the_points_of_each_value_that_fit(filled):
    kinds = [("a", "backlink"), ("a", "backlink"), ("a", "x"), ("b", "backlink"), ("c", "backlink")]
    edges = tuple(edge(f"e{n}", "n", source_id=source, kind=kind) for n, (source, kind) in enumerate(kinds))
    with filled(chunk("n"), edges=edges).reader() as reader:
        backlinks = Where((Condition("kind", ("backlink",)),))
        assert reader.tally("edges", "source_id", ["a", "b", "nobody"], backlinks) == {"a": 2, "b": 1}
        assert reader.tally("edges", "source_id", []) == {}
        assert reader.tally("edges", "source_id", where=backlinks) == {"a": 2, "b": 1, "c": 1}
        assert reader.tally("edges", "source_id") == {"a": 3, "b": 1, "c": 1}


def test_get_keeps_the_order_and_leaves_out_unknown_ids(filled):
    with filled(chunk("a"), chunk("b")).reader() as reader:
        assert ids(reader.get("chunks", ["b#c01", "nobody", "a#c01"])) == ["b#c01", "a#c01"]


def test_get_gives_vectors_on_request(filled):
    with filled(chunk("a", dense=[0, 3, 0, 4], sparse={7: 0.5, 9: 2.0})).reader() as reader:
        (found,) = reader.get("chunks", ["a#c01"], with_vectors=True)
        (without,) = reader.get("chunks", ["a#c01"])
    assert found.payload["_dense"] == pytest.approx([0, 0.6, 0, 0.8])
    assert found.payload["_sparse"] == SparseVector((7, 9), (0.5, 2.0))
    assert without.payload.keys().isdisjoint({"_dense", "_sparse"})


def test_scan_gives_every_point_once(filled):
    edges = tuple(edge(f"e{number}", "a", kind="references") for number in range(50))
    with filled(edges=edges).reader() as reader:
        assert sorted(ids(reader.scan("edges", ["kind"]))) == sorted(point.logical_id for point in edges)


def test_a_payload_comes_back_as_it_was_written(filled):
    payload = {"tags": ["a", "b/c"], "frontmatter": {"Größe in cm": 1.5, "done": True, "nothing": None, "deep": [[1]]}}
    with filled(chunk("a", **payload)).reader() as reader:
        (found,) = reader.get("chunks", ["a#c01"])
    assert found.payload == {"chunk_id": "a#c01", "note_id": "a", "chunk_index": 1, **payload}


def test_a_payload_with_values_beyond_json_is_stored(filled):
    store = filled(chunk("a", odd=float("nan"), pair=("x", 1), text="\ud800", big=2**70))
    with store.reader() as reader:
        (found,) = reader.get("chunks", ["a#c01"])
    assert (found.payload["odd"], found.payload["pair"], found.payload["text"]) == (None, ["x", 1], "?")


CARDS = (
    chunk("a", type="task", tags=["work/deep", "x"], path="Ordner/Teil eins/a.md", created_at="2024-03-05", mood=3),
    chunk("b", type="concept", tags=["x"], path="Ordner/b.md", created_at="2024-03-31T18:30:00", mood=5.5),
    chunk("c", type="concept", tags=[], path="Ordnerei/c.md", created_at="2025-02-30", mood="3", hard_split=True),
    chunk("d", path="d.md", created_at="2025-01-01", hard_split=False, frontmatter={"ja nein": True, "Größe": "L"}),
)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("type", any_of=("task", "concept")), "abc"),
        (Condition("tags", any_of=("x",)), "ab"),
        (Condition("tags", prefix="work/"), "a"),
        (Condition("path", prefix="Ordner/"), "ab"),
        (Condition("path", prefix="Ordner/Teil eins/"), "a"),
        (Condition("created_at", gte="2024-03-05", lte="2024-03-31"), "ab"),
        (Condition("created_at", lte="2024-03"), "ab"),
        (Condition("created_at", gte="2024-04"), "d"),
        (Condition("created_at", gte="2024-03-31T18:30", lte="2024"), "b"),
        (Condition("mood", gte=4), "b"),
        (Condition("mood", gte=3, lte=5.5), "ab"),
        (Condition("mood", any_of=(3,)), "a"),
        (Condition("mood", any_of=("3", 3)), "ac"),
        (Condition("hard_split", any_of=(True,)), "c"),
        (Condition("hard_split", any_of=(False,)), "d"),
        (Condition("hard_split", any_of=(False, True)), "cd"),
        (Condition("frontmatter.ja nein", any_of=(True,)), "d"),
        (Condition("frontmatter.Größe", any_of=("L",)), "d"),
        (Condition("chunk_index", any_of=(1,), gte=1), "abcd"),
        (Condition("chunk_id", any_of=("a#c01", "d#c01", "nobody")), "ad"),
        (Condition("chunk_id", any_of=()), ""),
        (Condition("type", any_of=()), ""),
        (Condition("nowhere", any_of=("x",)), ""),
        (Condition("path", prefix="Ordner/", any_of=("Ordner/b.md", "d.md")), "b"),
    ],
)
def test_a_condition_and_its_opposite_part_the_chunks(filled, condition, expected):
    store = filled(*CARDS)
    found = matching(store, condition)
    others = matching(store, must_not=(condition,))
    assert "".join(each[0] for each in found) == expected
    assert sorted(found + others) == ["a#c01", "b#c01", "c#c01", "d#c01"]


def test_all_conditions_must_hold(filled):
    assert matching(filled(*CARDS), Condition("tags", any_of=("x",)), Condition("type", any_of=("task",))) == ["a#c01"]


@pytest.mark.parametrize("condition", [Condition("created_at", gte="gestern"), Condition("mood", gte=1, lte="2024")])
def test_a_bound_that_is_no_date_is_refused(filled, condition):
    with filled(chunk("a")).reader() as reader, pytest.raises(QueryError):
        reader.count("chunks", Where((condition,)))


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
