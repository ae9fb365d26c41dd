"""Every vector that was ever made, by the hash of its text: a text that was embedded once is never embedded again.

One folder per embedding model below `<data>/cache/embeddings/`, append-only Parquet segments in it. A segment is whole or
not there, so a killed process loses at most the batch it had not handed over. Vectors of different models never mix.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from upath import UPath

from mindnet_pipeline.core.ids import sha256
from mindnet_pipeline.storage.files import data_path, read_if_there, remove, remove_leftovers, write_atomically

_SMALL_ROWS = 20_000
_SMALL_SEGMENTS = 32
_ROW_GROUP = 2_000

Vector = npt.NDArray[np.float32]


class EmbeddingCache:
    """The vectors of one model. Any number of processes may read and put at the same time."""

    def __init__(self, data: str, model_key: str) -> None:
        """`data` is the data folder; `model_key` says what made the vectors (Embedder.model_key)."""
        self._model_key = model_key
        self._folder = data_path(data, "cache", "embeddings", sha256(model_key)[:16])
        self._hashes: dict[str, pa.Array] = {}

    def get(self, hashes: Sequence[str]) -> dict[str, Vector]:
        """The vectors that are known, by hash. Only the parts of the segments that hold them are read."""
        found: dict[str, Vector] = {}
        wanted = pa.array([bytes.fromhex(each) for each in dict.fromkeys(hashes)], pa.binary(32))
        if len(wanted):
            for name in self._segments():
                with contextlib.suppress(
                    FileNotFoundError
                ):  # merged by another process: the merged one is read instead
                    found.update(self._lookup(name, wanted))
