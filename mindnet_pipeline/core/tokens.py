"""Where the tokens of a text start: the measure of every size in chunking.

The embedder counts with its own model's tokenizer; `WordCounter` needs no model. Not here: loading tokenizers.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Protocol

_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9d"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+|[^\w\s]|_+")


class TokenCounter(Protocol):
    """Anything that knows where tokens start. Every embedder is one."""

    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each token of the text starts, ascending. `len` is the text's token count."""
        ...


class WordCounter:
    """Words, numbers, punctuation marks and CJK characters, one token each."""

    def token_offsets(self, text: str) -> list[int]:
        """The start of each token.

        >>> WordCounter().token_offsets("Zwei Wörter.")
        [0, 5, 11]
        """
        return [match.start() for match in _TOKEN.finditer(text)]


def first_words(text: str, count: int) -> list[str]:
    """The first words, numbers and marks of a text, as `WordCounter` counts them.

    >>> first_words("Zwei Wörter. Und mehr.", 3)
    ['Zwei', 'Wörter', '.']
    """
    return [match[0] for match in islice(_TOKEN.finditer(text), count)]
