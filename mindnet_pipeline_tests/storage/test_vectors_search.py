"""The contract of every vector store: searching by meaning and by words."""

from __future__ import annotations

import numpy as np
import pytest

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.storage.vectors.protocol import Condition, Search, SparseVector, Where
from mindnet_pipeline_tests.storage.points import chunk, ids
from mindnet_pipeline_tests.storage.samples import search


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


def test_a_search_gives_only_the_fields_asked_for(filled):
    with filled(chunk("a", sparse={1: 1.0}, type="task", text="x")).reader() as reader:
        dense = search(reader, np.array([1, 0, 0, 0], dtype=np.float32), 1, None, ["type"])
        sparse = search(reader, SparseVector((1,), (1.0,)), 1, None, ["type"])
    for (found,) in (dense, sparse):
        assert found.logical_id == "a#c01"
        assert set(found.payload) - {"chunk_id"} == {"type"}
