"""Recognition on the questions of questions.txt and on kinds of wording that mislead."""

from __future__ import annotations

import pytest

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.decision_engine.engine import DecisionEngine
from mindnet_pipeline.settings import default_prompts
from mindnet_pipeline_tests.decision_engine.questions import OPTIONS, questions
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder

ENGINE = DecisionEngine(OPTIONS, NoEmbedder())


def test_nearly_all_questions_are_recognised_by_their_words() -> None:
    asked = questions("questions.txt")
    wrong = [(wanted, got, q) for wanted, lang, q in asked if (got := ENGINE.understand(q, lang).name) != wanted]
    print(f"{len(asked) - len(wrong)} of {len(asked)} questions recognised by their words")
    assert len(asked) >= 80
    assert {wanted for wanted, _, _ in asked} == set(OPTIONS.intents)
    assert len(wrong) <= 0.05 * len(asked), wrong


def test_a_wrongly_detected_language_does_no_harm() -> None:
    assert ENGINE.understand("Why Qdrant?", "de").name == "why"
    assert ENGINE.understand("Warum Qdrant?", "en").name == "why"


@pytest.mark.parametrize("question", ["WARUM QDRANT", "warum qdrant", "Kannst du mir bitte sagen, warum Qdrant?"])
def test_case_and_politeness_change_nothing(question: str) -> None:
    assert ENGINE.understand(question, "de").name == "why"


@pytest.mark.parametrize("question", ["Über welche Gründe sprachen wir?", "Ueber welche Gruende sprachen wir?"])
def test_umlauts_may_be_spelt_out(question: str) -> None:
    assert ENGINE.understand(question, "de").name == "why"


@pytest.mark.parametrize("question", ["Warum-Fragen im Katechismus", "[[Warum Qdrant]] Fassung 2", "„Warum“ als Wort"])
def test_a_why_that_is_only_a_topic_is_none(question: str) -> None:
    assert ENGINE.understand(question, "de").name == "fact"


def test_the_intent_whose_words_come_first_counts_and_is_less_sure() -> None:
    intent = ENGINE.understand("Wer hat entschieden, warum und wann das gilt?", "de")
    assert intent.name == "person"
    assert 0 < intent.confidence < 1


def test_what_it_rests_on_is_said() -> None:
    intent = ENGINE.understand("Weißt du noch, weshalb das so ist?", "de")
    assert (intent.recognised_by, intent.evidence, intent.confidence) == ("pattern", "weshalb", 1.0)


def test_a_shorter_reading_of_the_same_words_is_no_doubt() -> None:
    assert ENGINE.understand("Warum nutzen wir Qdrant?", "de").confidence == 1.0


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Warum fiel der Strom aus?", "cause"),
        ("Warum haben wir den Strom gewechselt?", "why"),
        ("Why did the power fail?", "cause"),
        ("Why did we switch the power supplier?", "why"),
    ],
)
def test_why_something_was_chosen_is_told_from_why_it_happened(question: str, kind: str) -> None:
    assert ENGINE.understand(question).name == kind


@pytest.mark.parametrize(
    "question", ["", "?!", "…", "-", "42", "日本語の質問", "a" * 100_000, "(" * 500, "[[" * 300, '"' * 301]
)
def test_any_text_is_understood_as_something(question: str) -> None:
    assert ENGINE.understand(question).name == "fact"


def test_off_has_no_boosts_and_a_forced_intent_has_its_own() -> None:
    assert ENGINE.choose("off", "Warum Qdrant?").is_neutral
    forced = ENGINE.choose("why", "Qdrant")
    assert (forced.name, forced.recognised_by) == ("why", "forced")
    assert forced.type_boosts["decision"] > 1


def test_an_unknown_intent_is_refused_with_the_nearest() -> None:
    with pytest.raises(QueryError, match="did you mean `why`"):
        ENGINE.choose("whi", "Qdrant")


def test_every_intent_names_a_template_that_there_is() -> None:
    assert {intent.template for intent in OPTIONS.intents.values()} <= set(default_prompts().templates)
