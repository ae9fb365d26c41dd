r"""GFM tables for marko: rows of cells whose text is a span of the body, an escaped `\|` included."""

# ruff: noqa: D102 `match` and `parse` mean what they mean in marko.block.BlockElement

from __future__ import annotations

import re
from typing import Any

from marko import block

from mindnet_pipeline.core.markdown.source import AnySource
from mindnet_pipeline.core.model import Span

_DELIMITER_ROW = re.compile(
    r"""
    (?!\ {0,3}-[ \t]+\S)             # an item of a list
    (?=[^\n]*[|:])                    # else it is the underline of a heading
    \ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$
    """,
    re.MULTILINE | re.VERBOSE,
)
_PIPE = re.compile(r"\\.|\|")


class Table(block.BlockElement):
    """A header row, a delimiter row with as many cells, and rows up to a blank line or another block."""

    priority = 2
    children = ()

    def __init__(self, pieces: tuple[Span, ...]) -> None:
        self.cells = pieces

    @classmethod
    def match(cls, source: AnySource) -> Any:
        start = source.content_start()
        if start < 0 or source.first_character(start) in {"", " "}:
            return False
        end = source.line_end(start)
        if "|" not in source.text[start:end]:
            return False
        columns = cls._delimiter_cells(source, end)
        return columns > 0 and columns == len(cells_of(source.text, start, end))

    @classmethod
    def _delimiter_cells(cls, source: AnySource, start: int) -> int:
        """How many cells the delimiter row at `start` has; 0 if there is none."""
        pos, source.pos = source.pos, start
        try:
            row = None if source.exhausted else source.expect_re(_DELIMITER_ROW)
            return len(cells_of(source.text, row.start(), row.end())) if row else 0
        finally:
            source.pos = pos

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        cells: list[Span] = []
        row = 0
        while not source.exhausted and (row < 2 or not cls._ends(source)):
            start = source.content_start()
            cells += cells_of(source.text, start, source.line_end(start)) if row != 1 else ()
            source.next_line()
            source.consume()
            row += 1
        return cls(tuple(cells))

    @staticmethod
    def _ends(source: AnySource) -> bool:
        start = source.content_start()
        if start < 0:
            return True
        first = source.first_character(start)
        if first in {"", " "} or not cells_of(source.text, start, source.line_end(start)):
            return True
        elements = source.parser.candidates(first)
        return any(e.match(source) for e in elements if not issubclass(e, Table | block.Paragraph | block.LinkRefDef))


def cells_of(text: str, start: int, end: int) -> list[Span]:
    r"""The spans of a row's cells, between the pipes that are not escaped.

    >>> cells_of(r"| a | b\|c |", 0, 12)
    [(1, 4), (5, 11)]
    """
    while end > start and text[end - 1] in " \t\n":
        end -= 1
    while start < end and text[start] in " \t":
        start += 1
    if start < end and text[start] == "|":
        start += 1
    cells: list[Span] = []
    for pipe in _PIPE.finditer(text, start, end):
        if pipe.group() == "|":
            cells.append((start, pipe.start()))
            start = pipe.end()
    if start < end:
        cells.append((start, end))
    return cells
