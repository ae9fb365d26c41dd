"""A question's words as patterns meet them: one line, without politeness, quotations and compounds. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_CHARACTERS = 600
"""What kind of question it is stands at the beginning; more text only costs time."""

_QUOTED = re.compile(r"„[^“”\"]*[“”\"]|“[^”]*”|»[^«]*«|«[^»]*»|\"[^\"]*\"|`[^`]*`|\[\[[^\]]*\]\]|(?<!\w)'[^']+'(?!\w)")
_IN_COMPOUND = re.compile(r"(?<=\w)[-‐‑](?=\w)|(?<=\w)[-‐‑](?=\s+(?:und|oder|and|or)\b)")
_LEADING = re.compile(r"^[\s,.;:!?¿¡–—…-]+")
_SPELT_OUT = (("ae", "ä"), ("oe", "ö"), ("ue", "ü"), ("Ae", "Ä"), ("Oe", "Ö"), ("Ue", "Ü"))


def plain(question: str, prefixes: Sequence[re.Pattern[str]]) -> str:
    """The question on one line, without what it quotes and without what politeness puts before it.

    Words of a compound are tied with `_`, so that `Warum-Fragen` is not taken for `Warum`.
    """
    text = unicodedata.normalize("NFC", question[:_CHARACTERS])
    text = " ".join(_QUOTED.sub(" … ", text).replace("’", "'").split())
    text = _LEADING.sub("", _IN_COMPOUND.sub("_", text))
    while shorter := _without_prefix(text, prefixes):
        text = shorter
    return text


def spellings(text: str) -> tuple[str, ...]:
    """The text as written, and with umlauts where it spells them out.

    >>> spellings("wofuer"), spellings("why")
    (('wofuer', 'wofür'), ('why',))
    """
    other = text
    for spelt, umlaut in _SPELT_OUT:
        other = other.replace(spelt, umlaut)
    return tuple(dict.fromkeys((text, other)))


def _without_prefix(text: str, prefixes: Sequence[re.Pattern[str]]) -> str:
    """What follows the first prefix that the text begins with; empty if there is none or nothing follows."""
    for prefix in prefixes:
        if found := prefix.match(text):
            return _LEADING.sub("", text[found.end() :])
    return ""
