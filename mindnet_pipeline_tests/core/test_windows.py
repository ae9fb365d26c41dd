from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

import pytest

from mindnet_pipeline.core.registry import ChunkSizes
from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.core.windows import context_line, joined_window, overlap_text, readable, window_text
from mindnet_pipeline_tests.core.chunking_bodies import chunked


def test_the_context_line_has_title_and_sections_on_one_line() -> None:
    assert context_line("Ti\ntel", ("A", "", "B  C")) == "Ti tel › A › B C"


def test_a_paragraph_that_is_a_heading_stays_out_of_the_context_line() -> None:
    assert context_line("Wort " * 100, ("A", "Satz " * 50)) == "A"
    assert context_line("x" * 160, ("x" * 161,)) == "x" * 160


def window(body: str) -> str:
    """The window of a note without title that is one chunk."""
    (chunk,) = chunked(body, ChunkSizes("p", 200, 300, 500, 100, 0), WordCounter())[1]
    return window_text(chunk, "")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a %%weg%% b", "a  b"),
        ("a %%weg\nauch%% b", "a  b"),
        ("a <!-- weg\nauch --> b", "a  b"),
        ("<!-- weg\n\nauch --> b", "b"),
        ("<div>\na <!-- weg --> b\n</div>", "<div>\na  b\n</div>"),
        ("a\n\n<!-- offen", "a"),
        ("> a\n> %% weg\n> auch %%\n> b", "> a\n> \n> b"),
        ("- ```\n  x\n  ```\n\na %%weg%% b", "- ```\n  x\n  ```\n\na  b"),
        ("x\n```compressed-json\nN4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqAT\n```\ny", "x\ny"),
        ("- x\n  ```compressed-json\n  N4KA\n  ```\n- y", "- x\n  - y"),
        ("%%\n## Drawing\n```json\n{}\n```\n%%\nz", "z"),
        ("| a | b |\n|---|---|\n| %%weg%% | y |", "b: y\n| a | b |\n|---|---|\n|  | y |"),
    ],
)
def test_comments_and_drawings_are_left_out(body: str, expected: str) -> None:
    assert window(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "`%%bleibt%%`",
        "``%%bleibt\nauch%%``",
        "```tex\n%% bleibt %%\n<!-- auch -->\n```",
        "- ```html\n  a <!-- bleibt --> b\n  ```",
        "a\n\n    <!-- bleibt --> %%auch%%",
        "$$\n%% bleibt\na = b\n%% auch\n$$",
        "$a %%bleibt%% b$",
        "a <!-- offen",
        "Erst 100 %% am Ende.\n\nDann [[das]].\n\nNoch 5 %% mehr.",
        "[[a%%b%%c]]",
        r"a \%%bleibt\%% b",
    ],
)
def test_what_looks_like_a_comment_but_is_none_stays(body: str) -> None:
    assert window(body) == body


def test_of_the_chunk_before_nothing_hidden_is_repeated() -> None:
    previous = chunked("Eins. %%weg%% Zwei.", ChunkSizes("p", 200, 300, 500, 100, 0), WordCounter())[1][0]
    assert overlap_text(previous, 14) == "  Zwei."
    assert overlap_text(previous, 10) == " Zwei."
    assert overlap_text(previous, 0) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![](data:image/png;base64," + "aB3" * 60 + ")", "![]()"),
        ("a" * 300, "a" * 300),
        ("[x](https://a.de/2024/" + "Wie-man-Orchideen-pflegt-" * 8 + ")",) * 2,
        ("docs/" + "Kapitel_12/Abschnitt_3/" * 8,) * 2,
        ("\n".join(["Zeile12" * 6, "kurz", "Zeile12" * 6]),) * 2,
    ],
)
def test_of_long_runs_only_base64_is_left_out(text: str, expected: str) -> None:
    assert readable(text) == expected


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("width", [64, 76, 1000])
@pytest.mark.parametrize("prefix", ["", "  ", "> "])
def test_base64_is_left_out_however_it_is_wrapped(prefix: str, width: int, encode: Callable[[bytes], bytes]) -> None:
    for seed in range(40):
        digest = hashlib.sha512(str(seed).encode()).digest() * 3
        run = encode(digest[: 100 + seed]).decode()
        lines = [prefix + run[at : at + width] for at in range(0, len(run), width)]
        text = "\n".join(["-----BEGIN KEY-----", *lines, "-----END KEY-----"])
        assert readable(text).replace(prefix, "").split("\n") == ["-----BEGIN KEY-----", "", "-----END KEY-----"], run


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
