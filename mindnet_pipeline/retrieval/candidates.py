"""What could answer: the chunks nearest in meaning, those with matching words, and those that links lead to.

Here the store is asked and what it says is gathered; what a candidate is worth is `scoring.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.storage.vectors.protocol import Condition, Found, SparseVector, StoreReader, Where

FIELDS = (
    "chunk_id", "note_id", "note_title", "path", "type", "section_path", "chunk_index", "char_start", "char_end",
    "kind", "lang", "text", "retriever_weight",
)  # fmt: skip
"""What of a chunk's payload ranking, merging and showing need."""
_IDS = ("note_id",)
_NO_PAYLOAD: Mapping[str, Any] = {}

_CHUNKS_PER_REACHED_NOTE = 2


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the store can take it. `dense` is None without a model, `sparse` is None without words.

    `words` are the indices of each word by itself.
    """

    text: str
    language: str
    dense: npt.NDArray[np.float32] | None
    sparse: SparseVector | None
    words: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that could answer. `cosine` and `bm25` are None where the store did not say (too far away).

    The payload is fetched last and once (`with_payloads`): until then it is empty.
    """

    chunk_id: str
    note_id: str
    payload: Mapping[str, Any]
    cosine: float | None = None
    bm25: float | None = None


Candidates = Mapping[str, Candidate]
"""Candidates by chunk id."""


def find(reader: StoreReader, question: Question, where: Where, *, dense: int, lexical: int) -> dict[str, Candidate]:
    """The nearest chunks and the best BM25 hits, each with the scores that the store gave, without their payload."""
    near = reader.search_dense(question.dense, dense, where, _IDS) if question.dense is not None else []
    worded = reader.search_sparse(question.sparse, lexical, where, _IDS) if question.sparse is not None else []
    return merge(near, worded)


def complete(
    reader: StoreReader, question: Question, where: Where, known: Candidates, reached: Collection[str]
) -> dict[str, Candidate]:
    """What the first two searches left open: the score that a candidate lacks, the best chunks of reached notes."""
    unlike = {c.note_id for c in known.values() if c.cosine is None}
    wordless = {c.note_id for c in known.values() if c.bm25 is None}
    near = _inside(where, unlike.union(reached))
    worded = _inside(where, wordless.union(reached))
    room = _CHUNKS_PER_REACHED_NOTE * len(reached)
    found = merge(
        reader.search_dense(question.dense, 2 * len(unlike) + room, near, _IDS)
        if near and question.dense is not None
        else [],
        reader.search_sparse(question.sparse, 2 * len(wordless) + room, worded, _IDS)
        if worded and question.sparse
        else [],
    )
    return {key: found[key] for key in found if key in known or found[key].note_id in reached}


def with_payloads(reader: StoreReader, found: Candidates) -> dict[str, Candidate]:
    """The candidates with what ranking and showing need, in one request; one that is gone by now is left out."""
    there = reader.get("chunks", list(found), fields=FIELDS)
    return {each.logical_id: replace(found[each.logical_id], payload=each.payload) for each in there}


def _inside(where: Where, note_ids: Collection[str]) -> Where | None:
    """The conditions, within these notes; None if there are none."""
    if not note_ids:
        return None
    return replace(where, must=(*where.must, Condition("note_id", any_of=tuple(sorted(note_ids)))))


def merge(near: Sequence[Found], worded: Sequence[Found]) -> dict[str, Candidate]:
    """The candidates of two searches, with what each says of them."""
    cosines = {found.logical_id: found.score for found in near}
    words = {found.logical_id: found.score for found in worded}
    notes = {found.logical_id: found.payload["note_id"] for found in (*near, *worded)}
    return {
        key: Candidate(key, note_id, _NO_PAYLOAD, cosines.get(key), words.get(key)) for key, note_id in notes.items()
    }


def join(first: Candidates, second: Candidates) -> dict[str, Candidate]:
    """Both sets; a candidate of both keeps every score that either knows."""
    joined = dict(first)
    for chunk_id, candidate in second.items():
        before = joined.get(chunk_id, candidate)
        joined[chunk_id] = replace(
            before,
            cosine=candidate.cosine if before.cosine is None else before.cosine,
            bm25=candidate.bm25 if before.bm25 is None else before.bm25,
        )
    return joined
