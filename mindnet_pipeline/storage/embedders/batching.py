"""What every engine shares: texts cut into parts, those of like length embedded together, vectors handed out early.

Three things go on at once: the next thousand texts are tokenised, the next batch is computed where the engine can do
so (`_begin`), and whoever reads the stream stores the last one. No more than that is ever held.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.parts import Part, clean, cut, join
from mindnet_pipeline.storage.embedders.protocol import Vectors

_TEXTS_AT_ONCE = 1024
"""Texts that are sorted by length together: many, so that batches hold little padding; few, so that memory stays
small."""
_BATCHES_AHEAD = 1
"""Batches begun before the one that is waited for is there: what keeps the cores busy while its vectors are stored."""


class BatchedEmbedder(ABC):
    """`Embedder` for engines that read one batch of short enough texts at a time."""

    batch_tokens = 8192
    """Padded tokens of a batch at most, whatever the number of texts: what bounds memory."""

    def __init__(self, model_key: str, dimension: int, max_tokens: int, batch_size: int) -> None:
        """`batch_size` is the most texts in a batch.

        Raises:
            EmbedderError: prompts leave no token for a text.
        """
        if max_tokens < 1:
            raise EmbedderError(
                f"{model_key}: the model reads so little at once that its prompts leave no room for text."
            )
        self.model_key = model_key
        self.dimension = dimension
        self.max_tokens = max_tokens
        self._batch_size = batch_size

    @property
    def device(self) -> str:
        """What it computes on, for people."""
        return f"{cores()} cores" if cores() > 1 else "1 core"

    @abstractmethod
    def load(self) -> None:
        """Read the model now instead of at first use."""

    @abstractmethod
    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each token of the text starts."""

    @abstractmethod
    def _embed(self, texts: list[str]) -> Vectors:
        """The vectors of documents that the model reads whole, nearly equally long."""

    def _begin(self, texts: list[str]) -> Callable[[], Vectors]:
        """`_embed` in two halves: begin, and wait. An engine that computes in the background begins at once."""
        return lambda: self._embed(texts)

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
        begun: deque[Callable[[], tuple[list[int], Vectors]]] = deque()
        for group in self._groups(texts):
            begun.append(self._begin_group(group))
            if len(begun) > _BATCHES_AHEAD:
                yield begun.popleft()()
        for finish in begun:
            yield finish()

    def _begin_group(self, group: list[list[Part]]) -> Callable[[], tuple[list[int], Vectors]]:
        """Begin the parts of some texts: a text with many parts needs several batches of its own."""
        parts = [part for one in group for part in one]
        indices = [one[0].index for one in group]
        batches = [self._begin([part.text for part in batch]) for batch in self._batches(parts)]
        return lambda: (indices, join(parts, np.concatenate([finish() for finish in batches]), indices))

    def _groups(self, texts: Sequence[str]) -> Iterator[list[list[Part]]]:
        """Whole texts, as many as fill one batch."""
        for cuts in self._thousands(texts):
            group: list[list[Part]] = []
            size = 0
            for parts in cuts:
                if group and not self._fits(group[0][0].tokens, size + len(parts)):
                    yield group
                    group, size = [], 0
                group.append(parts)
                size += len(parts)
            yield group

    def _thousands(self, texts: Sequence[str]) -> Iterator[list[list[Part]]]:
        """A thousand texts as parts, the longest first, while the next thousand is being cut."""
        starts = range(0, len(texts), _TEXTS_AT_ONCE)
        with ThreadPoolExecutor(1, thread_name_prefix="tokenise") as worker:
            following = worker.submit(self._cut, texts, 0)
            for start in starts:
                cuts = following.result()
                following = worker.submit(self._cut, texts, start + _TEXTS_AT_ONCE)
                yield cuts

    def _cut(self, texts: Sequence[str], start: int) -> list[list[Part]]:
        indices = range(start, min(start + _TEXTS_AT_ONCE, len(texts)))
        cuts = [cut(clean(texts[index]), index, self.max_tokens, self.token_offsets) for index in indices]
        return sorted(cuts, key=lambda parts: parts[0].tokens, reverse=True)

    def _batches(self, parts: list[Part]) -> Iterator[list[Part]]:
        longest = max(part.tokens for part in parts)
        size = max(1, min(self._batch_size, self.batch_tokens // max(longest, 1)))
        for start in range(0, len(parts), size):
            yield parts[start : start + size]

    def _fits(self, longest: int, count: int) -> bool:
        return count <= self._batch_size and longest * count <= self.batch_tokens


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
