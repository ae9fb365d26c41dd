"""Points as stores take them: short to write, any field can be given."""

from __future__ import annotations

import numpy as np

from mindnet_pipeline.storage.vectors.protocol import Condition, Point, SparseVector, StoreFacts, VectorStore, Where

FACTS = StoreFacts("model-a", 4)
OTHER = StoreFacts("model-b", 3)


def chunk(
    note: str, index: int = 1, dense: list[float] | None = None, sparse: dict[int, float] | None = None, **payload
):
    vector = np.array(dense if dense is not None else [1, 0, 0, 0], dtype=np.float32)
    words = SparseVector(tuple(sparse), tuple(sparse.values())) if sparse else None
    return Point(f"{note}#c{index:02d}", {"note_id": note, "chunk_index": index, **payload}, vector, words)


def note(note_id: str, dense: list[float] | None = None, **payload) -> Point:
    vector = None if dense is None else np.array(dense, dtype=np.float32)
    return Point(note_id, {"note_id": note_id, **payload}, vector)


def edge(edge_id: str, owner: str, **payload) -> Point:
    return Point(edge_id, {"note_id": owner, **payload})


def ids(found) -> list[str]:
    return [each.logical_id for each in found]


def matching(store: VectorStore, *must: Condition, must_not: tuple[Condition, ...] = ()) -> list[str]:
    with store.reader() as reader:
        return ids(reader.lookup("chunks", Where(must, must_not)))
