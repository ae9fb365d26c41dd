"""A second reader for the differential test: comrak's HTML with source positions → blocks and links as plain tuples."""

from __future__ import annotations

import re
from bisect import bisect_right
from html.parser import HTMLParser

import comrak

from mindnet_pipeline.core.markdown import parse_markdown
from mindnet_pipeline.core.model import Block, Link

BLOCKS = {"h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "pre", "blockquote", "table", "hr"}
_POSITION = re.compile(r"(\d+):(\d+)-(\d+):(\d+)")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.blocks: list[tuple[str, int]] = []
        self.links: list[tuple[int, int, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        position = _POSITION.fullmatch(values.get("data-sourcepos") or "")
        if position and tag in BLOCKS and self.depth == 0:
            self.blocks.append((tag, int(position[1])))
        if position and tag in {"a", "img"}:
            href = values.get("href") or values.get("src") or ""
            self.links.append((int(position[1]), int(position[2]), href))
        if tag not in {"hr", "img", "br", "input"}:
            self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        if tag not in {"hr", "img", "br", "input"}:
            self.depth -= 1


def read_with_comrak(body: str) -> tuple[list[tuple[str, int]], list[tuple[int, int, str]]]:
    """Top-level blocks as (tag, line), links as (line, column, destination)."""
    extensions, parse, render = comrak.ExtensionOptions(), comrak.ParseOptions(), comrak.RenderOptions()
    extensions.table = extensions.tasklist = extensions.strikethrough = extensions.autolink = True
    extensions.wikilinks_title_after_pipe = extensions.math_dollars = True
    parse.sourcepos_chars = True
    render.sourcepos = render.escape = True
    reader = _Reader()
    reader.feed(comrak.render_markdown(body, extensions, parse, render))
    return reader.blocks, reader.links


def read_with_mindnet(body: str) -> tuple[list[tuple[str, int]], list[tuple[int, int, str]]]:
    """The same of our own reading."""
    reading = parse_markdown(body)
    starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", body))]

    def place(offset: int) -> tuple[int, int]:
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    blocks = [(_tag(body, block), place(block.start)[0]) for block in reading.blocks]
    return [b for b in blocks if b[0] in BLOCKS], [(*place(link.start), _destination(link)) for link in reading.links]


def _tag(body: str, block: Block) -> str:
    if block.kind == "list":
        return "ol" if body[block.start : block.end].lstrip()[0].isdigit() else "ul"
    tags = {
        "heading": f"h{block.level}",
        "paragraph": "p",
        "code": "pre",
        "quote": "blockquote",
        "callout": "blockquote",
    }
    return {**tags, "table": "table", "break": "hr"}.get(block.kind, block.kind)


def _destination(link: Link) -> str:
    return f"{link.target}#{link.subpath}" if link.subpath else link.target
