"""Which words of a hit match words of the question, as they are written in the hit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mindnet_pipeline.storage.bm25 import Bm25Encoder

_WORD = re.compile(r"\w[\w'’-]*")


def spellings(asked_in: str, configured: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """As which languages a question's words are looked up: in chunks of its own language, and in all others.

    Everywhere unstemmed (`""`) too, for what is in no known language.

    >>> spellings("en", "de")
    (('en', ''), ('en', 'de', ''))
    """
    return (asked_in, ""), (*dict.fromkeys(filter(None, (asked_in, configured, "de", "en"))), "")


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


def matched_words(
    question: Sequence[frozenset[int]], beginnings: Sequence[str], text: str, lang: str, bm25: Bm25Encoder
) -> tuple[str, ...]:
    """The words of a text that the question also has in some form, each spelling once, in order.

    For a word of the question that the text has in no form, those that hold its beginning.
    """
    folded: dict[str, str] = {}
    for spelling in _WORD.findall(text):
        folded.setdefault(spelling.lower(), spelling)
    forms = {small: bm25.forms(spelling, (lang,)) for small, spelling in folded.items()}
    held = frozenset().union(*forms.values())
    wanted = frozenset().union(*question)
    lacking = [start for start, word in zip(beginnings, question, strict=True) if start and held.isdisjoint(word)]
    return tuple(
        spelling
        for small, spelling in folded.items()
        if not wanted.isdisjoint(forms[small]) or any(start in small for start in lacking)
    )
