"""A Qdrant server or cluster: one generation's three collections as a `Backend`.

Sharding and replication are left to the server's defaults. Every failure is a `StoreError` of one line that names the
server.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException

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
from mindnet_pipeline.storage.vectors.protocol import CollectionName, SparseVector

_PAGE = 2_000


@contextmanager
def talking_to(url: str) -> Iterator[None]:
    """Turn every failure of the server or the way to it into a `StoreError`."""
    try:
        yield
    except (ApiException, httpx.HTTPError, ConnectionError, TimeoutError) as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise StoreError(f"Qdrant server {url}: {reason}. Is it running, and is the key right?") from error


def create_collection(
    client: QdrantClient, name: str, collection: CollectionName, dimension: int, facts: Mapping[str, Any]
) -> None:
    """Make an empty collection with its payload indexes; the facts stand in its metadata."""
    dense = {DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)}
    sparse = {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)}
    client.create_collection(
        name,
        vectors_config=dense if dimension and collection != "edges" else {},
        sparse_vectors_config=sparse if collection == "chunks" else None,
        metadata=dict(facts),
    )
    for field in KEYWORD_INDEXES[collection]:
        prefix = True if field in PREFIX_INDEXES else None
        _index(client, name, field, models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, prefix=prefix))
    for field in INTEGER_INDEXES[collection]:
        _index(client, name, field, models.PayloadSchemaType.INTEGER)


def _index(client: QdrantClient, name: str, field: str, schema: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Payload indexes have no effect", UserWarning)  # in the client's local mode
        client.create_payload_index(name, field, field_schema=schema, wait=True)


class ServerBackend:
    """`Backend` over collections named `<names[collection]>`."""

    def __init__(self, client: QdrantClient, url: str, names: Mapping[CollectionName, str]) -> None:
        self._client = client
        self._url = url
        self._names = names

    def search(self, queries: Sequence[Query], fields: Sequence[str] | None) -> list[list[Row]]:
        """The best chunks for each query's vector, in one request."""
        with talking_to(self._url):
            answers = self._client.query_batch_points(
                self._names["chunks"], requests=[_request(query, fields) for query in queries]
            )
        return [
            [Row(str(point.id), point.payload or {}, score=point.score) for point in answer.points]
            for answer in answers
        ]

    def page(
        self, collection: CollectionName, where: Filter | None, fields: Sequence[str] | None, offset: str | None
    ) -> tuple[list[Row], str | None]:
        """One page of the points that fit and where the next one starts."""
        with talking_to(self._url):
            records, following = self._client.scroll(
                self._names[collection],
                scroll_filter=_filter(where),
                limit=_PAGE,
                offset=offset,
                with_payload=payload_of(fields),
                with_vectors=False,
            )
        rows = [Row(str(record.id), record.payload or {}) for record in records]
        return rows, None if following is None else str(following)

    def retrieve(
        self, collection: CollectionName, point_ids: Sequence[str], fields: Sequence[str] | None, with_vectors: bool
    ) -> list[Row]:
        """The points with these ids."""
        with talking_to(self._url):
            records = self._client.retrieve(
                self._names[collection], list(point_ids), with_payload=payload_of(fields), with_vectors=with_vectors
            )
        return [Row(str(record.id), record.payload or {}, *written_vectors(record.vector)) for record in records]

    def count(self, collection: CollectionName, where: Filter | None) -> int:
        """The exact number of points that fit."""
        with talking_to(self._url):
            return self._client.count(self._names[collection], count_filter=_filter(where), exact=True).count

    def holds_exactly(self, collection: CollectionName, point_ids: set[str]) -> bool:
        """True if the collection's points are these; the server is asked for its ids, page by page."""
        there, following = 0, None
        while True:
            with talking_to(self._url):
                records, following = self._client.scroll(
                    self._names[collection], limit=_PAGE, offset=following, with_payload=False, with_vectors=False
                )
            if not point_ids.issuperset(str(record.id) for record in records):
                return False
            there += len(records)
            if following is None:
                return there == len(point_ids)

    def tally(
        self, collection: CollectionName, key: str, values: Sequence[str] | None, where: Filter | None
    ) -> dict[str, int]:
        """How many of the points that fit have each of the values, or each value there is, in one request."""
        inside = _filter(where if values is None else with_clause(where, key, values))
        most = EVERY_VALUE if values is None else len(values)
        with talking_to(self._url):
            found = self._client.facet(self._names[collection], key=key, facet_filter=inside, limit=most, exact=True)
        return {str(hit.value): hit.count for hit in found.hits}

    def delete(self, collection: CollectionName, where: Filter) -> None:
        """Delete the points that fit."""
        selector = models.FilterSelector(filter=_filter(where) or models.Filter())
        with talking_to(self._url):
            self._client.delete(self._names[collection], points_selector=selector, wait=True)

    def write(self, collection: CollectionName, rows: Sequence[Row]) -> None:
        """Insert or replace points; they are searchable when this returns."""
        points = [models.PointStruct(id=row.point_id, vector=_vectors(row), payload=row.payload) for row in rows]
        with talking_to(self._url):
            self._client.upsert(self._names[collection], points=points, wait=True)

    def close(self) -> None:
        """Nothing to let go of: the connection belongs to the store."""


def _request(query: Query, fields: Sequence[str] | None) -> models.QueryRequest:
    is_sparse = isinstance(query.vector, SparseVector)
    return models.QueryRequest(
        query=_sparse(query.vector) if isinstance(query.vector, SparseVector) else query.vector,
        using=SPARSE if is_sparse else DENSE,
        filter=_filter(query.where),
        limit=query.limit,
        with_payload=payload_of(fields),
    )


def _sparse(vector: SparseVector) -> models.SparseVector:
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def _vectors(row: Row) -> dict[str, Any]:
    vectors: dict[str, Any] = {} if row.dense is None else {DENSE: row.dense}
    if row.sparse:
        vectors[SPARSE] = _sparse(row.sparse)
    return vectors


def _filter(where: Filter | None) -> models.Filter | None:
    return None if where is None else models.Filter.model_validate(where)
