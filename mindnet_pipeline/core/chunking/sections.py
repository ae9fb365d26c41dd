"""Sections: runs of blocks under one heading of level 1 to 3.

The first heading of a note, if it is an H1, is the document's title: it opens no section. Any other H1
does, like an H2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mindnet_pipeline.core.model import Block, Span

_DEEPEST = 3


@dataclass(slots=True)
class Section:
    """`path`: the headings down to it. `group`: equal for all under one H2. `stop`: only ideas of links."""

    path: tuple[str, ...]
    group: int
    stop: bool = False
    blocks: list[tuple[Block, Span]] = field(default_factory=list)


def sections_of(blocks: Sequence[Block], length: int, is_stop: Callable[[str], bool]) -> list[Section]:
    """The sections of a body in order. Each block comes with its span widened so that the spans tile the body."""
    sections = [Section((), 0)]
    open_headings: list[tuple[int, str]] = []
    first_heading = True
    for block, span in _tiled(blocks, length):
        if block.kind == "heading" and block.level <= _DEEPEST and not (first_heading and block.level == 1):
            open_headings = [heading for heading in open_headings if heading[0] < block.level]
            open_headings.append((block.level, " ".join(block.title.split())))
            group = sections[-1].group + (block.level < _DEEPEST)
            path = tuple(title for _, title in open_headings)
            sections.append(Section(path, group, any(is_stop(title) for title in path)))
        first_heading = first_heading and block.kind != "heading"
        sections[-1].blocks.append((block, span))
    return [section for section in sections if section.blocks]


def _tiled(blocks: Sequence[Block], length: int) -> list[tuple[Block, Span]]:
    """Blank lines go to the block before them; those at the body's start to the first block."""
    if not blocks:
        return [(Block("paragraph", 0, length), (0, length))]
    starts = [0, *(block.start for block in blocks[1:]), length]
    return [(block, (starts[i], starts[i + 1])) for i, block in enumerate(blocks)]
