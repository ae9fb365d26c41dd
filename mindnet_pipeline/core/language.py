"""The language of a text as an ISO 639-1 code.

German and English are told apart by their function words, which also works for a question of four words; scripts that
belong to one language decide by themselves; everything else goes to py3langid, loaded only then. Not here: stemming,
stop words for search.
"""

from __future__ import annotations

import re
from functools import lru_cache

_SAMPLE_CHARACTERS = 4000
_MIN_LETTERS_FOR_GUESS = 40
_MIN_PROBABILITY = 0.8
_MIN_SHARE = 0.12
_NOT_PROSE = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|\$\$.*?(?:\$\$|\Z)|%%.*?(?:%%|\Z)|<[^>\n]*>|\S*(?:://|@)\S+", re.DOTALL
)
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff\u3400-\u4dbf]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
)
_MIN_SCRIPT_SHARE = 0.1

_GERMAN = frozenset(
    "aber alle als am an auch auf aus bei beim bin bis da damit dann das dass daß dein dem den der des dich die dies diese "
    "diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er es euch für gegen gibt habe haben "
    "hat hatte hier ich ihm ihn ihr ihre im immer ist ja jede jeder kann kein keine können mehr mein meine mich mir mit "
    "muss nach nicht nichts noch nun nur ob oder ohne schon sehr sein seine sich sie sind so soll sollte über um und uns "
    "unter vom von vor wann warum was weil welche welcher welches wenn wer werden wie wieder wir wird wo woher worden "
    "wurde wurden zu zum zur zwischen".split()
)
_ENGLISH = frozenset(
    "a about after all also an and any are as at be because been but by can could did do does each for from had has have "
    "he her him his how i if in into is it its just may me more most my no not of on one only or other our out over she "
    "should so some such than that the their them then there these they this those through to up us use was we were what "
    "when where which while who why will with would you your".split()
)
_BOTH = _GERMAN & _ENGLISH | {
    "in",
    "was",
    "so",
    "die",
    "man",
    "war",
    "an",
    "also",
    "all",
    "am",
    "do",
    "me",
    "no",
    "one",
    "up",
}


def detect_language(text: str, prior: str = "") -> str:
    """The ISO code of the text's language ("de", "en", "ja" …); `prior` where the text is too short or unsure.

    >>> detect_language("Wie hängt das zusammen?"), detect_language("How does the graph help?")
    ('de', 'en')
    >>> detect_language("Qdrant", prior="de"), detect_language("42")
    ('de', '')
    """
    sample = _NOT_PROSE.sub(" ", text[:_SAMPLE_CHARACTERS])
    words = _WORD.findall(sample.lower())
    if not words:
        return prior
    return _by_script(sample, words) or _by_function_words(words, prior) or _by_library(words, prior)


def _by_script(sample: str, words: list[str]) -> str:
    letters = sum(map(len, words))
    if sample.isascii():
        return ""
    for code, script in _SCRIPTS:
        if len(script.findall(sample)) >= max(1.0, _MIN_SCRIPT_SHARE * letters):
            return code
    return ""


def _by_function_words(words: list[str], prior: str) -> str:
    """German or English, if its own function words make up enough of the text and clearly outnumber the other's."""
    german = sum(word in _GERMAN and word not in _BOTH for word in words)
    english = sum(word in _ENGLISH and word not in _BOTH for word in words)
    best, other, code = (german, english, "de") if german >= english else (english, german, "en")
    if best < _MIN_SHARE * len(words) or best <= 2 * other:
        return ""
    if best == 1 and prior and prior != code and len(words) > 4:
        return prior
    return code


def _by_library(words: list[str], prior: str) -> str:
    text = " ".join(words)
    if len(text) < _MIN_LETTERS_FOR_GUESS:
        return prior
    code, probability = _identifier().classify(text)
    return str(code) if probability >= _MIN_PROBABILITY else prior


@lru_cache(maxsize=1)
def _identifier():  # type: ignore[no-untyped-def]  # noqa: ANN202  # py3langid has no types
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
