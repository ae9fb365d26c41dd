"""Texts above what a model reads: cut into parts, their vectors joined. One rule for every engine.

A text of more than `limit` tokens is cut at token starts into the fewest parts of nearly equal size; the text's vector
is the mean of the parts' vectors, weighted by their tokens, at length 1. So nothing is silently cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mindnet_pipeline.storage.embedders.protocol import Vectors

TokenOffsets = Callable[[str], list[int]]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the text with this index, and its tokens."""

    index: int
    text: str
    tokens: int


def clean(text: str) -> str:
    r"""The text without what C strings and UTF-8 cannot hold: NUL becomes a blank, a lone surrogate `?`.

    >>> clean("a\x00b")
    'a b'
    """
    if "\0" in text:
        text = text.replace("\0", " ")
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def cut(text: str, index: int, limit: int, token_offsets: TokenOffsets) -> list[Part]:
    """The parts of one text; a single one if the model reads it whole."""
    offsets = token_offsets(text)
    if len(offsets) <= limit:
        return [Part(index, text, len(offsets))]
    count = -(-len(offsets) // limit)
    borders = [offsets[len(offsets) * part // count] for part in range(1, count)]
    parts: list[Part] = []
    for start, end in zip([0, *borders], [*borders, len(text)], strict=True):
        piece = text[start:end]
        # A cut inside a word can change how its halves are tokenised, so a part is measured again.
        parts += cut(piece, index, limit, token_offsets) if 0 < len(piece) < len(text) else [Part(index, piece, limit)]
    return parts


def join(parts: Sequence[Part], vectors: Vectors, texts: Sequence[int]) -> Vectors:
    """The vectors of the texts with these indices from their parts' vectors, in the order of `texts`."""
    row = {index: place for place, index in enumerate(texts)}
    sums = np.zeros((len(texts), vectors.shape[1]), dtype=np.float64)
    for part, vector in zip(parts, vectors, strict=True):
        sums[row[part.index]] += vector * max(part.tokens, 1)
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    joined: Vectors = (sums / np.maximum(lengths, 1e-12)).astype(np.float32)
    return joined
