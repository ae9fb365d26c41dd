"""What could answer: the chunks nearest in meaning, those with matching words, and those that links lead to.

Here the store is asked and what it says is gathered; what a candidate is worth is `scoring.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.retrieval.relevance import covered
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.vectors.protocol import Condition, Found, SparseVector, StoreReader, Where

FIELDS = (
    "chunk_id", "note_id", "note_title", "path", "type", "section_path", "chunk_index", "char_start", "char_end",
    "kind", "lang", "text", "retriever_weight", "created_at",
)  # fmt: skip
"""What of a chunk's payload ranking, merging and showing need."""
_IDS = ("note_id", "lang")
_NO_PAYLOAD: Mapping[str, Any] = {}

_CHUNKS_PER_REACHED_NOTE = 2


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the store can take it. `dense` is None without a model, `sparse` is None without words.

    `words` are the indices of each word by itself. `foreign` is how much lower the model's cosines are between two
    languages.
    """

    text: str
    language: str
    dense: npt.NDArray[np.float32] | None
    sparse: SparseVector | None
    words: tuple[frozenset[int], ...] = ()
    foreign: float = 0.0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that could answer. `cosine` and `bm25` are None where the store did not say (too far away).

    The cosine of a chunk in another language than the question's is raised by what the model loses between two.

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
    """The nearest chunks and the best BM25 hits, each with the scores that the store gave, without their payload.

    Chunks in other languages than the question's are looked for on their own: those in its own crowd them out.
    """
    near: list[Found] = []
    if question.dense is not None:
        near = reader.search_dense(question.dense, dense, where, _IDS)
        if question.foreign:
            own = Condition("lang", any_of=(question.language, ""))
            foreign = replace(where, must_not=(*where.must_not, own))
            near += reader.search_dense(question.dense, dense // 2, foreign, _IDS)
    worded = reader.search_sparse(question.sparse, lexical, where, _IDS) if question.sparse is not None else []
    return merge(question, near, worded)


def words_found(reader: StoreReader, question: Question, found: Candidates, bm25: Bm25Encoder) -> float:
    """The share of the question's words that its best BM25 hit has, at least one of them; 0 if there is no such hit."""
    worded = [candidate for candidate in found.values() if candidate.bm25]
    if not worded:
        return 0.0
    best = max(worded, key=lambda candidate: (candidate.bm25, candidate.chunk_id))
    there = reader.get("chunks", [best.chunk_id], fields=FIELDS)
    share = covered(question.words, words_of(there[0].payload, bm25)) if there else 0.0
    return max(share, 1 / len(question.words))


def words_of(payload: Mapping[str, Any], bm25: Bm25Encoder) -> tuple[int, ...]:
    """The indices of all words of a chunk, with its titles."""
    text = "\n".join((payload["note_title"], *payload["section_path"], payload["text"]))
    return bm25.document(text, payload["lang"]).indices


def find_preferred(
    reader: StoreReader, question: Question, where: Where, types: Collection[str], count: int
) -> dict[str, Candidate]:
    """The best among notes of these types, so that a preference finds what it prefers in a large vault too."""
    if not types or not count:
        return {}
    inside = replace(where, must=(*where.must, Condition("type", any_of=tuple(sorted(types)))))
    return find(reader, question, inside, dense=count, lexical=count)


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
        question,
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
    made = {}
    for each in there:
        known = found[each.logical_id]
        made[each.logical_id] = Candidate(known.chunk_id, known.note_id, each.payload, known.cosine, known.bm25)
    return made


def _inside(where: Where, note_ids: Collection[str]) -> Where | None:
    """The conditions, within these notes; None if there are none."""
    if not note_ids:
        return None
    return replace(where, must=(*where.must, Condition("note_id", any_of=tuple(sorted(note_ids)))))


def merge(question: Question, near: Sequence[Found], worded: Sequence[Found]) -> dict[str, Candidate]:
    """The candidates of two searches, with what each says of them."""
    own = {question.language, ""}
    cosines = {
        each.logical_id: each.score + (0.0 if each.payload["lang"] in own else question.foreign) for each in near
    }
    words = {each.logical_id: each.score for each in worded}
    notes = {each.logical_id: each.payload["note_id"] for each in (*near, *worded)}
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
