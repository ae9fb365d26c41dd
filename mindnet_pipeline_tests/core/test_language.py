from __future__ import annotations

import pytest

from mindnet_pipeline.core.language import detect_language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Wie hängt das zusammen?", "de"),
        ("Sicherung der Datenbank", "de"),
        ("Gespräch mit Anna über Ziele", "de"),
        ("How does the graph help?", "en"),
        ("Backup of the database", "en"),
        ("Talk with Anna about goals", "en"),
        ("Comment fonctionne la base de données ?", "fr"),
        ("これはノートです", "ja"),
        ("今天我们讨论了向量数据库的设计", "zh"),
    ],
)
def test_short_texts_are_recognised(text: str, code: str) -> None:
    assert detect_language(text) == code


@pytest.mark.parametrize("text", ["", "42", "Qdrant", "```py\nprint()\n```", "https://example.org/a/page"])
def test_the_prior_wins_where_there_is_nothing_to_tell(text: str) -> None:
    assert (detect_language(text), detect_language(text, "de"), detect_language(text, "en")) == ("", "de", "en")


def test_a_clear_text_wins_over_the_prior() -> None:
    assert detect_language("This paragraph is written in plain English throughout.", "de") == "en"


def test_code_does_not_count() -> None:
    assert detect_language("Hier steht etwas Code und sonst nichts.\n```\nfor the if while return this\n```") == "de"
