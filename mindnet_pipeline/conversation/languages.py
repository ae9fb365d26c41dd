"""Which language a question is asked in, German or English: by its small words, else as a whole. Pure."""

from __future__ import annotations

import re
from typing import Literal

from mindnet_pipeline.core.language import detect_language

Language = Literal["de", "en"]

_GERMAN = re.compile(
    r"\b(?:der|die|das|den|dem|des|eine?[mnrs]?|und|oder|aber|nicht|keine?[mnrs]?|wie|warum|wieso|weshalb|wann|wo|wer|wen|"
    r"wem|welche[mnrs]?|wir|ich|du|ihr|uns|mir|mich|meine?[mnrs]?|ist|sind|hat|haben|wird|werden|gibt|zu|für|mit|von|bei|"
    r"aus|auf|über|ohne|gegen|seit)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:the|an?|and|or|but|not|no|how|why|when|where|who|whom|which|what|we|i|you|our|us|my|me|is|are|does|do|did|has|"
    r"have|had|for|with|from|of|on|about|without|against|since|to|it|that|this|there)\b",
    re.IGNORECASE,
)


def asked_in(question: str, prior: Language) -> Language:
    """The language of a question; `prior` where that is not clear.

    >>> asked_in("Why do we use Dagster?", "de"), asked_in("Warum Dagster?", "en"), asked_in("Qdrant?", "de")
    ('en', 'de', 'de')
    """
    german, english = len(_GERMAN.findall(question)), len(_ENGLISH.findall(question))
    if german != english:
        return "de" if german > english else "en"
    found = detect_language(question, prior=prior)
    return "en" if found == "en" else "de" if found == "de" else prior
