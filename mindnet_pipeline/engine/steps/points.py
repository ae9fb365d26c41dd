"""Step 5: tables → points of the collections. Old points of a note go before its new ones come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.lexical import lexical_text
from mindnet_pipeline.core.model import Chunk, Edge, Note
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.progress import report
from mindnet_pipeline.engine.report import StepReport
from mindnet_pipeline.engine.run_set import RunSet
from mindnet_pipeline.storage import changesets
from mindnet_pipeline.storage.payloads import chunk_payload, edge_payload, note_payload
from mindnet_pipeline.storage.rows import chunks_from, edges_from, notes_from, vectors_from
from mindnet_pipeline.storage.vectors.protocol import COLLECTIONS, CollectionName, Point

_NOTES_AT_ONCE = 1000

Vector = npt.NDArray[np.float32]
_Row = TypeVar("_Row", Chunk, Edge)


def write_points(pipeline: Pipeline, run_set: RunSet) -> StepReport:
    """Replace the points of the run set's and the relinked notes, delete those of removed notes.

    Writes the generation that fits the embedding model, beside the current one if the model changed; notes that are
    gone leave every generation.
    """
    relinked = relinked_of(pipeline, run_set)
    ids = [*run_set.note_ids, *relinked]
    counts: dict[str, int] = dict.fromkeys(COLLECTIONS, 0)
    per_note: dict[str, dict[str, int]] = {}
    wait_s = pipeline.settings.store.wait_seconds
    for facts in pipeline.store.generations():
        if facts != pipeline.facts and run_set.removed:
            with pipeline.store.writer(facts, wait_s) as writer:
                writer.delete_notes(run_set.removed)
    with pipeline.store.writer(pipeline.facts, wait_s) as writer:
        writer.delete_notes([*ids, *run_set.removed])
        for start in range(0, len(ids), _NOTES_AT_ONCE):
            report("qdrant_collections", start, len(ids))
            for collection, points in _points(pipeline, ids[start : start + _NOTES_AT_ONCE]).items():
                counts[collection] += writer.upsert(collection, points)
                _count(per_note, collection, points)
    report("qdrant_collections", len(ids), len(ids))
    return StepReport(per_note, {"points": sum(counts.values())})


def relinked_of(pipeline: Pipeline, run_set: RunSet) -> list[str]:
    """The notes that the edge step relinked, from the journal."""
    return sorted(set(changesets.read_pending(pipeline.settings.data).relinked) - set(run_set.all_ids))


def _points(pipeline: Pipeline, note_ids: Sequence[str]) -> Mapping[CollectionName, list[Point]]:
    """All points of these notes, from the tables alone."""
    read = pipeline.tables.read
    notes_table = read("notes", note_ids)
    times = [_iso_time(mtime_ns) for mtime_ns in notes_table["mtime_ns"].to_pylist()]
    chunks = _by_note(chunks_from(read("chunks", note_ids)), lambda chunk: chunk.note_id)
    edges = _by_note(edges_from(read("edges", note_ids)), lambda edge: edge.note_id)
    vectors = _vectors(pipeline, note_ids)
    points: dict[CollectionName, list[Point]] = {"notes": [], "chunks": [], "edges": []}
    for note, mtime in zip(notes_from(notes_table), times, strict=True):
        own_chunks, own_edges = chunks[note.note_id], edges[note.note_id]
        points["notes"].append(_note_point(note, mtime, own_chunks, own_edges, vectors))
        points["chunks"].extend(_chunk_points(pipeline, note, own_chunks, own_edges, vectors))
        points["edges"].extend(Point(edge.edge_id, edge_payload(edge)) for edge in own_edges)
    return points


def _note_point(
    note: Note, mtime: str, chunks: Sequence[Chunk], edges: Sequence[Edge], vectors: Mapping[str, Vector]
) -> Point:
    own = [vectors[chunk.chunk_id] for chunk in chunks if chunk.chunk_id in vectors]
    payload = note_payload(
        note,
        references=sorted({edge.target_id for edge in edges if _is_written_reference(edge)}),
        chunk_count=len(chunks),
        token_count=sum(chunk.token_count for chunk in chunks),
        mtime=mtime,
    )
    return Point(note.note_id, payload, dense=_mean(own) if own else None)


def _chunk_points(
    pipeline: Pipeline, note: Note, chunks: Sequence[Chunk], edges: Sequence[Edge], vectors: Mapping[str, Vector]
) -> Iterator[Point]:
    references: dict[str, list[dict[str, str]]] = defaultdict(list)
    for edge in edges:
        if _is_written_reference(edge):
            references[edge.source_id].append({"kind": edge.kind, "target_id": edge.target_id})
    ids = [None, *(chunk.chunk_id for chunk in chunks), None]
    for chunk, (previous_id, _), (_, next_id) in zip(chunks, pairwise(ids), pairwise(ids[1:]), strict=False):
        payload = chunk_payload(chunk, references=references[chunk.chunk_id], previous_id=previous_id, next_id=next_id)
        sparse = pipeline.bm25.document(lexical_text(chunk, note.aliases), chunk.lang)
        yield Point(chunk.chunk_id, payload, dense=vectors.get(chunk.chunk_id), sparse=sparse)


def _is_written_reference(edge: Edge) -> bool:
    return edge.provenance == "explicit" and edge.status == "ok" and edge.kind != "backlink"


def _vectors(pipeline: Pipeline, note_ids: Sequence[str]) -> dict[str, Vector]:
    table = pipeline.tables.read("embeddings", note_ids, ("chunk_id", "vector"))
    return dict(zip(table["chunk_id"].to_pylist(), vectors_from(table), strict=True))


def _iso_time(mtime_ns: int) -> str:
    return datetime.fromtimestamp(mtime_ns // 1_000_000_000, UTC).isoformat()


def _mean(vectors: Sequence[Vector]) -> Vector:
    mean = np.mean(np.stack(vectors), axis=0, dtype=np.float64)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else vectors[0], dtype=np.float32)


def _by_note(rows: Iterable[_Row], note_id_of: Callable[[_Row], str]) -> defaultdict[str, list[_Row]]:
    grouped: defaultdict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        grouped[note_id_of(row)].append(row)
    return grouped


def _count(per_note: dict[str, dict[str, int]], collection: CollectionName, points: Iterable[Point]) -> None:
    for point in points:
        note_id = point.payload["note_id"]
        figures = per_note.setdefault(note_id, dict.fromkeys(COLLECTIONS, 0))
        figures[collection] += 1
