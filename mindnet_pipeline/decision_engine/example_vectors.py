"""The vectors of the example questions: made once per model and text, kept in a small file below the data folder.

A file that is missing, of other examples or broken costs time, never an answer.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mindnet_pipeline.core.ids import sha256
from mindnet_pipeline.decision_engine.examples import Vector
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline.storage.files import data_path, read_if_there, write_atomically

if TYPE_CHECKING:
    from upath import UPath


class ExampleVectors:
    """The vectors of texts by one model; `data` is the data folder, empty to keep nothing."""

    def __init__(self, embedder: Embedder, data: str) -> None:
        self._embedder = embedder
        self._data = data
        self._known: dict[str, Vector] = {}

    def of(self, texts: Sequence[str]) -> Vector:
        """The vectors in the order of the texts, shape (n, dimension)."""
        if not self._known:
            self._known = self._read()
        missing = [text for text in texts if text not in self._known]
        if missing:
            self._known |= {text: self._embedder.embed_query(text) for text in missing}
            self._write(texts)
        return np.stack([self._known[text] for text in texts])

    @cached_property
    def _file(self) -> UPath | None:
        name = f"{sha256(self._embedder.model_key)[:16]}.npz"
        return data_path(self._data, "cache", "examples", name) if self._data else None

    def _read(self) -> dict[str, Vector]:
        stored = read_if_there(self._file) if self._file else None
        if stored is None:
            return {}
        try:
            with np.load(io.BytesIO(stored), allow_pickle=False) as file:
                texts, vectors = file["texts"].tolist(), np.asarray(file["vectors"], dtype=np.float32)
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile):
            return {}
        fits = vectors.ndim == 2 and vectors.shape == (len(texts), self._embedder.dimension)
        return dict(zip(texts, vectors, strict=True)) if fits and np.isfinite(vectors).all() else {}

    def _write(self, texts: Sequence[str]) -> None:
        """Keep the vectors of these texts; a folder that nobody may write to is no reason not to answer."""
        if self._file is None:
            return
        made = io.BytesIO()
        np.savez(made, texts=np.array(texts), vectors=np.stack([self._known[text] for text in texts]))
        try:
            write_atomically(self._file, made.getvalue())
        except OSError:
            return
