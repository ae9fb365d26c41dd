"""Sections: runs of blocks under one heading of level 1 to 3.

The first H1 of a note that has a name is the document's title: it is in no path, and if it is the first heading at all,
the text above it may share a chunk with what follows. Any other H1 is like an H2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mindnet_pipeline.core.model import Block, Span

_DEEPEST = 3


@dataclass(slots=True)
class Section:
    """`path`: the headings down to it, of those with a name. `group`: equal for all under one H2.

    `place`: its path without any H1, so that it stays when another H1 becomes the title. `stop`: only ideas of links.
    """

    path: tuple[str, ...]
    place: tuple[str, ...]
    group: int
    stop: bool = False
    blocks: list[tuple[Block, Span]] = field(default_factory=list)


def sections_of(blocks: Sequence[Block], length: int, is_stop: Callable[[str], bool]) -> list[Section]:
    """The sections of a body in order. Each block comes with its span widened so that the spans tile the body."""
    sections = [Section((), (), 0)]
    open_headings: list[tuple[int, str]] = []
    headings = [block for block in blocks if block.kind == "heading"]
    title = next((heading for heading in headings if heading.level == 1 and heading.title), None)
    for block, span in _tiled(blocks, length):
        if block.kind == "heading" and block.level <= _DEEPEST:
            open_headings = [heading for heading in open_headings if heading[0] < block.level]
            if block is not title and (name := " ".join(block.title.split())):
                open_headings.append((block.level, name))
            opens_group = block.level < _DEEPEST and not (block is title and block is headings[0])
            path = tuple(name for _, name in open_headings)
            place = tuple(name for level, name in open_headings if level > 1)
            sections.append(Section(path, place, sections[-1].group + opens_group, any(map(is_stop, path))))
        sections[-1].blocks.append((block, span))
    return [section for section in sections if section.blocks]


def _tiled(blocks: Sequence[Block], length: int) -> list[tuple[Block, Span]]:
    """Blank lines go to the block before them; those at the body's start to the first block."""
    if not blocks:
        return [(Block("paragraph", 0, length), (0, length))]
    starts = [0, *(block.start for block in blocks[1:]), length]
    return [(block, (starts[i], starts[i + 1])) for i, block in enumerate(blocks)]
