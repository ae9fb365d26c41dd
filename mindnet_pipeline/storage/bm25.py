"""BM25 weights of texts as sparse vectors, by language: the same for documents and questions, and for both backends.

The weights come from qdrant-edge's `Bm25` (term frequency, k 1.2, b 0.75); the store multiplies the inverse document
frequency in.
A language with a Snowball stemmer loses its stop words and endings; another one is split into words and left alone.
Runs of
Chinese, Japanese or Korean characters, in whatever language, are written as overlapping pairs: they have no blanks
between words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from mindnet_pipeline.storage.vectors.protocol import SparseVector

if TYPE_CHECKING:
    import qdrant_edge as edge

_STEMMED = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
_UNBROKEN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+")
_AVERAGE_WORDS = 120.0
"""Words of an average chunk, without stop words: what BM25's length normalisation compares with."""


class Bm25Encoder:
    """Texts → BM25 weights. Cheap to make; a language's model is built when first used."""

    def document(self, text: str, lang: str) -> SparseVector:
        """The weights of a text to be found, in its language (an ISO 639-1 code; unknown ones are not stemmed)."""
        found = _model(_language(lang)).embed_document(_clean(text))
        return _sparse(dict(zip(found.indices, found.values, strict=True)))

    def query(self, text: str, langs: Sequence[str]) -> SparseVector:
        """The words of a question as each of the languages would write them: the union, each with weight 1."""
        weights: dict[int, float] = {}
        for language in dict.fromkeys(_language(lang) for lang in langs or ("",)):
            found = _model(language).embed_query(_clean(text))
            weights.update(zip(found.indices, found.values, strict=True))
        return _sparse(weights)

    @staticmethod
    def words(text: str, lang: str) -> frozenset[int]:
        """The indices of all words of a text, in its language."""
        return frozenset(_model(_language(lang)).embed_query(_clean(text)).indices)

    @staticmethod
    def forms(word: str, langs: Sequence[str]) -> frozenset[int]:
        """The indices of one word as each of the languages would write it; empty for a stop word in all of them."""
        return frozenset().union(*(_forms(word, _language(lang)) for lang in langs))


@lru_cache(maxsize=20_000)
def _forms(word: str, language: str) -> frozenset[int]:
    """Remembered: the words of a question's hits are asked for again and again."""
    return frozenset(_model(language).embed_query(_clean(word)).indices)


def _language(code: str) -> str:
    short = code.lower().replace("_", "-").partition("-")[0]
    return short if short in _STEMMED else ""


@cache
def _model(language: str) -> edge.Bm25:
    import qdrant_edge as edge  # noqa: PLC0415 - only where words are weighed, never at import

    if language in _STEMMED:
        return edge.Bm25(edge.Bm25Config(language=_STEMMED[language], avg_len=_AVERAGE_WORDS))
    return edge.Bm25(
        edge.Bm25Config(avg_len=_AVERAGE_WORDS, stopwords=edge.StopwordsSet(), stemmer=edge.DisabledStemmer())
    )


def _clean(text: str) -> str:
    """The text as the engine can take it, unbroken runs in pairs.

    >>> _clean("Das 設計書 hier")
    'Das  設計 計書  hier'
    """
    if text.isascii():
        return text
    return _UNBROKEN.sub(lambda run: _pairs(run[0]), text.encode("utf-8", "replace").decode("utf-8"))


def _pairs(run: str) -> str:
    pairs = [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
    return f" {' '.join(pairs)} "


def _sparse(weights: dict[int, float]) -> SparseVector:
    ordered = sorted(weights.items())
    return SparseVector(tuple(index for index, _ in ordered), tuple(float(weight) for _, weight in ordered))
