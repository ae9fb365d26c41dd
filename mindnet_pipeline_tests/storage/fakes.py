"""Small stand-ins for the storage layer's protocols, themselves held to the contract tests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.storage.embedders.protocol import Vectors


class HashEmbedder:
    """Vectors from the words of a text: each word has a direction of its own, so texts that share words are near."""

    model_key = "words@hash"
    device = "1 core"
    max_tokens = 512

    def __init__(self, dimension: int = 32) -> None:
        self.dimension = dimension
        self.embedded: list[str] = []

    def load(self) -> None:
        pass

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(self.token_offsets(text)) for text in texts]

    def token_offsets(self, text: str) -> list[int]:
        return WordCounter().token_offsets(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return np.array([self._vector(text) for text in texts], dtype=np.float32).reshape(-1, self.dimension)

    def embed_stream(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        for index, text in enumerate(texts):
            yield [index], self.embed_documents([text])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        return self._vector(text)

    def _vector(self, text: str) -> npt.NDArray[np.float32]:
        words = text.lower().split() or [""]
        seeds = [int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:4], "big") for word in words]
        total = sum(np.random.default_rng(seed).standard_normal(self.dimension) for seed in seeds)
        vector = np.asarray(total, dtype=np.float32)
        return vector / np.linalg.norm(vector)
