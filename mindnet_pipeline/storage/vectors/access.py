"""What reading and writing a generation means, once for all backends: checks, order, paging, batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.errors import QueryError, StoreError
from mindnet_pipeline.core.ids import point_id
from mindnet_pipeline.storage.vectors.backend import LOGICAL_ID, Backend, Query, Row
from mindnet_pipeline.storage.vectors.conditions import rest_filter
from mindnet_pipeline.storage.vectors.payloads import plain
from mindnet_pipeline.storage.vectors.protocol import (
    COLLECTIONS,
    CollectionName,
    Condition,
    Found,
    Point,
    Search,
    SparseVector,
    StoreFacts,
    Where,
)

_POINTS_PER_WRITE = 512
_IDS_PER_REQUEST = 1000
_Item = TypeVar("_Item")


class _Access:
    """A generation in a backend, closed once."""

    def __init__(self, backend: Backend, facts: StoreFacts) -> None:
        self.facts = facts
        self._backend = backend

    def close(self) -> None:
        """Flush and let go. Safe to repeat."""
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _pages(
        self, collection: CollectionName, where: Where | None, fields: Sequence[str] | None
    ) -> Iterator[list[Row]]:
        offset: str | None = None
        while True:
            rows, offset = self._backend.page(collection, rest_filter(where, LOGICAL_ID[collection]), fields, offset)
            yield rows
            if offset is None:
                return


class Reader(_Access):
    """`StoreReader` over any backend."""

    def search(self, searches: Sequence[Search], fields: Sequence[str] | None = None) -> list[list[Found]]:
        """What each search finds, best first; nothing without words, or by meaning without dense vectors.

        Raises:
            QueryError: a vector is zero or not finite, or its length is not the generation's dimension.
        """
        found: list[list[Found]] = [[] for _ in searches]
        queries = {number: query for number, each in enumerate(searches) if (query := self._query(each))}
        if queries:
            answers = self._backend.search(list(queries.values()), _asked("chunks", fields))
            for number, rows in zip(queries, answers, strict=True):
                found[number] = _ranked(rows)
        return found

    def _query(self, search: Search) -> Query | None:
        """The search as the engine takes it; None if it can find nothing."""
        if search.limit < 1:
            return None
        where = rest_filter(search.where, LOGICAL_ID["chunks"])
        if isinstance(search.vector, SparseVector):
            return Query(search.vector, search.limit, where) if search.vector.indices else None
        if not self.facts.dimension:
            return None
        if wrong := _fault(search.vector, self.facts.dimension):
            raise QueryError(
                f"The question's vector {wrong}. Ask with words that the model {self.facts.model_key} knows."
            )
        return Query(search.vector.tolist(), search.limit, where)

    def lookup(
        self, collection: CollectionName, where: Where, limit: int | None = None, fields: Sequence[str] | None = None
    ) -> list[Found]:
        """All points that fit, ordered by logical id; `fields` limits the payload."""
        found = [_found(collection, row, fields) for row in self._rows(collection, where, fields)]
        return sorted(found, key=lambda each: each.logical_id)[:limit]

    def get(
        self,
        collection: CollectionName,
        logical_ids: Sequence[str],
        with_vectors: bool = False,
        fields: Sequence[str] | None = None,
    ) -> list[Found]:
        """The points with these ids, in the order asked; vectors come in the payload: `_dense`, `_sparse`."""
        wanted = {logical_id: point_id(logical_id) for logical_id in logical_ids}
        rows: dict[str, Row] = {}
        for ids in _batches(list(wanted.values()), _IDS_PER_REQUEST):
            found_rows = self._backend.retrieve(collection, ids, _asked(collection, fields), with_vectors)
            rows.update((row.point_id, row) for row in found_rows)
        found = []
        for logical_id, uuid in wanted.items():
            if row := rows.get(uuid):
                vectors = {"_dense": row.dense, "_sparse": row.sparse}
                there = {name: vector for name, vector in vectors.items() if vector is not None}
                found.append(Found(logical_id, {**row.payload, **there}))
        return found

    def count(self, collection: CollectionName, where: Where | None = None) -> int:
        """The exact number of points that fit."""
        return self._backend.count(collection, rest_filter(where, LOGICAL_ID[collection]))

    def tally(
        self, collection: CollectionName, key: str, values: Sequence[str] | None = None, where: Where | None = None
    ) -> dict[str, int]:
        """How many points that fit have each of the values, or each value there is; values of none are absent."""
        wanted = None if values is None else sorted(set(values))
        if wanted == []:
            return {}
        return self._backend.tally(collection, key, wanted, rest_filter(where, LOGICAL_ID[collection]))

    def scan(self, collection: CollectionName, fields: Sequence[str] | None = None) -> Iterator[Found]:
        """Every point of a collection, in pages."""
        for row in self._rows(collection, None, fields):
            yield _found(collection, row, fields)

    def _rows(self, collection: CollectionName, where: Where | None, fields: Sequence[str] | None) -> Iterator[Row]:
        for rows in self._pages(collection, where, _asked(collection, fields)):
            yield from rows


class Writer(_Access):
    """`StoreWriter` over any backend."""

    def delete_notes(self, note_ids: Sequence[str]) -> None:
        """Delete all points of these notes from the three collections."""
        for ids in _batches(list(note_ids), _IDS_PER_REQUEST):
            where = rest_filter(Where(must=(Condition("note_id", any_of=tuple(ids)),)))
            for collection in COLLECTIONS:
                self._backend.delete(collection, where or {})

    def upsert(self, collection: CollectionName, points: Sequence[Point]) -> int:
        """Write the points in batches.

        Raises:
            StoreError: a vector is zero, not finite or of another length than the generation's; nothing is written
            then.
        """
        rows = [self._row(collection, point) for point in points]
        for batch in _batches(rows, _POINTS_PER_WRITE):
            self._backend.write(collection, batch)
        return len(rows)

    def holds_exactly(self, collection: CollectionName, logical_ids: Sequence[str]) -> bool:
        """True if there is one point for each of these ids, and no other; no payload is read."""
        point_ids = set(map(point_id, logical_ids))
        return len(point_ids) == len(logical_ids) and self._backend.holds_exactly(collection, point_ids)

    def counts_by_note(self, collection: CollectionName) -> dict[str, int]:
        """How many points each note has, by note id."""
        return self._backend.tally(collection, "note_id", None, None)

    def logical_ids(self, collection: CollectionName) -> set[str]:
        """The logical ids of all points there are."""
        key = LOGICAL_ID[collection]
        return {row.payload[key] for rows in self._pages(collection, None, [key]) for row in rows}

    def _row(self, collection: CollectionName, point: Point) -> Row:
        payload = plain({**point.payload, LOGICAL_ID[collection]: point.logical_id})
        if point.dense is None or collection == "edges" or not self.facts.dimension:
            dense = None
        elif wrong := _fault(point.dense, self.facts.dimension):
            raise StoreError(f"{collection}: the vector of `{point.logical_id}` {wrong}. Embed its text again.")
        else:
            dense = point.dense.tolist()
        sparse = point.sparse if collection == "chunks" and point.sparse and point.sparse.indices else None
        return Row(point_id(point.logical_id), payload, dense, sparse)


def _fault(vector: npt.NDArray[np.float32], dimension: int) -> str:
    """What keeps a vector out of the store, as the rest of a sentence; empty if nothing does."""
    if vector.shape != (dimension,):
        return f"has the shape {vector.shape}, the store's vectors have ({dimension},)"
    if not np.isfinite(vector).all():
        return "holds numbers that are not finite"
    return "" if vector.any() else "is zero"


def _ranked(rows: list[Row]) -> list[Found]:
    key = LOGICAL_ID["chunks"]
    found = [Found(row.payload[key], row.payload, row.score) for row in rows]
    return sorted(found, key=lambda each: (-each.score, each.logical_id))


def _asked(collection: CollectionName, fields: Sequence[str] | None) -> Sequence[str] | None:
    """The fields to fetch: those asked for, and the logical id."""
    return None if fields is None else sorted({*fields, LOGICAL_ID[collection]})


def _found(collection: CollectionName, row: Row, fields: Sequence[str] | None) -> Found:
    key = LOGICAL_ID[collection]
    logical_id: str = row.payload[key]
    payload: dict[str, Any] = row.payload
    if fields is not None and key not in fields:
        payload = {name: value for name, value in payload.items() if name != key}
    return Found(logical_id, payload)


def _batches(items: list[_Item], size: int) -> Iterator[list[_Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
