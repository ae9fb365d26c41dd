"""Citations: only numbers that exist come through, in one way of writing, however the text arrives."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.conversation.citations import CitationFilter


def checked(*pieces: str, count: int = 3) -> tuple[str, list[int], list[int]]:
    check = CitationFilter(count)
    text = "".join(check.feed(piece) for piece in pieces) + check.close()
    return text, check.cited, check.removed


@pytest.mark.parametrize(
    ("written", "passed"),
    [
        ("Im Haus [1].", "Im Haus [1]."),
        ("Im Haus [1][3].", "Im Haus [1][3]."),
        ("Im Haus [1, 3].", "Im Haus [1][3]."),
        ("Im Haus [1-3].", "Im Haus [1][2][3]."),
        ("Im Haus [3-2].", "Im Haus [2][3]."),
        ("Im Haus [1 und 2].", "Im Haus [1][2]."),
        ("Im Haus [^2].", "Im Haus [2]."),
        ("Im Haus [Quelle 2].", "Im Haus [2]."),
        ("Im Haus [Passage 1, Passage 2].", "Im Haus [1][2]."),
        ("Im Haus 【1†source】.", "Im Haus [1]."),
        ("Im Haus [2][2].", "Im Haus [2][2]."),
    ],
)
def test_every_way_to_cite_becomes_one(written: str, passed: str) -> None:
    assert checked(written)[0] == passed


@pytest.mark.parametrize(
    ("written", "passed", "removed"),
    [
        ("Im Haus [9].", "Im Haus.", [9]),
        ("Im Haus [1, 9].", "Im Haus [1].", [9]),
        ("Im Haus [0].", "Im Haus.", [0]),
        ("Im Haus [2-9].", "Im Haus [2].", [9]),
        ("Seit [2024] so.", "Seit so.", [2024]),
        ("[7] Im Haus", " Im Haus", [7]),
        ("Zeile\n[8]\nZeile", "Zeile\n\nZeile", [8]),
        ("Im Haus [1–999999999].", "Im Haus [1].", [999999999]),
    ],
)
def test_numbers_that_name_no_passage_are_taken_out_and_reported(written: str, passed: str, removed: list[int]) -> None:
    text, _, gone = checked(written)
    assert (text, gone) == (passed, removed)


@pytest.mark.parametrize(
    "text",
    [
        "Der Wert `row[9]` ist leer.",
        "``row[9] ` x``",
        "```python\nrow[9]\n```\n",
        "~~~\n[9]\n~~~\nDanach",
        "- [ ] offen\n- [x] fertig",
        "Siehe [[Qdrant]] und [Text](https://example.org).",
        "Eine offene [ Klammer",
        "Ende [",
    ],
)
def test_what_is_no_citation_stays_as_it_is(text: str) -> None:
    assert checked(text)[0] == text


def test_a_backtick_that_is_never_closed_hides_no_citation() -> None:
    assert checked("Ein ` und dann [9].") == ("Ein ` und dann.", [], [9])


def test_after_a_closed_fence_citations_count_again() -> None:
    assert checked("```\n[9]\n```\nIm Haus [9] [1]")[1:] == ([1], [9])


def test_numbers_are_reported_once_in_the_order_of_appearance() -> None:
    assert checked("a [3] b [1][3] c [8] d [8][7]")[1:] == ([3, 1], [8, 7])


def test_text_is_passed_on_as_soon_as_it_is_certain() -> None:
    check = CitationFilter(3)
    assert [check.feed(piece) for piece in ("Im Haus", " [", "1", "]", " und")] == ["Im Haus", "", "", " [1]", " und"]


ANSWERS = st.text(alphabet="ab [](){}`~0139,-^\n【】†.", max_size=60)


@given(ANSWERS, st.lists(st.integers(0, 60), max_size=8))
def test_the_way_it_arrives_in_changes_nothing(text: str, cuts: list[int]) -> None:
    ends = sorted({0, *(min(cut, len(text)) for cut in cuts), len(text)})
    pieces = [text[a:b] for a, b in pairwise(ends)]
    assert checked(*pieces) == checked(text)


@given(ANSWERS)
def test_no_unknown_number_is_left_outside_of_code(text: str) -> None:
    passed, cited, _ = checked(text.replace("`", "").replace("~", ""))
    left = [int(number) for number in re.findall(r"\[(\d+)\]", passed)]
    assert set(left) <= set(cited) <= {1, 2, 3}


@given(st.text(alphabet="ab (){}`~01.\n", max_size=60))
def test_text_without_brackets_is_never_changed(text: str) -> None:
    assert checked(text) == (text, [], [])
