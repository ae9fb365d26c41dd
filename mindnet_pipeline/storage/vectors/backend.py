"""What a vector engine must be able to do, in plain values: filters in Qdrant's JSON form, points as `Row`s.

Backends hold no rules of ours: those are in access.py, once for all engines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mindnet_pipeline.storage.vectors.protocol import CollectionName, SparseVector

DENSE = "dense"
SPARSE = "bm25"
Filter = Mapping[str, Any]
"""A filter in the JSON form of Qdrant's REST interface: `{"must": [...], "must_not": [...]}`; see conditions.py."""

LOGICAL_ID: Mapping[CollectionName, str] = {"notes": "note_id", "chunks": "chunk_id", "edges": "edge_id"}
"""The payload field that holds a point's logical id."""

KEYWORD_INDEXES: Mapping[CollectionName, tuple[str, ...]] = {
    "notes": ("note_id", "type", "tags"),
    "chunks": ("note_id", "type", "tags", "path", "lang"),
    "edges": ("kind", "scope", "source_id", "target_id", "note_id"),
}
INTEGER_INDEXES: Mapping[CollectionName, tuple[str, ...]] = {"notes": (), "chunks": ("chunk_index",), "edges": ()}
PREFIX_INDEXES = frozenset({"tags", "path"})
"""Keyword indexes that also answer `starts with`: folders and nested tags."""

EVERY_VALUE = 1_000_000_000
"""As many values as a tally of each value may give: all."""


@dataclass(frozen=True, slots=True)
class Row:
    """A point as an engine takes it: a UUID (empty in the answer to a search or look-up), a JSON payload, vectors."""

    point_id: str
    payload: dict[str, Any]
    dense: list[float] | None = None
    sparse: SparseVector | None = None
    score: float = 0.0


def written_vectors(vectors: Any) -> tuple[list[float] | None, SparseVector | None]:
    """The dense and the sparse vector of a point, as an engine gives them back; each None if there is none."""
    named = vectors if isinstance(vectors, dict) else {}
    dense, sparse = named.get(DENSE), named.get(SPARSE)
    return (
        None if dense is None else list(dense),
        None if sparse is None else SparseVector(tuple(sparse.indices), tuple(sparse.values)),
    )


@dataclass(frozen=True, slots=True)
class Query:
    """A search among the chunks as an engine takes it."""

    vector: list[float] | SparseVector
    limit: int
    where: Filter | None


class Backend(Protocol):
    """One generation in one engine."""

    def search(self, queries: Sequence[Query], fields: Sequence[str] | None) -> list[list[Row]]:
        """The best chunks for each query's vector, in one request."""

    def page(
        self, collection: CollectionName, where: Filter | None, fields: Sequence[str] | None, offset: str | None
    ) -> tuple[list[Row], str | None]:
        """One page of the points that fit and where the next one starts (None: there is none)."""

    def retrieve(
        self, collection: CollectionName, point_ids: Sequence[str], fields: Sequence[str] | None, with_vectors: bool
    ) -> list[Row]:
        """The points with these ids, in any order."""

    def count(self, collection: CollectionName, where: Filter | None) -> int:
        """The exact number of points that fit."""

    def holds_exactly(self, collection: CollectionName, point_ids: set[str]) -> bool:
        """True if the collection's points are these."""

    def tally(
        self, collection: CollectionName, key: str, values: Sequence[str] | None, where: Filter | None
    ) -> dict[str, int]:
        """How many of the points that fit have each of the values in an indexed field. Values of none are absent.

        None: each value there is.
        """

    def delete(self, collection: CollectionName, where: Filter) -> None:
        """Delete the points that fit."""

    def write(self, collection: CollectionName, rows: Sequence[Row]) -> None:
        """Insert or replace points."""

    def close(self) -> None:
        """Flush and let go. Safe to repeat."""


def payload_of(fields: Sequence[str] | None) -> bool | list[str]:
    """Which payload to ask an engine for: these fields, or all of it."""
    return True if fields is None else list(fields)
