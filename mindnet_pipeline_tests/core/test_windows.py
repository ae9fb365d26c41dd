from __future__ import annotations

import pytest

from mindnet_pipeline.core.windows import context_line, readable


def test_the_context_line_has_title_and_sections_on_one_line() -> None:
    assert context_line("Ti\ntel", ("A", "", "B  C")) == "Ti tel › A › B C"


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
