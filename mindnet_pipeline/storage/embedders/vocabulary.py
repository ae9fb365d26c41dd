"""What stands before an encoder's graph: text → tokens → word vectors, for the bundled model and for a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.storage.embedders.bundled import model_file
from mindnet_pipeline.storage.embedders.e5_file import E5File, Floats
from mindnet_pipeline.storage.embedders.unigram import UnigramTokenizer

TOKENIZER, WORDS = "tokenizer.json", "words.npy"
"""What a prepared model folder holds besides its graph; the bundled model's are in its package."""

Tokens = tuple[list[int], list[int]]
"""Token ids and the character offsets at which they start."""


class Vocabulary(Protocol):
    """Tokens and their vectors. `specials` are the ids before and after every text."""

    specials: tuple[list[int], list[int]]

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, without special ones."""

    def vectors(self, ids: npt.NDArray[np.int64]) -> Floats:
        """The word vectors of token ids, shape (*ids.shape, hidden)."""


def open_vocabulary(folder: Path) -> Vocabulary:
    """The vocabulary of the model that is prepared in the folder."""
    return FolderVocabulary(folder) if (folder / TOKENIZER).exists() else PackagedVocabulary()


def word_ids(vocabulary: Vocabulary, text: str, most: int) -> list[int]:
    """Special tokens and text, at most so many in all."""
    before, after = vocabulary.specials
    return before + vocabulary.encode(text)[0][: most - len(before + after)] + after


class PackagedVocabulary:
    """The bundled model's own."""

    def __init__(self) -> None:
        file = E5File(model_file())
        self.encode = UnigramTokenizer(file).encode
        self.vectors = file.word_vectors
        self.specials = ([file.bos], [file.eos])


class FolderVocabulary:
    """That of a prepared model folder."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415 - only where it is chosen

        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._words = np.load(folder / WORDS, mmap_mode="r")
        whole = self._tokenizer.encode("a")
        marks = [index for index, mark in enumerate(whole.special_tokens_mask) if not mark]
        self.specials = (whole.ids[: marks[0]], whole.ids[marks[-1] + 1 :])

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, without special ones."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return found.ids, [start for start, _ in found.offsets]

    def vectors(self, ids: npt.NDArray[np.int64]) -> Floats:
        """The word vectors of token ids."""
        return np.asarray(self._words[ids], dtype=np.float32)
