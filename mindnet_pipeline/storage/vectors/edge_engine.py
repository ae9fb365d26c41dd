"""The Qdrant engine in this process: one generation's three shards as a `Backend`.

The engine lets one process at a time hold a shard. The shard of the chunks is always opened first and closed last, so
whoever
holds it holds the generation, and the operating system lets go of it when the process dies.

The Python binding of the engine cannot ask for booleans (it reads `True` as 1), so each point carries `_flags`, a list
such as
`["hard_split=false"]`, which is looked at instead and never given out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.storage.vectors.backend import (
    DENSE,
    EVERY_VALUE,
    INTEGER_INDEXES,
    KEYWORD_INDEXES,
    PREFIX_INDEXES,
    SPARSE,
    Filter,
    Query,
    Row,
    payload_of,
    written_vectors,
)
from mindnet_pipeline.storage.vectors.conditions import with_clause
from mindnet_pipeline.storage.vectors.payloads import flag, flags
from mindnet_pipeline.storage.vectors.protocol import COLLECTIONS, CollectionName, SparseVector

_FLAGS = "_flags"
_PAGE = 10_000
_OPENING_ORDER: tuple[CollectionName, ...] = ("chunks", "edges", "notes")
_EXACT_UP_TO_KB = 100_000
"""Below so many KB of vectors (65,000 of 384 numbers) a search looks at every vector: exact, and a few milliseconds."""
_TIDIED_FROM = 0.5
"""From which share of deleted points a segment is written anew without them; see docs/decisions/sync.md."""


class ShardBusyError(Exception):
    """Another process (or another handle of this one) holds the shard."""


def create_shards(folder: Path, dimension: int) -> None:
    """Make the three empty shards, with their payload indexes, in a folder that is not there yet."""
    for collection in COLLECTIONS:
        path = folder / collection
        path.mkdir(parents=True)
        shard = edge.EdgeShard.create(str(path), _config(collection, dimension))
        for name in KEYWORD_INDEXES[collection]:
            index = edge.KeywordIndexParams(prefix=name in PREFIX_INDEXES)
            shard.update(edge.UpdateOperation.create_field_index(name, index))
        for name in INTEGER_INDEXES[collection]:
            shard.update(edge.UpdateOperation.create_field_index(name, edge.PayloadSchemaType.Integer))
        index = edge.KeywordIndexParams()
        shard.update(edge.UpdateOperation.create_field_index(_FLAGS, index))
        shard.flush()
        shard.close()


def _config(collection: CollectionName, dimension: int) -> edge.EdgeConfig:
    dense = {DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine)}
    # A shard needs at least one vector's name, even if no point has a vector.
    sparse = {SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)}
    return edge.EdgeConfig(
        vectors=dense if dimension and collection != "edges" else None,
        sparse_vectors=sparse if collection == "chunks" or not dimension or collection == "edges" else None,
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=_EXACT_UP_TO_KB, deleted_threshold=_TIDIED_FROM),
    )


class EdgeBackend:
    """`Backend` over the shards in a generation's folder; shards other than the chunks are opened when first used."""

    def __init__(self, folder: Path, *, on_close: Callable[[], None]) -> None:
        """Open the shard of the chunks, and with it hold the generation.

        Raises:
            ShardBusyError: another process holds it.
            FileNotFoundError: the folder is gone (a newer generation took its place).
        """
        self._folder = folder
        self._on_close = on_close
        self._shards: dict[CollectionName, edge.EdgeShard] = {"chunks": _load(folder / "chunks")}
        self._written: set[CollectionName] = set()
        self._open = True
        self.is_kept = False

    def search(self, queries: Sequence[Query], fields: Sequence[str] | None) -> list[list[Row]]:
        """The best chunks for each query's vector; one by one is quicker here than the engine's batches."""
        return [self._nearest(query, fields) for query in queries]

    def _nearest(self, query: Query, fields: Sequence[str] | None) -> list[Row]:
        request = edge.QueryRequest(
            query=_nearest_to(query.vector),
            limit=query.limit,
            filter=_filter(query.where),
            with_payload=payload_of(fields),
        )
        points = self._shard("chunks").query(request)
        return [Row("", _visible(point.payload), score=point.score) for point in points]  # an id takes 15 µs to read

    def page(
        self, collection: CollectionName, where: Filter | None, fields: Sequence[str] | None, offset: str | None
    ) -> tuple[list[Row], str | None]:
        """One page of the points that fit and where the next one starts."""
        request = edge.ScrollRequest(
            offset=offset, limit=_PAGE, filter=_filter(where), with_payload=payload_of(fields), with_vector=False
        )
        records, following = self._shard(collection).scroll(request)
        rows = [Row("", _visible(record.payload)) for record in records]
        return rows, None if following is None else str(following)

    def retrieve(
        self, collection: CollectionName, point_ids: Sequence[str], fields: Sequence[str] | None, with_vectors: bool
    ) -> list[Row]:
        """The points with these ids."""
        records = self._shard(collection).retrieve(list(point_ids), payload_of(fields), with_vectors)
        return [Row(str(record.id), _visible(record.payload), *written_vectors(record.vector)) for record in records]

    def count(self, collection: CollectionName, where: Filter | None) -> int:
        """The exact number of points that fit."""
        return self._shard(collection).count(edge.CountRequest(exact=True, filter=_filter(where)))

    def holds_exactly(self, collection: CollectionName, point_ids: set[str]) -> bool:
        """True if the collection's points are these: as many, and each of these is there."""
        shard = self._shard(collection)
        if shard.count(edge.CountRequest(exact=True)) != len(point_ids):
            return False
        these = edge.Filter(must=[edge.HasIdCondition({*point_ids})])
        return shard.count(edge.CountRequest(exact=True, filter=these)) == len(point_ids)

    def tally(
        self, collection: CollectionName, key: str, values: Sequence[str] | None, where: Filter | None
    ) -> dict[str, int]:
        """How many of the points that fit have each value; of given ones a count each, half the time of one facet."""
        if values is None:
            request = edge.FacetRequest(key, limit=EVERY_VALUE, exact=True, filter=_filter(where))
            return {str(hit.value): hit.count for hit in self._shard(collection).facet(request).hits}
        counts = {value: self.count(collection, with_clause(where, key, [value])) for value in values}
        return {value: count for value, count in counts.items() if count}

    def delete(self, collection: CollectionName, where: Filter) -> None:
        """Delete the points that fit."""
        self._written.add(collection)
        filter_ = _filter(where) or edge.Filter()
        self._shard(collection).update(edge.UpdateOperation.delete_points_by_filter(filter_))

    def write(self, collection: CollectionName, rows: Sequence[Row]) -> None:
        """Insert or replace points; they are in the write-ahead log when this returns."""
        self._written.add(collection)
        points = [edge.Point(row.point_id, _vectors(row), _with_flags(row.payload)) for row in rows]
        self._shard(collection).update(edge.UpdateOperation.upsert_points(points))

    def close(self) -> None:
        """Flush and tidy (where much was deleted) what was written to, then let go, the chunks last.

        One that `is_kept` stays open.
        """
        if not self._open:
            return
        self._open = self.is_kept
        try:
            while self._written:
                shard = self._shards[self._written.pop()]
                shard.flush()
                shard.optimize()
        finally:
            if not self.is_kept:
                self._let_go()

    def _let_go(self) -> None:
        self._on_close()
        for collection in reversed(_OPENING_ORDER):
            if collection in self._shards:
                self._shards.pop(collection).close()

    def _shard(self, collection: CollectionName) -> edge.EdgeShard:
        if not self._open:
            raise StoreError("The store is closed.")
        if collection not in self._shards:
            self._shards[collection] = _load(self._folder / collection)
        return self._shards[collection]


def _load(path: Path) -> edge.EdgeShard:
    if not path.is_dir():
        raise FileNotFoundError(path)
    try:
        return edge.EdgeShard.load(str(path))
    except Exception as error:  # the engine has no error classes of its own
        if "WouldBlock" in str(error):
            raise ShardBusyError(str(path)) from error
        raise StoreError(f"{path}: cannot be opened ({error}). Delete the folder and sync to make it anew.") from error


def _nearest_to(vector: list[float] | SparseVector) -> Any:
    if isinstance(vector, SparseVector):
        return edge.Query.Nearest(edge.SparseVector(list(vector.indices), list(vector.values)), using=SPARSE)
    return edge.Query.Nearest(vector, using=DENSE)


def _visible(payload: dict[str, Any] | None) -> dict[str, Any]:
    visible = payload or {}
    visible.pop(_FLAGS, None)
    return visible


def _with_flags(payload: dict[str, Any]) -> dict[str, Any]:
    found = list(flags(payload))
    return {**payload, _FLAGS: found} if found else payload


def _vectors(row: Row) -> dict[str, Any]:
    vectors: dict[str, Any] = {} if row.dense is None else {DENSE: row.dense}
    if row.sparse:
        vectors[SPARSE] = edge.SparseVector(list(row.sparse.indices), list(row.sparse.values))
    return vectors


def _filter(where: Filter | None) -> edge.Filter | None:
    if where is None:
        return None
    parts: dict[str, Any] = {part: [_condition(clause) for clause in clauses] for part, clauses in where.items()}
    return edge.Filter(**parts)


def _condition(clause: Mapping[str, Any]) -> Any:
    if "key" not in clause:
        return edge.HasIdCondition(set(clause["has_id"])) if "has_id" in clause else _filter(clause)
    key = clause["key"]
    if "match" in clause:
        ((form, value),) = clause["match"].items()
        if form == "value":
            return edge.FieldCondition(_FLAGS, match=edge.MatchAny([flag(key.replace('"', ""), value)]))
        match = edge.MatchPrefix(value) if form == "prefix" else edge.MatchAny(value)
        return edge.FieldCondition(key, match=match)
    bounds = clause["range"]
    dates = any(isinstance(bound, str) for bound in bounds.values())
    return edge.FieldCondition(key, range=(edge.RangeDateTime if dates else edge.RangeFloat)(**bounds))
