"""Follow-ups: what leans on the question before is searched for together with it, what stands alone is not."""

from __future__ import annotations

import pytest

from mindnet_pipeline.conversation.follow_ups import leans_back, searched_for


@pytest.mark.parametrize(
    "question",
    ["Und seit wann?", "Warum?", "Was spricht dagegen?", "Wer hat das entschieden?", "Und Airflow?", "Since when?",
     "Who decided that?", "What about Chroma?", "Why not?", "Wie funktioniert es?"],
)  # fmt: skip
def test_it_leans_back(question: str) -> None:
    assert leans_back(question)


@pytest.mark.parametrize(
    "question",
    ["Warum nutzen wir Qdrant?", "Wer ist Mira Sander?", "Why did we choose Qdrant as our vector database?",
     "Was ist Chunking?", "Wovon hängt das KI-Projekt ab, und was folgt daraus für die Planung?"],
)  # fmt: skip
def test_it_stands_alone(question: str) -> None:
    assert not leans_back(question)


def test_without_a_question_before_it_is_searched_for_as_it_is() -> None:
    assert searched_for("Und seit wann?", "") == "Und seit wann?"
