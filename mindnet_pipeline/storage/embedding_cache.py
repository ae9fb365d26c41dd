"""Every vector that was ever made, by the hash of its text: a text that was embedded once is never embedded again.

One folder per embedding model below `<data>/cache/embeddings/`, append-only Parquet segments in it. A segment is whole
or not there, so a killed process loses at most the batch that it had not handed over. One that a disk has damaged
(its pages have checksums) is set aside: what was in it is embedded again. Vectors of different models never mix.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mindnet_pipeline.core.ids import sha256
from mindnet_pipeline.storage.files import data_path, remove, remove_leftovers, write_atomically

_SMALL_ROWS = 20_000
_SMALL_SEGMENTS = 32
"""So many small segments are merged into one: each put makes one, and each look-up opens all."""
_ROW_GROUP = 2_000
"""The least that is read for one vector."""
_ABANDONED_S = 3600.0
_DAMAGED = ".damaged"
_Read = TypeVar("_Read")

Vector = npt.NDArray[np.float32]


class EmbeddingCache:
    """The vectors of one model. Any number of processes may read and put at the same time."""

    def __init__(self, data: str, model_key: str) -> None:
        """`data` is the data folder; `model_key` says what made the vectors (Embedder.model_key)."""
        self._model_key = model_key
        self._folder = data_path(data, "cache", "embeddings", sha256(model_key)[:16])
        self._hashes: dict[str, pa.Array] = {}

    def get(self, hashes: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are known, by hash. Only the row groups that hold them are read."""
        wanted = pa.array(list(dict.fromkeys(hashes)), pa.string())
        found: dict[str, Vector] = {}
        if not len(wanted):
            return found
        for name in self._segments():
            try:
                found.update(self._unless_damaged(name, lambda name: self._lookup(name, wanted)) or {})
            except FileNotFoundError:  # another process has just merged it into a segment that is not on our list
                return self.get(hashes)
        return found

    def put(self, hashes: Sequence[str], vectors: npt.NDArray[np.float32]) -> None:
        """Store vectors, shape (n, dimension), durably before it returns.

        Raises:
            ValueError: the numbers differ or a vector is not finite.
        """
        if len(hashes) != len(vectors):
            raise ValueError(f"{len(hashes)} hashes for {len(vectors)} vectors")
        if not np.isfinite(vectors).all():
            raise ValueError(f"{self._model_key} made a vector that is not finite; it is not stored")
        if hashes:
            self._write(pa.array(hashes, pa.string()), np.ascontiguousarray(vectors, dtype=np.float32))
            self._merge_small_segments()

    def _segments(self) -> list[str]:
        if not self._folder.is_dir():
            return []
        return sorted(file.name for file in self._folder.iterdir() if file.suffix == ".parquet")

    def _unless_damaged(self, name: str, read: Callable[[str], _Read]) -> _Read | None:
        """What is read of a segment; None if the file is damaged, which is then set aside.

        Raises:
            OSError: the disk cannot be read just now, or the segment is not there any more.
        """
        try:
            return read(name)
        except FileNotFoundError:
            raise
        except (pa.ArrowInvalid, OSError) as error:
            file = self._folder / name
            if _is_sound(file.read_bytes()):
                raise
            file.rename(file.with_name(name + _DAMAGED))
            logging.getLogger(__name__).warning(
                "%s is damaged (%s). It is set aside; texts in it are embedded again.", file, error
            )
            return None

    def _lookup(self, name: str, wanted: pa.Array) -> dict[str, Vector]:
        hashes = self._hash_column(name)
        rows = np.flatnonzero(pc.is_in(hashes, wanted).to_numpy(zero_copy_only=False))
        if not len(rows):
            return {}
        groups = np.unique(rows // _ROW_GROUP)
        with (self._folder / name).open("rb") as file:
            vectors = _matrix(_opened(file).read_row_groups(groups.tolist(), ["vector"]))
        places = np.searchsorted(groups, rows // _ROW_GROUP) * _ROW_GROUP + rows % _ROW_GROUP
        return dict(zip(hashes.take(pa.array(rows)).to_pylist(), vectors[places], strict=True))

    def _hash_column(self, name: str) -> pa.Array:
        """A segment's hashes. Segments never change, so they are kept."""
        if name not in self._hashes:
            with (self._folder / name).open("rb") as file:
                self._hashes[name] = _opened(file).read(["hash"])["hash"].combine_chunks()
        return self._hashes[name]

    def _rows(self, name: str) -> pa.Table:
        return _opened(pa.BufferReader((self._folder / name).read_bytes())).read()

    def _write(self, hashes: pa.Array, vectors: npt.NDArray[np.float32]) -> str:
        dimension = vectors.shape[1]
        blob = pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(4 * dimension), len(vectors), [None, pa.py_buffer(vectors)]
        )
        rows = pa.table({"hash": hashes, "vector": blob}).replace_schema_metadata({"model_key": self._model_key})
        sink = pa.BufferOutputStream()
        pq.write_table(
            rows,
            sink,
            row_group_size=_ROW_GROUP,
            use_dictionary=False,
            compression="zstd",
            write_page_checksum=True,
        )
        name = sha256("\n".join(hashes.to_pylist()))[:24] + ".parquet"
        write_atomically(self._folder / name, memoryview(sink.getvalue()))
        self._hashes[name] = hashes
        return name

    def _merge_small_segments(self) -> None:
        """Write the small segments as one, then remove them. Killed in between, vectors are there twice: harmless."""
        names = self._segments()
        if len(names) < _SMALL_SEGMENTS:
            return
        try:
            hashes = {name: self._unless_damaged(name, self._hash_column) for name in names}
            small = [name for name, column in hashes.items() if column is not None and len(column) < _SMALL_ROWS]
            if len(small) < _SMALL_SEGMENTS:
                return
            stored = [self._unless_damaged(name, self._rows) for name in small]
        except FileNotFoundError:
            return  # another process is merging
        if any(table is None for table in stored):
            return
        rows = pa.concat_tables(stored)
        _, first = np.unique(rows["hash"].to_numpy(), return_index=True)
        merged = self._write(rows["hash"].take(pa.array(first)).combine_chunks(), _matrix(rows)[first])
        for name in small:
            if name != merged:
                remove(self._folder / name)
                del self._hashes[name]
        remove_leftovers(self._folder, older_than_s=_ABANDONED_S)


def _opened(file: pa.NativeFile | BinaryIO) -> pq.ParquetFile:
    return pq.ParquetFile(file, page_checksum_verification=True)


def _is_sound(data: bytes) -> bool:
    """True if all of a segment can be read."""
    try:
        _opened(pa.BufferReader(data)).read()
    except (pa.ArrowInvalid, OSError):
        return False
    return True


def _matrix(rows: pa.Table) -> npt.NDArray[np.float32]:
    blob = rows["vector"].combine_chunks()
    flat = np.frombuffer(blob.buffers()[1], dtype=np.float32)
    dimension = blob.type.byte_width // 4
    return flat[blob.offset * dimension : (blob.offset + len(blob)) * dimension].reshape(len(blob), dimension)
