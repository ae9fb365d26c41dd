"""Thoughts at the beginning of an answer are left out, in whatever pieces they come."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.conversation.thinking import ThoughtFilter


def answered(*pieces: str) -> str:
    thoughts = ThoughtFilter()
    return "".join(thoughts.feed(piece) for piece in pieces) + thoughts.close()


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("<think>\nHm [1] oder [2]?\n</think>\n\nWegen der Sonne [1].", "Wegen der Sonne [1]."),
        ("<think></think>Ja.", "Ja."),
        ("Ja, <think> ist ein Wort.", "Ja, <think> ist ein Wort."),
        ("<thin ice", "<thin ice"),
        ("  Ja.", "  Ja."),
        ("<", "<"),
        ("<think>noch nicht fertig", ""),
    ],
)
def test_only_the_answer_is_left(said: str, answer: str) -> None:
    assert answered(said) == answer


@given(st.text(alphabet="<think>/ a\n", max_size=40), st.integers(1, 7))
def test_the_pieces_change_nothing(said: str, size: int) -> None:
    assert answered(*(said[start : start + size] for start in range(0, len(said), size))) == answered(said)
