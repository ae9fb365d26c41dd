"""A note's body with what the parser found inside its blocks, looked up by span."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from mindnet_pipeline.core.model import Block, BlockKind, Note, Span
from mindnet_pipeline.core.sentences import sentence_spans
from mindnet_pipeline.core.windows import visible

_WHOLE: frozenset[BlockKind] = frozenset({"code", "table", "math", "callout", "comment", "break"})
_WHOLE_HTML = frozenset({"pre", "script", "style", "table", "textarea"})


def stays_whole(block: Block) -> bool:
    """Whether no chunk may end inside the block, wherever it stands."""
    return block.kind in _WHOLE or (block.kind == "html" and block.language in _WHOLE_HTML)


class Body:
    """Sentences, nested blocks and items of any span of one note's body."""

    def __init__(self, note: Note) -> None:
        self.text = note.fulltext
        self._lang = note.lang
        self._whole = [block for block in note.nested if stays_whole(block)]
        self._tables = sorted((b.start, b.end) for b in (*note.blocks, *note.nested) if b.kind == "table")
        self._items = sorted({at for block in note.nested for at in _line_starts(self.text, block.items)})
        links = ((link.start, link.end) for link in note.links)
        self._unbroken = _united((*links, *note.hidden, *note.unbroken))
        self._hidden = _united(note.hidden)

    def sentences(self, start: int, end: int) -> list[Span]:
        """The sentences of a span. None ends inside a link, a code span, a formula, an HTML tag or a comment."""
        ends = [start + after for _, after in sentence_spans(self.text[start:end], self._lang)]
        return list(pairwise([start, *(at for at in ends if at == end or self.outside(at) == at)]))

    def whole_blocks(self, start: int, end: int) -> Sequence[Block]:
        """The nested blocks that stay whole and start in a span."""
        first = bisect_left(self._whole, start, key=_start)
        return self._whole[first : bisect_left(self._whole, end, first, key=_start)]

    def tables(self, start: int, end: int) -> Sequence[Span]:
        """The tables that start in a span."""
        return self._tables[bisect_left(self._tables, (start,)) : bisect_left(self._tables, (end,))]

    def item_starts(self, start: int, end: int) -> Sequence[int]:
        """Where lines with nested list items start, strictly inside a span."""
        return self._items[bisect_right(self._items, start) : bisect_left(self._items, end)]

    def hidden(self, start: int, end: int) -> tuple[Span, ...]:
        """What no reader sees of a span, counted from its start."""
        if not self._hidden:
            return ()
        first = bisect_right(self._hidden, start, key=_end)
        found = self._hidden[first : bisect_left(self._hidden, end, first, key=_first)]
        return tuple((max(a, start) - start, min(b, end) - start) for a, b in found)

    def visible(self, start: int, end: int) -> str:
        """A span without what no reader sees."""
        return visible(self.text[start:end], self.hidden(start, end))

    def outside(self, at: int) -> int:
        """The place, or the start of the link, code span, formula, HTML tag or comment that it lies in."""
        index = bisect_left(self._unbroken, at, key=_first) - 1
        start, end = self._unbroken[index] if index >= 0 else (at, at)
        return start if at < end else at


def _line_starts(text: str, items: Iterable[Span]) -> Iterable[int]:
    """The starts of the lines that begin with one of the items."""
    for at, _ in items:
        start = at
        while start and text[start - 1] in " \t>":
            start -= 1
        if not start or text[start - 1] in "\r\n":
            yield start


def _united(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap as one."""
    united: list[Span] = []
    for start, end in sorted(spans):
        if united and start < united[-1][1]:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        elif start < end:
            united.append((start, end))
    return united


def _start(block: Block) -> int:
    return block.start


def _first(span: Span) -> int:
    return span[0]


def _end(span: Span) -> int:
    return span[1]
