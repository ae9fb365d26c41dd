"""Counts tokens of any span of a text that was tokenized once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from mindnet_pipeline.core.tokens import TokenCounter


class Ruler:
    """The token starts of one text. A span has as many tokens as start in it."""

    def __init__(self, text: str, counter: TokenCounter) -> None:
        self._length = len(text)
        self._counter = counter
        self._starts: Sequence[int] = counter.token_offsets(text)

    def tokens(self, start: int, end: int) -> int:
        """Tokens that start in `text[start:end]`."""
        return bisect_left(self._starts, end) - bisect_left(self._starts, start)

    def after(self, start: int, tokens: int) -> int:
        """Where the next token starts after so many tokens from `start`; the text's end if there is none."""
        index = bisect_left(self._starts, start) + tokens
        return self._starts[index] if index < len(self._starts) else self._length

    def measure(self, other: str) -> int:
        """Tokens of another text."""
        return len(self._counter.token_offsets(other)) if other else 0
