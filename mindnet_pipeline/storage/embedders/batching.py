"""What every engine shares: texts cut into parts, those of like length embedded together, vectors handed out early."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np

from mindnet_pipeline.storage.embedders.parts import Part, clean, cut, join
from mindnet_pipeline.storage.embedders.protocol import Vectors

_TEXTS_AT_ONCE = 1024
"""Texts that are sorted by length together: many, so that batches hold little padding; few, so that memory stays
small."""


class BatchedEmbedder(ABC):
    """`Embedder` for engines that read one batch of short enough texts at a time."""

    batch_tokens = 8192
    """Padded tokens of a batch at most, whatever the number of texts: what bounds memory."""

    def __init__(self, model_key: str, dimension: int, max_tokens: int, batch_size: int) -> None:
        """`batch_size` is the most texts in a batch."""
        self.model_key = model_key
        self.dimension = dimension
        self.max_tokens = max_tokens
        self._batch_size = batch_size

    @abstractmethod
    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each token of the text starts."""

    @abstractmethod
    def _embed(self, texts: list[str]) -> Vectors:
        """The vectors of documents that the model reads whole, nearly equally long."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without prompts and special tokens."""
        return [len(self.token_offsets(text)) for text in texts]

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of documents, in the order of `texts`."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for indices, found in self.embed_stream(texts):
            vectors[indices] = found
        return vectors

    def embed_stream(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """The same in batches, longest texts first within each thousand: (indices into `texts`, their vectors)."""
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            chosen = range(start, min(start + _TEXTS_AT_ONCE, len(texts)))
            cuts = [cut(clean(texts[index]), index, self.max_tokens, self.token_offsets) for index in chosen]
            cuts.sort(key=lambda parts: parts[0].tokens, reverse=True)
            for group in self._groups(cuts):
                parts = [part for one in group for part in one]
                indices = [one[0].index for one in group]
                yield indices, join(parts, self._embed_parts(parts), indices)

    def _embed_parts(self, parts: list[Part]) -> Vectors:
        """Vectors of any number of parts: a text with many parts needs several batches of its own."""
        found = [self._embed([part.text for part in batch]) for batch in self._batches(parts)]
        return np.concatenate(found)

    def _groups(self, cuts: list[list[Part]]) -> Iterator[list[list[Part]]]:
        """Whole texts, as many as fill one batch."""
        group: list[list[Part]] = []
        size = 0
        for parts in cuts:
            if group and not self._fits(group[0][0].tokens, size + len(parts)):
                yield group
                group, size = [], 0
            group.append(parts)
            size += len(parts)
        if group:
            yield group

    def _batches(self, parts: list[Part]) -> Iterator[list[Part]]:
        longest = max(part.tokens for part in parts)
        size = max(1, min(self._batch_size, self.batch_tokens // max(longest, 1)))
        for start in range(0, len(parts), size):
            yield parts[start : start + size]

    def _fits(self, longest: int, count: int) -> bool:
        return count <= self._batch_size and longest * count <= self.batch_tokens
