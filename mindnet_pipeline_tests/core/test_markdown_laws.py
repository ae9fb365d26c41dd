from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core.markdown import parse_markdown

MARKS = [
    "[[",
    "]]",
    "[",
    "]",
    "(",
    ")",
    "![[",
    "|",
    "\\|",
    "#",
    "^",
    "`",
    "```",
    "~~~",
    "$",
    "$$",
    "%%",
    "<!--",
    "-->",
    "<",
    ">",
    "> ",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "\t",
    " ",
    "    ",
    "- ",
    "* ",
    "1. ",
    "10) ",
    "+",
    "---",
    "===",
    "\n---\n",
    "\n===\n",
    "|-|-|\n",
    "a",
    "Ziel",
    "ä",
    "😀",
    "\u00a0",
    "\u2028",
    "\x00",
    "\x0c",
    "::",
    "key:: ",
    "rel:x ",
    "[!edge] ",
    "[!note]- ",
    "[^1]",
    "[^1]: ",
    "[a]: b\n",
    "<div>",
    "</div>",
    "\\",
    "*",
    "_",
    "**",
    "https://a.b",
    "mailto:",
    "%20",
    "&amp;",
    "'",
    '"',
    "[ ] ",
    "#tag",
    "!",
    ":",
    ".md",
]
bodies = st.lists(st.sampled_from(MARKS), max_size=40).map("".join) | st.text(max_size=60)
quick = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(bodies)
@quick
@example("  - a\n\t* b\n")
@example("*\t\n\tx")
@example("- \x0c")
@example("[a]: b")
def test_each_block_starts_at_a_line_start_and_none_overlaps_the_next(body: str) -> None:
    ends = [0]
    for block in parse_markdown(body).blocks:
        assert ends[-1] <= block.start < block.end <= len(body)
        assert block.start == 0 or body[block.start - 1] in "\r\n"
        assert block.end == len(body) or body[block.end - 1] in "\r\n"
        ends.append(block.end)


@given(bodies)
@quick
def test_what_lies_between_blocks_is_blank(body: str) -> None:
    end = 0
    for block in parse_markdown(body).blocks:
        assert not body[end : block.start].strip(" \t\r\n")
        end = block.end
    assert not body[end:].strip(" \t\r\n")


@given(bodies)
@quick
def test_the_items_of_a_list_lie_in_it_one_after_the_other(body: str) -> None:
    for block in parse_markdown(body).blocks:
        end = block.start
        for start, stop in block.items:
            assert end <= start < stop <= block.end
            end = stop


@given(bodies)
@quick
def test_a_link_span_cuts_out_the_link_as_written(body: str) -> None:
    for link in parse_markdown(body).links:
        written = body[link.start : link.end]
        if link.syntax == "mdlink":
            assert written[0] in "[<" or "://" in written
        elif link.syntax == "embed":
            assert written.startswith("![")
        else:
            assert written.startswith("[[")
            assert written.endswith("]]")
            assert link.target in written


@given(bodies)
@quick
def test_links_come_in_the_order_of_their_positions(body: str) -> None:
    starts = [link.start for link in parse_markdown(body).links]
    assert starts == sorted(starts)


@given(bodies)
@quick
def test_line_ends_change_nothing_but_positions(body: str) -> None:
    unix = body.replace("\r\n", "\n").replace("\r", "\n")
    one, other = parse_markdown(unix), parse_markdown(unix.replace("\n", "\r\n"))
    assert [(b.kind, b.level, b.title) for b in one.blocks] == [(b.kind, b.level, b.title) for b in other.blocks]
    assert [(k.syntax, k.target, k.kind) for k in one.links] == [(k.syntax, k.target, k.kind) for k in other.links]


@pytest.mark.parametrize(
    "text",
    [
        "> " * 5000 + "a",
        "- " * 5000 + "a",
        "[[" * 5000,
        "[" * 9000 + "]" * 9000,
        "`" * 9000,
        "[^a]: " * 3000,
        "\t" * 9000 + "x",
    ],
)
def test_any_depth_of_nesting_is_read(text: str) -> None:
    assert parse_markdown(text).blocks
