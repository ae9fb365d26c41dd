"""Markdown as Obsidian writes it: a body → its top-level blocks, links and tags, with spans into the body.

marko parses (parser.py with its source, leaves, paragraphs, containers and tables); inline.py reads the text inside the
blocks; targets.py, relations.py and property_links.py say what links mean; titles.py makes plain text of a title.
Nothing here knows a vault, a note or the relation vocabulary.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from marko import block

from mindnet_pipeline.core.markdown import containers, leaves, tables
from mindnet_pipeline.core.markdown.inline import InlineText, may_hold_links, scan_inline
from mindnet_pipeline.core.markdown.parser import VaultParser
from mindnet_pipeline.core.markdown.relations import typed_by_callout
from mindnet_pipeline.core.markdown.source import same_length_lines
from mindnet_pipeline.core.markdown.titles import plain_title
from mindnet_pipeline.core.model import Block, BlockKind, Link, Span

__all__ = ["Markdown", "nested_blocks", "parse_markdown"]

_KINDS: tuple[tuple[type, BlockKind], ...] = (
    (block.Paragraph, "paragraph"), (block.Heading, "heading"), (block.SetextHeading, "heading"), (block.List, "list"),
    (block.FencedCode, "code"), (block.CodeBlock, "code"), (tables.Table, "table"), (block.HTMLBlock, "html"),
    (leaves.MathBlock, "math"), (leaves.CommentBlock, "comment"), (block.ThematicBreak, "break"),
    (containers.FootnoteDef, "footnote"), (block.LinkRefDef, "paragraph"), (block.Quote, "quote"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Markdown:
    """What is in a body: blocks in order, links in order of position, tags in order of first use without `#`."""

    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    tags: tuple[str, ...]


def parse_markdown(body: str) -> Markdown:
    r"""Read a body. Any text is valid; nothing raises.

    >>> note = parse_markdown("## Kontext\n\nSiehe [[Ziel#Teil|dort]] #idee\n")
    >>> [b.kind for b in note.blocks], note.links[0].target, note.tags
    (['heading', 'paragraph'], 'Ziel', ('idee',))
    """
    document = _parser().parse(body)
    reading = _Reading(same_length_lines(body), document.link_ref_defs)
    reading.read(document)
    blocks = tuple(_block(reading.text, child) for child in document.children if not isinstance(child, block.BlankLine))
    return Markdown(blocks, tuple(reading.typed_links()), tuple(dict.fromkeys(reading.tags)))


def nested_blocks(text: str) -> list[Block]:
    r"""The blocks of a text in order, with what lists, quotes and footnotes hold in their place; callouts stay closed.

    >>> [(b.kind, b.start) for b in nested_blocks("- Erst\n\n  ```sh\n  ls\n  ```\n")]
    [('paragraph', 2), ('code', 10)]
    """
    plain = same_length_lines(text)
    found: list[Block] = []
    pending: list[Any] = list(reversed(_parser().parse(text).children))
    while pending:
        element = pending.pop()
        is_holder = isinstance(element, (block.List, block.ListItem, containers.FootnoteDef))
        if is_holder or (isinstance(element, block.Quote) and getattr(element, "callout", None) is None):
            pending.extend(reversed(element.children))
        elif not isinstance(element, block.BlankLine):
            found.append(_block(plain, element))
    return found


@lru_cache(maxsize=1)
def _parser() -> VaultParser:
    return VaultParser()


@dataclass(slots=True)
class _Reading:
    """Collects links and tags from a tree of blocks, in the order of the text."""

    text: str
    definitions: dict[str, tuple[str, str]]
    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    edge_callouts: list[Span] = field(default_factory=list)

    def read(self, document: Any) -> None:
        pending = [document]
        while pending:
            element = pending.pop()
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
        if not may_hold_links(self.text, pieces[0][0], pieces[-1][1], self.definitions):
            return
        links, tags = scan_inline(InlineText.of(self.text, pieces), self.definitions)
        self.links += links
        self.tags += tags

    def typed_links(self) -> list[Link]:
        """The links in order of position, those of edge callouts with their kinds."""
        links = sorted(self.links, key=lambda link: (link.start, -link.end))
        starts = [link.start for link in links]
        for start, end in self.edge_callouts:
            first, last = bisect_left(starts, start), bisect_left(starts, end)
            links[first:last] = typed_by_callout(self.text, (start, end), links[first:last])
        return links


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
    return Block(kind, start, end, language=getattr(element, "language", ""))


def _trimmed(text: str, start: int, end: int) -> Span:
    """The span from its first line's start to after its last line's end, without the blank lines behind it."""
    last = start + len(text[start:end].rstrip(" \t\n"))
    after = text.find("\n", max(last, start)) + 1 or len(text)
    return start, min(after, end)
