from __future__ import annotations

import pytest

from mindnet_pipeline.core.windows import context_line, joined_window, readable


def test_the_context_line_has_title_and_sections_on_one_line() -> None:
    assert context_line("Ti\ntel", ("A", "", "B  C")) == "Ti tel › A › B C"


def test_a_paragraph_that_is_a_heading_stays_out_of_the_context_line() -> None:
    assert context_line("Wort " * 100, ("A", "Satz " * 50)) == "A"
    assert context_line("x" * 160, ("x" * 161,)) == "x" * 160


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a %%weg%% b", "a  b"),
        ("a <!-- weg\nauch --> b", "a  b"),
        ("a <!-- offen", "a "),
        ("`%%bleibt%%`", "`%%bleibt%%`"),
        ("```tex\n%% bleibt %%\n<!-- auch -->\n```\n", "```tex\n%% bleibt %%\n<!-- auch -->\n```\n"),
        ("x\n```compressed-json\nN4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqAT\n```\ny", "x\n\ny"),
        ("%%\n## Drawing\n```json\n{}\n```\n%%\nz", "\nz"),
        ("![](data:image/png;base64," + "aB3" * 60 + ")", "![]()"),
        ("a" * 300, "a" * 300),
    ],
)
def test_what_nobody_reads_is_left_out(text: str, expected: str) -> None:
    assert readable(text) == expected


def test_a_window_is_context_line_summary_and_text_one_under_the_other() -> None:
    assert joined_window("Titel › A", "A: eins, zwei", "Text.\n") == "Titel › A\nA: eins, zwei\nText."
    assert joined_window("", "", "Text.\n") == "Text."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n\n\n \t\nb", "a\n\nb"),
        ("a\r\n\r\n\r\nb", "a\n\nb"),
        ("ﬁnden ｗｅｉｔ ²", "finden weit 2"),
        ("Scho\u0308n", "Schön"),
        ("ein\u00adge\u200bteilt", "eingeteilt"),
    ],
)
def test_a_window_is_in_one_spelling_without_runs_of_blank_lines(text: str, expected: str) -> None:
    assert joined_window("", "", text) == expected
