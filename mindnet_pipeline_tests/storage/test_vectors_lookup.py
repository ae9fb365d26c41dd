"""The contract of every vector store: looking points up, by conditions and by id, with what they hold."""

from __future__ import annotations

import pytest

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.storage.vectors.protocol import Condition, SparseVector, Where
from mindnet_pipeline_tests.storage.points import chunk, edge, ids, matching


def test_a_look_up_is_ordered_by_logical_id_and_limited(filled):
    with filled(*(chunk("n", index) for index in (3, 1, 2))).reader() as reader:
        assert ids(reader.lookup("chunks", Where(), limit=2)) == ["n#c01", "n#c02"]


def test_a_look_up_gives_only_the_fields_asked_for(filled):
    with filled(chunk("a", type="task", frontmatter={"mood": 3, "place": "Rom"})).reader() as reader:
        found = reader.lookup("chunks", Where(), fields=["type", "frontmatter.mood"])
    assert found[0].payload == {"type": "task", "frontmatter": {"mood": 3}}


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
