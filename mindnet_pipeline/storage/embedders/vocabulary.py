"""What stands before a graph: text → tokens → what the graph reads, for the bundled model and for a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.storage.embedders.bundled import model_file
from mindnet_pipeline.storage.embedders.e5_file import E5File
from mindnet_pipeline.storage.embedders.prepared import POOLED_INSIDE, TOKENIZER, WORDS
from mindnet_pipeline.storage.embedders.unigram import UnigramTokenizer

Tokens = tuple[list[int], list[int]]
"""Token ids and the character offsets at which they start."""

Feed = dict[str, npt.NDArray[Any]]
"""What a graph reads of one text: `words`, shape (1, tokens, hidden), or `ids` (1, tokens) and `prompt_tokens` (1,)."""


class Vocabulary(Protocol):
    """Tokens, and what the graph reads of them. `specials` are the ids before and after every text."""

    specials: tuple[list[int], list[int]]

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, without special ones."""

    def feed(self, ids: list[int], prompt: str) -> Feed:
        """What the graph is given for the tokens of a text that begins with the prompt."""


def open_vocabulary(folder: Path, pooling: str) -> Vocabulary:
    """The vocabulary of the model that is prepared in the folder, whose graph pools itself or has its states pooled."""
    if pooling == POOLED_INSIDE:
        return IdsVocabulary(folder)
    return WordsVocabulary(folder) if (folder / TOKENIZER).exists() else PackagedVocabulary()


def read_text(vocabulary: Vocabulary, text: str, most: int, prompt: str = "") -> Feed:
    """Special tokens, prompt and text, at most so many in all. A text without any token is read as the first piece."""
    before, after = vocabulary.specials
    ids = before + vocabulary.encode(prompt + text)[0][: most - len(before + after)] + after
    return vocabulary.feed(ids or [0], prompt)


class PackagedVocabulary:
    """The bundled model's own."""

    def __init__(self) -> None:
        file = E5File(model_file())
        self.encode = UnigramTokenizer(file).encode
        self._vectors = file.word_vectors
        self.specials = ([file.bos], [file.eos])

    def feed(self, ids: list[int], prompt: str) -> Feed:  # noqa: ARG002 - its prompt is pooled like the rest
        """Their word vectors."""
        return {"words": self._vectors(np.array(ids, dtype=np.int64))[None]}


class _FolderTokens:
    """The tokens of a prepared model folder."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415 - only where it is chosen

        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        whole = self._tokenizer.encode("a")
        marks = [index for index, mark in enumerate(whole.special_tokens_mask) if not mark]
        self.specials = (whole.ids[: marks[0]], whole.ids[marks[-1] + 1 :])

    def encode(self, text: str) -> Tokens:
        """The tokens of a text, without special ones."""
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return found.ids, [start for start, _ in found.offsets]


class WordsVocabulary(_FolderTokens):
    """For a graph that is built here: the table of word vectors lies beside it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._words = np.load(folder / WORDS, mmap_mode="r")

    def feed(self, ids: list[int], prompt: str) -> Feed:  # noqa: ARG002 - its prompt is pooled like the rest
        """Their word vectors."""
        return {"words": np.asarray(self._words[ids], dtype=np.float32)[None]}


class IdsVocabulary(_FolderTokens):
    """For a graph that was exported: it holds all the rest."""

    def feed(self, ids: list[int], prompt: str) -> Feed:
        """The ids, and how many of them are before the text: some models leave these out of their pooling."""
        count = np.array([self._prompt_tokens(prompt)], dtype=np.int64)
        return {"ids": np.array([ids], dtype=np.int64), "prompt_tokens": count}

    def _prompt_tokens(self, prompt: str) -> int:
        """As sentence-transformers counts them: what begins each text too, and of what ends it all but one."""
        before, after = self.specials
        return len(before + self.encode(prompt)[0] + after[1:]) if prompt else 0
