"""No model at all: search by words and links alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.storage.embedders.protocol import Vectors


class NoEmbedder:
    """Makes vectors of length 0; sizes are counted in words."""

    model_key = "none"
    dimension = 0
    device = ""
    max_tokens = 1_000_000

    def __init__(self) -> None:
        self._counter = WordCounter()

    def load(self) -> None:
        """There is nothing to read."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Words, numbers and marks of each text."""
        return [len(self.token_offsets(text)) for text in texts]

    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each word, number or mark starts."""
        return self._counter.token_offsets(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors without numbers, shape (n, 0)."""
        return np.empty((len(texts), 0), dtype=np.float32)

    def embed_stream(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """All at once: nothing is computed."""
        if texts:
            yield list(range(len(texts))), self.embed_documents(texts)

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:  # noqa: ARG002 - the protocol's name
        """A vector without numbers."""
        return np.empty(0, dtype=np.float32)
