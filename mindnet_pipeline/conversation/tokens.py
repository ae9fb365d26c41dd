"""How many tokens a text is for a language model that is not at hand. Pure.

The servers' tokenizers are not known here, so the count is meant to be too high rather than too low: three letters of
a word a token, each digit, mark and line end one, characters of other scripts two. Against the tokenizer of Mistral 7B
(32,000 pieces, like Llama 2's and Phi 3's) on the sample vault and on German and English manuals it is 1.4 times the
true count on average and was below it for none of 440 passages; see docs/decisions/chat.md.
"""

from __future__ import annotations

import math
import re

_PIECE = re.compile(r"[^\W\d_]+|[^\S\n]+|\s|.", re.DOTALL)
_LETTERS_PER_TOKEN = 3
_LAST_LATIN = "\u024f"
_TOKENS_OF_ANOTHER_SCRIPT = 2


def estimate_tokens(text: str) -> int:
    """A count of tokens that is rather too high.

    >>> estimate_tokens("Am 3. Mai 2025"), estimate_tokens("Vektordatenbank"), estimate_tokens("")
    (8, 5, 0)
    """
    return sum(_tokens(piece) for piece in _PIECE.findall(text))


def _tokens(piece: str) -> int:
    if piece.isspace():
        return piece.count("\n")
    if max(piece) > _LAST_LATIN:
        return _TOKENS_OF_ANOTHER_SCRIPT * len(piece)
    return math.ceil(len(piece) / _LETTERS_PER_TOKEN) if piece[0].isalpha() else 1
