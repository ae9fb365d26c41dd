"""Blocks that hold blocks, for marko: quotes and callouts, lists and their items, footnotes.

A container says by its `_prefix` what stands before the content of its lines. All of them stop at `MAX_DEPTH`.
"""

# ruff: noqa: D102 `match` and `parse` mean what they mean in marko.block.BlockElement

from __future__ import annotations

import re
from typing import Any

from marko import block

from mindnet_pipeline.core.markdown.leaves import ThematicBreak
from mindnet_pipeline.core.markdown.source import MAX_DEPTH, AnySource, compiled
from mindnet_pipeline.core.model import Span

_CALLOUT = re.compile(r" {0,3}> ?[ \t]*\[!([^\]\n]*)\][+-]?[ \t]*([^\n]*)")


class Quote(block.Quote):
    """A block quote; a callout if its first line says so."""

    override = True
    _prefix = r" {0,3}>[ \t]?"
    callout: str | None = None
    """The callout's type as written; None for a plain quote."""
    title = ""

    @classmethod
    def match(cls, source: AnySource) -> Any:
        return source.depth < MAX_DEPTH and source.expect_re(r" {0,3}>")

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        head = source.expect_re(_CALLOUT)
        quote = cls()
        if head:
            quote.callout, quote.title = head[1].strip(), head[2].strip()
        with source.under_state(quote):
            quote.children = source.parser.parse_source(source)
        return quote


class List(block.List):
    """A list, down to the depth that is parsed."""

    override = True
    pattern = re.compile(r" {0,3}([0-9]{1,9}[.)]|[-+*])(?=[ \t\n]|\Z)")

    @classmethod
    def match(cls, source: AnySource) -> Any:
        return source.depth + 1 < MAX_DEPTH and bool(super().match(source))


class ListItem(block.ListItem):
    """An item; one whose first line stays empty is an item too."""

    override = True
    pattern = re.compile(r"( {0,3})([-+*]|[0-9]{1,9}[.)])(?=[ \t\n]|\Z)([ \t]*)")

    @classmethod
    def match(cls, source: AnySource) -> Any:
        marker = source.expect_re(cls.pattern)
        parent = source.state
        if not marker or not isinstance(parent, block.List):
            return False
        bullet = marker[2]
        if bullet[-1] != parent.bullet[-1] or parent.ordered != bullet[:-1].isdigit():
            return False
        if bullet in {"-", "*"} and source.expect_re(ThematicBreak.pattern):
            return False
        indent, width = cls._columns(source, marker)
        source.context.list_item_info = cls.ParseInfo(indent, bullet, 1 if width > 4 else width)
        return True

    @staticmethod
    def _columns(source: AnySource, marker: re.Match[str]) -> Span:
        """How many columns stand before the marker, and between it and its text (0 if there is no text)."""
        text, pos, end = source.text, source.pos, marker.end()
        empty = end == len(text) or text[end] == "\n"
        if "\t" not in text[pos:end]:
            return len(marker[1]), 0 if empty else len(marker[3])
        prefix = compiled(source.prefix).match(text[pos : marker.start(2)].expandtabs(4))
        before = len(text[pos : marker.start(2)].expandtabs(4)) - (prefix.end() if prefix else 0)
        behind = len(text[pos:end].expandtabs(4)) - len(text[pos : marker.end(2)].expandtabs(4))
        return before, 0 if empty else behind

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        state = cls(source.context.list_item_info)
        children: list[Any] = []
        with source.under_state(state):
            if not (source.next_line() or "").strip(" \t\n"):
                source.consume()
                following = None if source.exhausted else source.next_line()
                if not following or not following.strip(" \t\n"):
                    state.children = []
                    return state
            before = source.pos
            children = source.parser.parse_source(source)
            if source.pos == before:  # blanks and tabs so mixed that no line fits: never parse one twice
                source.next_line(require_prefix=False)
                source.consume()
        if children and isinstance(children[-1], block.BlankLine):
            blank = children.pop()
            if children:
                source.pos = blank._anchor  # noqa: SLF001 as marko's own item does it
        state.children = children
        return state


class FootnoteDef(block.BlockElement):
    """`[^label]: text`, continued by indented lines."""

    priority = 7
    breaks_paragraph = True
    pattern = re.compile(r" {0,3}\[\^[^\]\s]+\]:")

    def __init__(self, written: str) -> None:
        self._prefix = re.escape(written) + r"[ \t]*"
        self._second_prefix = r"(?: {4}|\t)"
        self.children = []

    @classmethod
    def match(cls, source: AnySource) -> Any:
        return source.depth < MAX_DEPTH and source.expect_re(cls.pattern)

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        assert source.match is not None  # noqa: S101 set by match
        state = cls(source.match.group())
        with source.under_state(state):
            state.children = source.parser.parse_source(source)
        return state
