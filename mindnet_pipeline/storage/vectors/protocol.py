"""What every vector store offers, in values of our own. Held by one contract test suite for all backends.

A store holds *generations*: a full set of the three collections made with one embedding model and one schema version.
Queries read the current generation. A model change writes a new generation beside it and switches at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

SCHEMA_VERSION = 1
CollectionName = Literal["notes", "chunks", "edges"]
COLLECTIONS: tuple[CollectionName, ...] = ("notes", "chunks", "edges")


@dataclass(frozen=True, slots=True)
class StoreFacts:
    """What a generation was made with. Two generations with equal facts are the same generation."""

    model_key: str
    dimension: int
    schema_version: int = SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class SparseVector:
    """BM25 weights: parallel tuples of token ids and values."""

    indices: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Point:
    """One row for the store. core/ids.py makes the point id from `logical_id`; the payload holds the logical id too."""

    logical_id: str
    payload: Mapping[str, Any]
    dense: npt.NDArray[np.float32] | None = None
    sparse: SparseVector | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A point that a search or a look-up gave back. `score` is 0 for look-ups."""

    logical_id: str
    payload: Mapping[str, Any]
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition on a payload field (dotted path). For list fields: true if any item fits.

    `any_of`: equals one of the values. `prefix`: the string starts so (folders). `gte`, `lte`: ISO date or number
    range. For some of a collection's logical ids no index is needed.
    """

    key: str
    any_of: tuple[str | int | bool, ...] = ()
    prefix: str = ""
    gte: str | float | None = None
    lte: str | float | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """All of `must` hold and none of `must_not`. Empty: everything."""

    must: tuple[Condition, ...] = field(default=())
    must_not: tuple[Condition, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Search:
    """A search among the chunks: those nearest to a dense vector, or the best by BM25 for a sparse one."""

    vector: npt.NDArray[np.float32] | SparseVector
    limit: int
    where: Where | None = None


class StoreReader(Protocol):
    """The current generation, for reading. Close it (or use it as a context manager): it may hold a lock."""

    facts: StoreFacts

    def search(self, searches: Sequence[Search], fields: Sequence[str] | None = None) -> list[list[Found]]:
        """What each search finds, best first, all in one request. The score is the cosine or that of BM25.

        `fields` limits the payload.
        """

    def lookup(
        self, collection: CollectionName, where: Where, limit: int | None = None, fields: Sequence[str] | None = None
    ) -> list[Found]:
        """All points that fit, in one request per page, ordered by logical id; `fields` limits the payload."""

    def get(
        self,
        collection: CollectionName,
        logical_ids: Sequence[str],
        with_vectors: bool = False,
        fields: Sequence[str] | None = None,
    ) -> list[Found]:
        """The points with these ids, in the order asked, less unknown ones.

        Vectors come in the payload as `_dense` and, a `SparseVector`, `_sparse`.
        """

    def count(self, collection: CollectionName, where: Where | None = None) -> int:
        """The exact number of points that fit."""

    def tally(
        self, collection: CollectionName, key: str, values: Sequence[str] | None = None, where: Where | None = None
    ) -> dict[str, int]:
        """How many points that fit have each of the values in an indexed field, or each value there is; one request.

        Values of none are absent.
        """

    def scan(self, collection: CollectionName, fields: Sequence[str] | None = None) -> Iterator[Found]:
        """Every point of a collection, in pages."""

    def close(self) -> None:
        """Let go of the store. Safe to repeat."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: object) -> None: ...


class StoreWriter(Protocol):
    """One generation, for writing, the current one or one that is being built. Close it: it holds the store's lock."""

    facts: StoreFacts

    def delete_notes(self, note_ids: Sequence[str]) -> None:
        """Delete all points that belong to these notes from the three collections (filter on note_id)."""

    def upsert(self, collection: CollectionName, points: Sequence[Point]) -> int:
        """Write the points in batches; returns how many. Idempotent."""

    def holds_exactly(self, collection: CollectionName, logical_ids: Sequence[str]) -> bool:
        """True if there is one point for each of these ids, and no other. A fraction of the time of `logical_ids`."""

    def counts_by_note(self, collection: CollectionName) -> dict[str, int]:
        """How many points each note has, by note id, for every note that has any."""

    def logical_ids(self, collection: CollectionName) -> set[str]:
        """The logical ids of all points there are, from their payloads: for saying which differ from the tables."""

    def close(self) -> None:
        """Flush and let go of the store. Safe to repeat."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *exc: object) -> None: ...


class VectorStore(Protocol):
    """A place for generations."""

    def describe(self) -> str:
        """Where it is, for people: `embedded, <folder>` or `server, <url>`."""

    def current(self) -> StoreFacts | None:
        """The facts of the current generation; None if nothing was ever written. Takes no lock."""

    def reader(self, wait_s: float = 10.0) -> StoreReader:
        """Open the current generation.

        StoreError if there is none, StoreLockedError (naming the holder) after `wait_s`.
        """

    def writer(self, facts: StoreFacts, wait_s: float = 60.0) -> StoreWriter:
        """Open the generation with these facts, making it (with its payload indexes) if it is not there."""

    def kept_open(self) -> AbstractContextManager[None]:
        """Within the block a generation opened for writing stays open (flushed at each close), for several writers.

        Nobody else can open it until the block ends.
        """

    def switch(self, facts: StoreFacts) -> None:
        """Make the generation with these facts the current one and drop the others. Atomic for readers; repeatable."""

    def generations(self) -> list[StoreFacts]:
        """All generations that exist, the current one first."""
