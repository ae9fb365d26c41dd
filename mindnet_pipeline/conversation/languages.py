"""Which language a question is asked in, German or English: what search takes it for."""

from __future__ import annotations

from mindnet_pipeline.core.language import detect_language
from mindnet_pipeline.retrieval.matching import question_language
from mindnet_pipeline.settings.pipeline import Language
from mindnet_pipeline.storage.bm25 import Bm25Encoder


def asked_in(question: str, prior: Language) -> Language:
    """The language of a question; `prior` where that is not clear or another.

    >>> asked_in("Why do we use Dagster?", "de"), asked_in("Warum Dagster?", "en"), asked_in("Qdrant?", "de")
    ('en', 'de', 'de')
    """
    found = question_language(question, detect_language(question, prior=prior), Bm25Encoder())
    return "en" if found == "en" else "de" if found == "de" else prior
