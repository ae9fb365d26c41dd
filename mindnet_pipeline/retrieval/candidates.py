"""What could answer: the chunks nearest in meaning, those with matching words, and those that links lead to.

Here the store is asked and what it says is gathered; what a candidate is worth is `scoring.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.storage.vectors.protocol import Condition, Found, SparseVector, StoreReader, Where


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the store can take it. `dense` is None without a model, `sparse` is None without words."""

    text: str
    dense: npt.NDArray[np.float32] | None
    sparse: SparseVector | None


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
    reader: StoreReader, question: Question, where: Where, note_ids: Iterable[str], limit: int
) -> dict[str, Candidate]:
    """The chunks of these notes with both scores: what one search alone could not say of a candidate."""
    ids = tuple(sorted(set(note_ids)))
    if not ids:
        return {}
    inside = replace(where, must=(*where.must, Condition("note_id", any_of=ids)))
    return find(reader, question, inside, dense=limit, lexical=limit)


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
