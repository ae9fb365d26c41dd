"""Values → rows → values: nothing is lost, whatever the notes hold."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core.model import Block, Chunk, Edge, Finding, Link, Note
from mindnet_pipeline.storage.rows import (
    FileFacts,
    chunks_from,
    chunks_table,
    edges_from,
    edges_table,
    embeddings_table,
    facts_from,
    notes_from,
    notes_table,
    vectors_from,
)
from mindnet_pipeline_tests.storage.samples import chunk, facts, note

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.integers(0, 2**31 - 1)
floats = st.floats(allow_nan=False, allow_infinity=False)
spans = st.tuples(numbers, numbers)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | floats | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)


def values(kind: type[Any], /, **given: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of a dataclass: every text, number and tuple of texts that its fields can hold."""
    by_type = {str: text, int: numbers, float: floats, bool: st.booleans(), int | None: st.none() | numbers}
    hints = get_type_hints(kind)
    strings = st.lists(text, max_size=3).map(tuple)
    chosen = {}
    for field in fields(kind):
        hint = hints[field.name]
        is_tuple = getattr(hint, "__name__", "") == "tuple"
        chosen[field.name] = given.get(field.name, strings if is_tuple else by_type.get(hint, text))
    return st.builds(kind, **chosen)


def some(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


notes = values(
    Note,
    frontmatter=st.dictionaries(text, plain, max_size=3),
    warnings=some(values(Finding)),
    blocks=some(values(Block, items=some(spans))),
    links=some(values(Link)),
    nested=some(values(Block, items=some(spans))),
    hidden=some(spans),
    unbroken=some(spans),
)


class TestRoundTrip:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(notes, values(FileFacts)), max_size=4))
    def test_notes_and_their_files(self, pairs: list[tuple[Note, FileFacts]]) -> None:
        table = notes_table([each for each, _ in pairs], [fact for _, fact in pairs])
        assert notes_from(table) == [each for each, _ in pairs]
        assert facts_from(table) == [fact for _, fact in pairs]

    @settings(max_examples=60, deadline=None)
    @given(st.lists(values(Chunk, hidden=some(spans)), max_size=4))
    def test_chunks(self, chunks: list[Chunk]) -> None:
        assert chunks_from(chunks_table(chunks)) == chunks

    @settings(max_examples=60, deadline=None)
    @given(st.lists(values(Edge), max_size=4))
    def test_edges(self, edges: list[Edge]) -> None:
        assert edges_from(edges_table(edges)) == edges

    def test_a_part_of_a_table(self) -> None:
        made = [note(str(number), tags=("a",) * number, aliases=(str(number),)) for number in range(5)]
        table = notes_table(made, [facts()] * 5)
        assert notes_from(table.slice(2, 2)) == made[2:4]
        assert notes_from(table.take([4, 1])) == [made[4], made[1]]

    def test_lists_in_lists_keep_their_borders_in_a_part_of_a_table(self) -> None:
        blocks = (Block("list", 0, 9, items=((0, 4), (4, 9))), Block("heading", 9, 12, level=2))
        made = [note("a", blocks=blocks[:1]), note("b", blocks=blocks), note("c")]
        assert notes_from(notes_table(made, [facts()] * 3).slice(1)) == made[1:]


def test_a_lone_surrogate_becomes_a_question_mark_and_stops_nobody() -> None:
    table = notes_table([note(title="\ud83d", tags=("\udc00x",)), note("b", title="Ö")], [facts()] * 2)
    assert [each.title for each in notes_from(table)] == ["?", "Ö"]
    assert notes_from(table)[0].tags == ("?x",)


def test_vectors_stand_beside_their_chunks() -> None:
    vectors = {"n-1": np.array([1, 2], np.float32), "n-2": np.array([3, 4], np.float32)}
    table = embeddings_table([chunk("n", 2), chunk("n", 1)], vectors, "modell")
    assert table["chunk_id"].to_pylist() == ["n#c02", "n#c01"]
    assert set(table["model_key"].to_pylist()) == {"modell"}
    assert vectors_from(table).tolist() == [[3, 4], [1, 2]]
    assert vectors_from(table.slice(1)).tolist() == [[1, 2]]


def test_no_rows_are_a_table_too() -> None:
    assert vectors_from(embeddings_table([], {}, "modell")).shape[0] == 0
    assert notes_from(notes_table([], [])) == []


def test_a_chunk_without_a_vector_is_an_error() -> None:
    with pytest.raises(KeyError):
        embeddings_table([chunk()], {}, "modell")
