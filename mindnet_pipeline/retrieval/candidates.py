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
    """A chunk that could answer. `cosine` and `bm25` are None where the store did not say (too far away)."""

    chunk_id: str
    note_id: str
    payload: Mapping[str, Any]
    cosine: float | None = None
    bm25: float | None = None


Candidates = Mapping[str, Candidate]
"""Candidates by chunk id."""


def find(reader: StoreReader, question: Question, where: Where, *, dense: int, lexical: int) -> dict[str, Candidate]:
    """The nearest chunks and the best BM25 hits, each with the scores that the store gave."""
    near = reader.search_dense(question.dense, dense, where) if question.dense is not None else []
    worded = reader.search_sparse(question.sparse, lexical, where) if question.sparse is not None else []
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
    return merge(
        reader.search_dense(question.dense, 2 * len(unlike) + room, near)
        if near and question.dense is not None
        else [],
        reader.search_sparse(question.sparse, 2 * len(wordless) + room, worded) if worded and question.sparse else [],
    )


def _inside(where: Where, note_ids: Collection[str]) -> Where | None:
    """The conditions, within these notes; None if there are none."""
    if not note_ids:
        return None
    return replace(where, must=(*where.must, Condition("note_id", any_of=tuple(sorted(note_ids)))))


def merge(near: Sequence[Found], worded: Sequence[Found]) -> dict[str, Candidate]:
    """The candidates of two searches, with what each says of them."""
    cosines = {found.logical_id: found.score for found in near}
    words = {found.logical_id: found.score for found in worded}
    payloads = {found.logical_id: found.payload for found in (*near, *worded)}
    return {
        key: Candidate(key, payload["note_id"], payload, cosines.get(key), words.get(key))
        for key, payload in payloads.items()
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
