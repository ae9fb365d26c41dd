"""Which words of a hit match words of the question, as they are written in the hit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.vectors.protocol import SparseVector

_WORD = re.compile(r"\w[\w'’-]*")


def question_languages(detected: str, configured: str) -> tuple[str, ...]:
    """The languages in which a question's words are looked up: its own first; unstemmed (`""`) last, for all others."""
    return tuple(dict.fromkeys((*filter(None, (detected, configured, "de", "en")), "")))


def question_language(text: str, detected: str, bm25: Bm25Encoder) -> str:
    """The question's language: as detected, unless German or English has more of its words as stop words.

    Questions are short, and the names in them mislead a detector of languages.
    """
    words = text.split()
    small = {
        code: sum(not bm25.forms(word, (code,)) for word in words) for code in dict.fromkeys((detected, "de", "en"))
    }
    return max(small, key=small.__getitem__)


def searchable(text: str, language: str, bm25: Bm25Encoder) -> list[str]:
    """The question's words, less those that say nothing in its own language.

    Another language may know them: the German `die` is an English verb.
    """
    return [word for word in text.split() if bm25.forms(word, (language,))]


def matched_words(sparse: SparseVector | None, title: str, text: str, lang: str, bm25: Bm25Encoder) -> tuple[str, ...]:
    """The words of title and text that the question also has in some form, each spelling once, in order."""
    if sparse is None:
        return ()
    wanted = set(sparse.indices)
    spellings: Sequence[str] = list(dict.fromkeys(_WORD.findall(f"{title}\n{text}")))
    folded: dict[str, str] = {}
    for spelling in spellings:
        folded.setdefault(spelling.lower(), spelling)
    return tuple(word for word in folded.values() if not wanted.isdisjoint(bm25.forms(word, (lang,))))
