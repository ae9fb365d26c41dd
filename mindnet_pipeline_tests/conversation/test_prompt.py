"""The prompt: rules that no configuration removes, the question last, and never more than the model's window."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.conversation.messages import MESSAGES
from mindnet_pipeline.conversation.prompt import Prompt, Turn, build_prompt, system_prompt
from mindnet_pipeline.conversation.tokens import estimate_tokens
from mindnet_pipeline.settings import ChatOptions, default_prompts
from mindnet_pipeline_tests.conversation.test_fitting import passages

SENTENCE = "Der Kohl wächst im Beet, weil dort die Sonne scheint. "


def prompt(
    question: str = "Warum?", texts: tuple[str, ...] = ("Im Haus.",), history: tuple[Turn, ...] = (), **options: int
) -> Prompt:
    given_texts = (default_prompts(), "default", "de")
    return build_prompt(question, passages(*texts), history, given_texts, ChatOptions(**options))


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_rules_stand_whatever_the_prompts_file_says(language: str) -> None:
    mine = default_prompts().model_copy(update={"values": default_prompts().values.model_copy(update={language: ()})})
    told = system_prompt(mine, language)
    assert all(rule.split("{")[0] in told for rule in MESSAGES[language].rules)
    assert mine.nothing.text(language) in told
    assert MESSAGES[language].values_head not in told


def test_the_question_comes_last_after_the_passages() -> None:
    user = prompt("Warum?").messages[-1]["content"]
    assert user.endswith("Beantworte diese Frage in zwei bis fünf Sätzen: Warum?")
    assert user.index("Im Haus.") < user.index("Warum?")


def test_earlier_turns_stand_between_rules_and_question_oldest_first() -> None:
    told = prompt(history=(Turn("Eins?", "Ja [1]."), Turn("Zwei?", "Nein [2].")))
    assert [message["role"] for message in told.messages] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert [message["content"] for message in told.messages[1:-1]] == ["Eins?", "Ja.", "Zwei?", "Nein."]


def test_a_long_conversation_leaves_room_for_the_passages() -> None:
    told = prompt(history=(Turn("Alt?", SENTENCE * 60), Turn("Neu?", "Ja.")), context_tokens=2048, answer_tokens=200)
    assert [message["content"] for message in told.messages[1:-1]] == ["Neu?", "Ja."]
    assert told.passages


def test_a_question_longer_than_its_share_is_cut_after_a_sentence() -> None:
    told = prompt("Warum ist das so? " + SENTENCE * 200)
    assert told.question_cut
    assert told.messages[-1]["content"].endswith("weil dort die Sonne scheint.")
    assert told.passages


@given(
    st.integers(0, 80), st.lists(st.integers(1, 60), max_size=6), st.lists(st.integers(1, 40), max_size=6),
    st.integers(1024, 4096),
)  # fmt: skip
def test_everything_together_stays_within_the_window(
    asked: int, texts: list[int], turns: list[int], window: int
) -> None:
    told = prompt(
        "Warum? " + SENTENCE * asked,
        tuple(SENTENCE * count for count in texts),
        tuple(Turn("Warum?", SENTENCE * count) for count in turns),
        context_tokens=window,
        answer_tokens=100,
    )
    assert sum(estimate_tokens(message["content"]) for message in told.messages) <= window - 100
