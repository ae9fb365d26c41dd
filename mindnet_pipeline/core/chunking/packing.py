"""Pieces → chunks: the cheapest division of a section, then small neighbours joined.

A division's price is the sum of its chunks' distances from the target range and of its cuts. The cheapest is found
by dynamic programming; a chunk holds some dozens of pieces at most, so the work grows with the section's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from mindnet_pipeline.core.chunking.pieces import PIECES_PER_CHUNK, Limits, Piece

_TOO_SMALL, _TOO_LARGE = 4.0, 2.0


def pack(pieces: Sequence[Piece], limits: Limits) -> list[list[Piece]]:
    """The pieces of one section as chunks."""
    chunks: list[list[Piece]] = []
    for _, run in groupby(_glue(pieces, limits), key=lambda molecule: molecule[-1].apart):
        chunks.extend(_divide(list(run), limits))
    return chunks


def _glue(pieces: Sequence[Piece], limits: Limits) -> list[list[Piece]]:
    """Headings and introducing sentences joined with what follows, where that fits; tiny neighbours with each other."""
    molecules: list[list[Piece]] = []
    tiny = limits.limit // PIECES_PER_CHUNK
    size = 0
    for piece in pieces:
        before = molecules[-1][-1] if molecules else None
        if before is None:
            fits = False
        elif before.glued:
            fits = size + piece.tokens <= limits.limit
        else:  # what is glued begins anew, so that all of the limit is left for what it goes with
            fits = size + piece.tokens <= tiny and not piece.glued and before.apart == piece.apart
        if fits:
            molecules[-1].append(piece)
            size += piece.tokens
        else:
            molecules.append([piece])
            size = piece.tokens
    return molecules


def _divide(molecules: list[list[Piece]], limits: Limits) -> list[list[Piece]]:
    count = len(molecules)
    sizes = [sum(piece.tokens for piece in molecule) for molecule in molecules]
    best = [0.0] + [float("inf")] * count
    cut_before = [0] * (count + 1)
    for end in range(1, count + 1):
        tokens = 0
        for start in range(end - 1, -1, -1):
            tokens += sizes[start]
            if tokens > limits.limit and start < end - 1:
                break
            price = best[start] + _price(tokens, limits) + (molecules[start][0].cost if start else 0.0)
            if price < best[end]:
                best[end], cut_before[end] = price, start
    chunks: list[list[Piece]] = []
    end = count
    while end:
        start = cut_before[end]
        chunks.append([piece for molecule in molecules[start:end] for piece in molecule])
        end = start
    return chunks[::-1]


def _price(tokens: int, limits: Limits) -> float:
    if tokens < limits.target_min:
        return _TOO_SMALL * ((limits.target_min - tokens) / limits.target_min) ** 2
    if tokens > limits.target_max:
        return _TOO_LARGE * ((tokens - limits.target_max) / max(1, limits.limit - limits.target_max)) ** 2
    return 0.0
