"""What could answer: the chunks nearest in meaning, those with matching words, and those that links lead to.

Here the store is asked and what it says is gathered; what a candidate is worth is `scoring.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.retrieval.reading import Reading, Text, read, split
from mindnet_pipeline.retrieval.relevance import covered
from mindnet_pipeline.settings.retriever import CandidateOptions
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.vectors.protocol import Condition, Found, Search, SparseVector, StoreReader, Where

FIELDS = (
    "chunk_id", "note_id", "note_title", "path", "type", "section_path", "chunk_index", "char_start", "char_end",
    "kind", "lang", "text", "retriever_weight", "created_at",
)  # fmt: skip
"""What of a chunk's payload ranking, merging and showing need."""
_IDS = ("note_id", "lang")
_NO_PAYLOAD: Mapping[str, Any] = {}

_CHUNKS_PER_PLACE = 2
_SEARCHED_TOGETHER = 4
"""Chunks for each note when many are searched at once: notes of few chunks are then searched whole."""
_FEW_WORDS = 0.1
"""Share of the best BM25 score below which a candidate's words hardly count."""


class Wording(NamedTuple):
    """A question's words as some languages write them: to search for, and each by itself as the indices of its forms.

    `sparse` is None where they have none of the words.
    """

    sparse: SparseVector | None = None
    words: tuple[frozenset[int], ...] = ()


_NO_WORDS = Wording()


@dataclass(frozen=True, slots=True)
class Question:
    """A question as the store can take it. `dense` is None without a model.

    `own` is for chunks in its own language, `other` for all others: a stemmer for one language joins words of another
    that have nothing in common. `beginnings` are what tells each word in a longer one. `foreign` is how much lower the
    model's cosines are between two languages.
    """

    text: str
    language: str
    dense: npt.NDArray[np.float32] | None
    own: Wording = _NO_WORDS
    other: Wording = _NO_WORDS
    beginnings: tuple[str, ...] = ()
    foreign: float = 0.0

    @property
    def in_own_language(self) -> Condition:
        """The chunks in its language, and those without any."""
        return Condition("lang", any_of=(self.language, ""))

    def wording(self, lang: str) -> Wording:
        """What a chunk in this language is searched for."""
        return self.own if lang in {self.language, ""} else self.other

    def covered_by(self, payload: Mapping[str, Any], bm25: Bm25Encoder) -> float:
        """The share of its words that a chunk has."""
        return covered(self.wording(payload["lang"]).words, words_of(payload, bm25))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that could answer. `cosine` and `bm25` are None where the store has not said.

    After `complete` that means: there is no model; none of the question's words is in it.

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


def find(
    reader: StoreReader, question: Question, where: Where, counts: CandidateOptions, preferred: Collection[str] = ()
) -> dict[str, Candidate]:
    """The nearest chunks and the best BM25 hits, each with the scores that the store gave, without their payload.

    Also the best of `preferred` types, so that a preference finds what it prefers in a large vault too.
    """
    areas = _areas(question, where, counts.dense, counts.lexical)
    if preferred:
        inside = _within(where, Condition("type", any_of=tuple(sorted(preferred))))
        areas += _areas(question, inside, counts.preferred, counts.preferred)
    return _search(reader, question, areas)


def _areas(question: Question, where: Where, dense: int, lexical: int) -> list[_Area]:
    """Where to look: chunks in other languages than the question's on their own, as those in its own crowd them out."""
    areas = [_Area(where, dense, lexical)]
    if question.foreign:
        areas.append(_Area(_outside(where, question.in_own_language), dense // 2, 0))
    return areas


def words_found(reader: StoreReader, question: Question, found: Candidates, bm25: Bm25Encoder) -> float:
    """The share of the question's words that its best BM25 hit has, at least one of them; 0 if there is no such hit."""
    worded = [candidate for candidate in found.values() if candidate.bm25]
    if not worded:
        return 0.0
    best = max(worded, key=lambda candidate: (candidate.bm25, candidate.chunk_id))
    there = reader.get("chunks", [best.chunk_id], fields=FIELDS)
    share = question.covered_by(there[0].payload, bm25) if there else 0.0
    return max(share, 1 / len(question.own.words))


def words_of(payload: Mapping[str, Any], bm25: Bm25Encoder) -> frozenset[int]:
    """The indices of all words of a chunk, with its titles."""
    return bm25.words("\n".join((*_titles(payload), payload["text"])), payload["lang"])


def readings(question: Question, found: Candidates, bm25: Bm25Encoder) -> dict[str, Reading]:
    """What reading each candidate says of the question's words; the titles are one sentence.

    Those that the store found to have hardly any of the words are not read: it would change little and takes time.
    """
    few = _FEW_WORDS * max((each.bm25 or 0.0 for each in found.values()), default=0.0)
    worth = {key: _text(each, question, bm25) for key, each in found.items() if not each.bm25 or each.bm25 >= few}
    return read(question.beginnings, worth)


def _text(candidate: Candidate, question: Question, bm25: Bm25Encoder) -> Text:
    """The candidate as it is read; its sentences only if they can hold a word of the question."""
    payload = candidate.payload
    titles = " ".join(_titles(payload))
    sentences = (titles, *split(payload["text"])) if candidate.bm25 else ()
    return Text(
        question.wording(payload["lang"]).words,
        [bm25.words(sentence, payload["lang"]) for sentence in sentences],
        f"{titles}\n{payload['text']}".lower(),
    )


def _titles(payload: Mapping[str, Any]) -> tuple[str, ...]:
    return (payload["note_title"], *payload["section_path"])


def reach(
    reader: StoreReader, question: Question, where: Where, notes: Sequence[str], named: Iterable[Sequence[str]]
) -> dict[str, Candidate]:
    """The best chunks of each note that links lead to, and of each heading that they name by its chunks.

    All notes are searched at once, and those on their own that longer ones crowd out. Words are looked up in every
    language at once; `complete` says what they are worth in each chunk's own.
    """
    vectors = [vector for vector in (question.dense, question.other.sparse) if vector is not None]
    all_notes = _within(where, Condition("note_id", any_of=tuple(notes)))
    searches = [Search(vector, _SEARCHED_TOGETHER * len(notes), all_notes) for vector in vectors if notes]
    searches += [Search(v, _CHUNKS_PER_PLACE, _within(where, chunks_place(ids))) for ids in named for v in vectors]
    found = reader.search(searches, _IDS)
    crowded = [
        Search(each.vector, _CHUNKS_PER_PLACE, _within(where, note_place(note)))
        for each, hits in zip(searches, found, strict=True)
        if each.where is all_notes and len(hits) == each.limit
        for note in _with_too_few(notes, hits)
    ]
    if crowded:
        searches, found = [*searches, *crowded], [*found, *reader.search(crowded, _IDS)]
    near: list[Found] = []
    worded: list[Found] = []
    for each, hits in zip(searches, found, strict=True):
        (near if each.vector is question.dense else worded).extend(_best_of_each(hits))
    return {
        key: Candidate(key, each.note_id, each.payload, each.cosine)
        for key, each in merge(question, near, worded).items()
    }


def _with_too_few(notes: Iterable[str], hits: Iterable[Found]) -> list[str]:
    counts = Counter(hit.payload["note_id"] for hit in hits)
    return [note for note in notes if counts[note] < _CHUNKS_PER_PLACE]


def _best_of_each(hits: Iterable[Found]) -> list[Found]:
    """The first hits of each note."""
    counts: Counter[str] = Counter()
    best = []
    for hit in hits:
        counts[hit.payload["note_id"]] += 1
        if counts[hit.payload["note_id"]] <= _CHUNKS_PER_PLACE:
            best.append(hit)
    return best


def complete(reader: StoreReader, question: Question, known: Candidates) -> dict[str, Candidate]:
    """The candidates with the scores that the searches so far, each with a limit of its own, did not give."""
    unlike = [key for key, candidate in known.items() if candidate.cosine is None]
    wordless = [key for key, candidate in known.items() if candidate.bm25 is None]
    areas = [
        _Area(Where((chunks_place(unlike),)), len(unlike), 0),
        _Area(Where((chunks_place(wordless),)), 0, len(wordless)),
    ]
    return join(known, _search(reader, question, areas))


def with_payloads(reader: StoreReader, found: Candidates) -> dict[str, Candidate]:
    """The candidates with what ranking and showing need, in one request; one that is gone by now is left out."""
    there = reader.get("chunks", list(found), fields=FIELDS)
    made = {}
    for each in there:
        known = found[each.logical_id]
        made[each.logical_id] = Candidate(known.chunk_id, known.note_id, each.payload, known.cosine, known.bm25)
    return made


def note_place(note_id: str) -> Condition:
    """A whole note as a place."""
    return Condition("note_id", any_of=(note_id,))


def chunks_place(chunk_ids: Iterable[str]) -> Condition:
    """Some chunks as a place."""
    return Condition("chunk_id", any_of=tuple(chunk_ids))


class _Area(NamedTuple):
    """What to look through, and how many chunks to take from there by meaning and by words."""

    where: Where
    dense: int
    lexical: int


def _search(reader: StoreReader, question: Question, areas: Sequence[_Area]) -> dict[str, Candidate]:
    """The best chunks of each area by meaning and by words, all in one request."""
    dense = question.dense
    near = [Search(dense, area.dense, area.where) for area in areas] if dense is not None else []
    worded = [
        Search(sparse, area.lexical, where)
        for area in areas
        for sparse, where in (
            (question.own.sparse, _within(area.where, question.in_own_language)),
            (question.other.sparse, _outside(area.where, question.in_own_language)),
        )
        if sparse is not None
    ]
    found = reader.search([*near, *worded], _IDS)
    return merge(question, chain(*found[: len(near)]), chain(*found[len(near) :]))


def _within(where: Where, condition: Condition) -> Where:
    return replace(where, must=(*where.must, condition))


def _outside(where: Where, condition: Condition) -> Where:
    return replace(where, must_not=(*where.must_not, condition))


def merge(question: Question, near: Iterable[Found], worded: Iterable[Found]) -> dict[str, Candidate]:
    """What was found by meaning and by words, with what each says of it."""
    near, worded = list(near), list(worded)
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
    for key, candidate in second.items():
        before = joined.get(key, candidate)
        cosine = candidate.cosine if before.cosine is None else before.cosine
        bm25 = candidate.bm25 if before.bm25 is None else before.bm25
        joined[key] = Candidate(key, before.note_id, before.payload, cosine, bm25)
    return joined
