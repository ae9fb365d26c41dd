"""Lines of text, for marko: where a paragraph goes on, what ends it, and the heading that an underline makes of it.

Text is kept as `pieces`: spans of the body, one a line.
"""

# ruff: noqa: D102 `match` and `parse` mean what they mean in marko.block.BlockElement

from __future__ import annotations

import re
from typing import Any

from marko import block

from mindnet_pipeline.core.markdown.source import AnySource
from mindnet_pipeline.core.model import Span

_BREAKERS = frozenset("#>`~-*+_<$%[0123456789")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_LINE_MARKS = re.compile(r"\\.|(`+)(?:(?!`).)*?(?<!`)\1(?!`)|%%|\$\$")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LIST_START = re.compile(r" {0,3}(?:[-+*]|0{0,8}1[.)])[ \t]+[^\s]")
_LIST_ANY = re.compile(r" {0,3}(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\n]|\Z)")


class Paragraph(block.Paragraph):
    """Lines of text. A comment or formula that a line opens keeps the lines up to its end together."""

    override = True

    def __init__(self, pieces: tuple[Span, ...]) -> None:
        self.pieces = pieces
        self.children = []

    @classmethod
    def match(cls, source: AnySource) -> Any:
        return source.content_start() >= 0

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        pieces: list[Span] = []
        _take_line(source, pieces)
        while not source.exhausted and not cls.break_paragraph(source):
            start = source.content_start()
            if start < 0:
                if not cls._take_lazy_line(source, pieces):
                    break
                continue
            underline = source.text[start : start + 4].strip(" ")[:1] in {"=", "-"} and source.expect_re(_UNDERLINE)
            if underline:
                source.next_line()
                source.consume()
                return SetextHeading(1 if "=" in underline.group() else 2, tuple(pieces))
            _take_line(source, pieces)
        return cls(tuple(pieces))

    @classmethod
    def _take_lazy_line(cls, source: AnySource, pieces: list[Span]) -> bool:
        """Take a line that lacks the prefix of an open container but continues its text (CommonMark 5.1)."""
        states = source._states[:]  # noqa: SLF001 as marko's own paragraph does it
        taken = False
        while source.depth > 1 and not taken:
            source.pop_state()
            if source.content_start() < 0:
                continue
            if cls.break_paragraph(source, lazy=True):
                break
            _take_line(source, pieces)
            taken = True
        source._states = states  # noqa: SLF001
        return taken

    @classmethod
    def break_paragraph(cls, source: AnySource, lazy: bool = False) -> bool:
        start = source.content_start()
        if start < 0:
            return False
        first = source.first_character(start)
        if first == "":
            return True
        if first not in _BREAKERS:
            return bool(not lazy and "|" in source.text[start : source.line_end(start)] and _match(source, "Table"))
        return cls._starts_block(source, first, lazy)

    @classmethod
    def _starts_block(cls, source: AnySource, first: str, lazy: bool) -> bool:
        elements = source.parser.breaking_elements(first)
        if any(element.match(source) for element in elements):
            return True
        if lazy and isinstance(source.state, block.List) and _match(source, "ListItem"):
            return True
        if source.expect_re(_LIST_ANY if lazy else _LIST_START) and not _match(source, "ThematicBreak"):
            return True
        if first == "<":
            return _match(source, "HTMLBlock") not in {False, 7}
        if _match(source, "ThematicBreak"):
            return lazy or not source.expect_re(_UNDERLINE)
        return not lazy and bool(_match(source, "Table"))


class SetextHeading(block.SetextHeading):
    """Lines over an underline."""

    override = True

    def __init__(self, level: int, pieces: tuple[Span, ...]) -> None:
        self.level = level
        self.pieces = pieces


def _match(source: AnySource, name: str) -> Any:
    return source.parser.block_elements[name].match(source)


def _take_line(source: AnySource, pieces: list[Span]) -> None:
    """Take the line, and those behind it up to the end of a comment or formula that it leaves open."""
    start = source.content_start()
    end = source.line_end(start)
    opened = _left_open(source.text[start:end])
    closing = source.text.find(opened, end) if opened else -1
    if closing >= 0 and _BLANK_LINE.search(source.text, end - 1, closing):
        closing = -1
    stop = source.line_end(closing) if closing >= 0 else end
    while source.pos < stop:
        start = max(source.content_start(), source.pos)
        end = source.line_end(start)
        pieces.append((start, end))
        source.pos = start
        source.next_line(require_prefix=False)
        source.consume()


def _left_open(line: str) -> str:
    if "%%" not in line and "$$" not in line:
        return ""
    opened = ""
    for mark in _LINE_MARKS.finditer(line):
        found = mark.group()
        if found == opened:
            opened = ""
        elif not opened and found in {"%%", "$$"}:
            opened = found
    return opened
