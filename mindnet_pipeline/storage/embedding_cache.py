"""Every vector that was ever made, by the hash of its text: a text that was embedded once is never embedded again.

One folder per embedding model below `<data>/cache/embeddings/`, append-only Parquet segments in it. A segment is whole or
not there, so a killed process loses at most the batch it had not handed over. Vectors of different models never mix.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from upath import UPath

from mindnet_pipeline.core.ids import sha256
from mindnet_pipeline.storage.files import data_path, remove, write_atomically

_SMALL_ROWS = 20_000
_SMALL_SEGMENTS = 32

Vector = npt.NDArray[np.float32]


class EmbeddingCache:
    """The vectors of one model. Any number of processes may read; one at a time writes (storage/locks.py)."""

    def __init__(self, data: str, model_key: str) -> None:
        """`data` is the data folder; `model_key` says what made the vectors (Embedder.model_key)."""
        self._folder = data_path(data, "cache", "embeddings", sha256(model_key)[:16])

    def get(self, hashes: Collection[str]) -> dict[str, Vector]:
        """The vectors that are known, by hash. Only rows that are asked for are turned into arrays."""
        found: dict[str, Vector] = {}
        wanted = pa.array(sorted(set(hashes)), pa.string())
        for segment in self._segments() if len(wanted) else ():
            with contextlib.suppress(FileNotFoundError):  # merged meanwhile: the merged segment has them
                found.update(_lookup(segment, wanted))
        return found

    def put(self, hashes: Sequence[str], vectors: Vector) -> None:
        """Add vectors, shape (len(hashes), dimension), in one step."""
        if not len(hashes):
            return
        rows = pa.table({"hash": pa.array(hashes, pa.string()), "vector": _column(vectors)})
        name = sha256("\n".join(hashes))[:32]
        write_atomically(self._folder / f"{len(hashes):06d}-{name}.parquet", _parquet(rows))
        self._merge_small_segments()

    def _segments(self) -> list[UPath]:
        if not self._folder.exists():
            return []
        return sorted(file for file in self._folder.iterdir() if file.suffix == ".parquet")

    def _merge_small_segments(self) -> None:
        """Many small files become one; the new one is whole before the old ones go."""
        small = [segment for segment in self._segments() if int(segment.name.partition("-")[0]) < _SMALL_ROWS]
        if len(small) < _SMALL_SEGMENTS:
            return
        rows = pa.concat_tables([_read(segment) for segment in small])
        name = sha256("\n".join(segment.name for segment in small))[:32]
        write_atomically(self._folder / f"{rows.num_rows:06d}-{name}.parquet", _parquet(rows))
        for segment in small:
            remove(segment)


def _lookup(segment: UPath, wanted: pa.Array) -> dict[str, Vector]:
    rows = _read(segment)
    rows = rows.filter(pc.is_in(rows["hash"], wanted))
    if not rows.num_rows:
        return {}
    flat = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return dict(zip(rows["hash"].to_pylist(), flat.reshape(rows.num_rows, -1), strict=True))


def _read(segment: UPath) -> pa.Table:
    with segment.open("rb") as file:
        return pq.read_table(file)


def _column(vectors: Vector) -> pa.Array:
    flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).reshape(-1), pa.float32())
    return pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])


def _parquet(rows: pa.Table) -> bytes:
    buffer = pa.BufferOutputStream()
    pq.write_table(rows, buffer, compression="none")
    return bytes(buffer.getvalue())
