"""Questions that lean on the one before ("Und seit wann?"): searched for together with it. Pure."""

from __future__ import annotations

import re

_FEW_WORDS = 2
_WORD = re.compile(r"[^\W\d_]{4,}")
_STARTS = re.compile(
    r"\s*(?:und|aber|oder|also|was ist mit|wie ist es mit|and|but|or|so|what about|how about)\b", re.IGNORECASE
)
_POINTS_BACK = re.compile(
    r"\b(?:er|ihn|ihm|sie|ihr|ihnen|es|das|dies(?:e[rsnm]?)?|dessen|deren|deshalb|damals|dort|"
    r"dar?(?:zu|für|von|an|auf|aus|bei|mit|über|gegen|nach|durch|um|in)|"
    r"it|its|they|them|their|he|him|his|she|her|this|that|these|those|there|then)\b",
    re.IGNORECASE,
)
_QUESTION_WORDS = {
    *("warum", "wieso", "weshalb", "wann", "welche", "welcher", "welches", "wohin", "woher", "woran", "seit"),
    *("when", "where", "which", "what", "whose", "whom", "since"),
}


def leans_back(question: str) -> bool:
    """True for a question that hardly says by itself what it is about.

    >>> [leans_back(q) for q in ("Und seit wann?", "Warum ist das so?", "Warum nutzen wir Qdrant?", "Who said that?")]
    [True, True, False, True]
    """
    own = [word for word in _WORD.findall(question.casefold()) if word not in _QUESTION_WORDS]
    own = [word for word in own if not _POINTS_BACK.fullmatch(word)]
    if not own:
        return True
    points = bool(_STARTS.match(question) or _POINTS_BACK.search(question))
    return points and len(own) <= _FEW_WORDS


def searched_for(question: str, previous: str) -> str:
    """What to search for: the question, with the one before it where it leans on that.

    >>> searched_for("Und seit wann?", "Warum nutzen wir Qdrant?")
    'Warum nutzen wir Qdrant? Und seit wann?'
    """
    return f"{previous} {question}" if previous and leans_back(question) else question
