"""marko's parser with the elements of an Obsidian vault: a body → marko's tree of blocks.

Elements are chosen by a line's first character, so that a line of prose costs one look, not fifteen patterns. What
stands inside a line is left to inline.py: of it only links and tags are wanted, and marko's own pass is quadratic in
brackets.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from marko import block
from marko.parser import Parser

from mindnet_pipeline.core.markdown import containers, leaves, paragraphs, tables
from mindnet_pipeline.core.markdown.source import BodySource

_ELEMENTS = (
    leaves.BlankLine, leaves.CodeBlock, leaves.CommentBlock, leaves.FencedCode, containers.FootnoteDef,
    leaves.Heading, leaves.HTMLBlock, leaves.LinkRefDef, containers.List, containers.ListItem, leaves.MathBlock,
    paragraphs.Paragraph, containers.Quote, paragraphs.SetextHeading, leaves.ThematicBreak, tables.Table,
)  # fmt: skip
_STARTS = {
    "BlankLine": [""], "CodeBlock": [" "], "CommentBlock": "%", "FencedCode": "`~", "FootnoteDef": "[", "Heading": "#",
    "HTMLBlock": "<", "LinkRefDef": "[", "List": "-+*0123456789", "MathBlock": "$", "Quote": ">",
    "ThematicBreak": "-_*",
}  # fmt: skip
"""The first characters of the elements that need one; the others may start with any."""


class VaultParser(Parser):
    """CommonMark, GFM tables and footnotes, and Obsidian's comments, formulas and callouts, as far as blocks go."""

    def __init__(self) -> None:
        super().__init__()
        for element in _ELEMENTS:
            self.add_element(element)
        ordered = self._build_block_element_list()
        self._by_first = {first: _starting_with(first, ordered) for first in {c for s in _STARTS.values() for c in s}}
        self._others = tuple(e for e in ordered if e.get_type() not in _STARTS)

    def candidates(self, first: str) -> tuple[Any, ...]:
        """The elements that may start with this character, by priority."""
        return self._by_first.get(first, self._others)

    @lru_cache(maxsize=64)  # noqa: B019 one parser lives as long as the process
    def breaking_elements(self, first: str) -> tuple[Any, ...]:
        """Those of them that end a paragraph whenever they match."""
        return tuple(e for e in self.candidates(first) if e.breaks_paragraph)

    def parse(self, text: str) -> block.Document:
        """The tree of blocks; positions are those of the text."""
        source = BodySource(text)
        source.parser = self
        document = block.Document()
        with source.under_state(document):
            document.children = self.parse_source(source)
        return document

    def parse_source(self, source: Any) -> list[block.BlockElement]:
        """The blocks from here to the end of the open container."""
        blocks: list[block.BlockElement] = []
        while not source.exhausted:
            start = source.content_start()
            if start < 0:
                break
            element = self._next_element(source, source.first_character(start))
            if element is None:
                break
            before = source.pos
            parsed = element.parse(source)
            if not isinstance(parsed, block.BlockElement):
                parsed = element(parsed)
            if source.pos == before:  # a container whose own marker does not fit its line: the line is text
                parsed = paragraphs.Paragraph.parse(source)
            parsed.source_span = (start, source.pos)
            blocks.append(parsed)
        return blocks

    def _next_element(self, source: BodySource, first: str) -> Any:
        for element in self.candidates(first):
            if element.match(source):
                return element
        return None


def _starting_with(first: str, ordered: list[Any]) -> tuple[Any, ...]:
    if not first:
        return (leaves.BlankLine,)
    return tuple(element for element in ordered if first in _STARTS.get(element.get_type(), first))
