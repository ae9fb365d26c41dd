"""Markdown as Obsidian writes it: a body → its top-level blocks, links and tags, with spans into the body.

marko parses (parser.py with its source, leaves, paragraphs, containers and tables); inline.py reads the text inside the
blocks; targets.py, relations.py and property_links.py say what links mean; titles.py makes plain text of a title.
Nothing here knows a vault, a note or the relation vocabulary.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from marko import block

from mindnet_pipeline.core.markdown import containers, leaves, tables
from mindnet_pipeline.core.markdown.inline import Inlines, InlineText, is_plain, scan_inline
from mindnet_pipeline.core.markdown.parser import VaultParser
from mindnet_pipeline.core.markdown.relations import typed_by_callout
from mindnet_pipeline.core.markdown.source import same_length_lines
from mindnet_pipeline.core.markdown.titles import plain_title
from mindnet_pipeline.core.model import Block, BlockKind, Link, Span

__all__ = ["Markdown", "parse_markdown"]

_KINDS: tuple[tuple[type, BlockKind], ...] = (
    (block.Paragraph, "paragraph"), (block.Heading, "heading"), (block.SetextHeading, "heading"), (block.List, "list"),
    (block.FencedCode, "code"), (block.CodeBlock, "code"), (tables.Table, "table"), (block.HTMLBlock, "html"),
    (leaves.MathBlock, "math"), (leaves.CommentBlock, "comment"), (block.ThematicBreak, "break"),
    (containers.FootnoteDef, "footnote"), (block.LinkRefDef, "paragraph"), (block.Quote, "quote"),
)  # fmt: skip
_HOLDERS = (block.List, block.ListItem, block.Quote, containers.FootnoteDef)
_UNSEEN = (block.BlankLine, block.Paragraph, block.LinkRefDef, block.ListItem)
"""Of what is nested, that which is no block of its own."""
_DRAWING = "compressed-json"
_HTML_TAG = re.compile(r"\s*<([A-Za-z][A-Za-z0-9-]*)")
_HTML_COMMENT = re.compile(r"<!--.*?-->|\A[ \t]*<!--.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Markdown:
    """What is in a body: blocks in order, links in order of position, tags in order of first use without `#`.

    `nested`, `hidden` and `unbroken` are those of `model.Note`.
    """

    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]
    nested: tuple[Block, ...]
    hidden: tuple[Span, ...]
    unbroken: tuple[Span, ...]


def parse_markdown(body: str) -> Markdown:
    r"""Read a body. Any text is valid; nothing raises.

    >>> note = parse_markdown("## Kontext\n\nSiehe [[Ziel#Teil|dort]] #idee\n")
    >>> [b.kind for b in note.blocks], note.links[0].target, note.tags
    (['heading', 'paragraph'], 'Ziel', ('idee',))
    """
    document = _parser().parse(body)
    reading = _Reading(same_length_lines(body), document.link_ref_defs)
    reading.read(document)
    return Markdown(
        blocks=tuple(
            _block(reading.text, child) for child in document.children if not isinstance(child, block.BlankLine)
        ),
        links=tuple(reading.typed_links()),
        tags=tuple(dict.fromkeys(reading.inlines.tags)),
        nested=tuple(_nested(reading.text, document)),
        hidden=tuple(sorted([*reading.hidden, *reading.inlines.comments])),
        unbroken=tuple(sorted(reading.inlines.unbroken)),
    )


@lru_cache(maxsize=1)
def _parser() -> VaultParser:
    return VaultParser()


@dataclass(slots=True)
class _Reading:
    """Collects what a tree of blocks holds, in the order of the text."""

    text: str
    definitions: dict[str, tuple[str, str]]
    inlines: Inlines = field(default_factory=Inlines)
    hidden: list[Span] = field(default_factory=list)
    edge_callouts: list[Span] = field(default_factory=list)

    def read(self, document: Any) -> None:
        pending = [document]
        while pending:
            element = pending.pop()
            self.hidden += _hidden(self.text, element)
            if isinstance(element, tables.Table):
                for cell in element.cells:
                    self._scan((cell,))
            elif pieces := getattr(element, "pieces", None):
                self._scan(pieces)
            else:
                pending.extend(reversed(element.children))
                if element.source_span and (getattr(element, "callout", None) or "").lower() == "edge":
                    self.edge_callouts.append(element.source_span)

    def _scan(self, pieces: tuple[Span, ...]) -> None:
        if not is_plain(self.text, pieces[0][0], pieces[-1][1], self.definitions):
            scan_inline(InlineText.of(self.text, pieces), self.definitions, self.inlines)

    def typed_links(self) -> list[Link]:
        """The links in order of position, those of edge callouts with their kinds."""
        links = sorted(self.inlines.links, key=lambda link: (link.start, -link.end))
        starts = [link.start for link in links]
        for start, end in self.edge_callouts:
            first, last = bisect_left(starts, start), bisect_left(starts, end)
            links[first:last] = typed_by_callout(self.text, (start, end), links[first:last])
        return links


def _nested(text: str, document: block.Document) -> Iterator[Block]:
    """The blocks inside others, in order, that are no paragraphs."""
    pending: list[Any] = [child for holder in reversed(document.children) for child in reversed(_held(holder))]
    while pending:
        element = pending.pop()
        pending.extend(reversed(_held(element)))
        if not isinstance(element, _UNSEEN):
            yield _block(text, element)


def _held(element: Any) -> Sequence[Any]:
    return element.children if isinstance(element, _HOLDERS) else ()


def _hidden(text: str, element: Any) -> Iterator[Span]:
    """The spans of a block that no reader sees: comments, and the compressed form of a drawing."""
    start, end = element.source_span or (0, 0)
    if isinstance(element, leaves.CommentBlock):
        yield start, element.pieces[0][0]
    elif isinstance(element, block.HTMLBlock):
        yield from ((start + m.start(), start + m.end()) for m in _HTML_COMMENT.finditer(text[start:end]))
    elif isinstance(element, leaves.FencedCode) and element.language == _DRAWING:
        yield start, end


def _block(text: str, element: Any) -> Block:
    start, end = _trimmed(text, *element.source_span)
    kind = next(kind for element_type, kind in _KINDS if isinstance(element, element_type))
    if kind == "heading":
        title = plain_title("".join(text[a:b] for a, b in element.pieces))
        return Block(kind, start, end, level=element.level, title=title)
    if kind == "list":
        items = tuple(_trimmed(text, *item.source_span) for item in element.children)
        return Block(kind, start, end, items=items)
    if kind == "quote" and element.callout is not None:
        return Block("callout", start, end, title=plain_title(element.title), language=element.callout.lower())
    if kind == "html":
        tag = _HTML_TAG.match(text, start, end)
        return Block(kind, start, end, language=tag[1].lower() if tag else "")
    return Block(kind, start, end, language=getattr(element, "language", ""))


def _trimmed(text: str, start: int, end: int) -> Span:
    """The span from its first line's start to after its last line's end, without the blank lines behind it."""
    last = start + len(text[start:end].rstrip(" \t\n"))
    after = text.find("\n", max(last, start)) + 1 or len(text)
    return start, min(after, end)
