from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.core.tokens import WordCounter


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", []),
        ("Zwei Wörter.", [0, 5, 11]),
        ("日本語ok", [0, 1, 2, 3]),
        ("a1 __ 2", [0, 3, 6]),
        ("über-all", [0, 4, 5]),
    ],
)
def test_words_numbers_marks_and_cjk_count_one_each(text: str, starts: list[int]) -> None:
    assert WordCounter().token_offsets(text) == starts


@given(st.text())
def test_offsets_rise_and_lie_in_the_text(text: str) -> None:
    offsets = WordCounter().token_offsets(text)
    assert offsets == sorted(set(offsets))
    assert all(0 <= offset < len(text) for offset in offsets)
