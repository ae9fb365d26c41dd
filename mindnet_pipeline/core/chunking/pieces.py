"""Blocks → pieces: spans that no chunk may cut, each with the price of a cut before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from mindnet_pipeline.core.chunking.body import Body, stays_whole
from mindnet_pipeline.core.chunking.ruler import Ruler
from mindnet_pipeline.core.chunking.sections import Section
from mindnet_pipeline.core.model import Block, BlockKind, Span

AT_BLOCK, AT_GROUP, AT_ITEM, AT_SENTENCE = 0.1, 0.3, 0.6, 1.0
"""What a cut costs before a block, a group of list items, a list item, a sentence."""

PIECES_PER_CHUNK = 24
"""Shorter neighbours are joined first, so that the search for the best division stays linear in the text's length."""

_MAX_ITEMS, _MIN_QUOTE_LINES = 8, 3
_MORE_THAN_BLANK = re.compile(r"[^\s>]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A span that stays whole.

    `glued`: no cut after it, if the next piece fits beside it. `apart`: shares a chunk only with pieces of the same
    value. `hard`: a part of one sentence. `prose`: its sentences may be repeated as overlap. `last_item`: where
    the last list item in it starts.
    """

    start: int
    end: int
    tokens: int
    kind: BlockKind
    cost: float = AT_BLOCK
    glued: bool = False
    apart: int = 0
    hard: bool = False
    prose: bool = False
    last_item: int = -1


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in tokens for one section: `limit` for a chunk, `capacity` for the longest sentence that stays whole.

    `window`: what the model reads beside the context line; less than `capacity` where the model reads very little.
    """

    target_min: int
    target_max: int
    limit: int
    capacity: int
    window: int
    minimum: int
    overlap: int


class Cutter:
    """Cuts the blocks of one section. `glued` pieces have no cut after them if the next one fits beside them."""

    def __init__(self, body: Body, ruler: Ruler, limits: Limits, quotes_apart: bool) -> None:
        self._body = body
        self._ruler = ruler
        self._limits = limits
        self._quotes_apart = quotes_apart

    def pieces(self, section: Section) -> list[Piece]:
        """The pieces of the section in order; they tile its span."""
        found: list[Piece] = []
        blocks, limit = section.blocks, self._limits.limit
        waiting = 0
        for i, (block, span) in enumerate(blocks):
            following = blocks[i + 1][0].kind if i + 1 < len(blocks) else None
            pieces = self._block(block, span, following, limit - waiting)
            waiting = self._waiting(waiting, pieces)
            found.extend(pieces)
        return found

    def _waiting(self, waiting: int, pieces: Sequence[Piece]) -> int:
        """Tokens of the glued pieces at the end, less than the limit: what follows is cut to have room beside them."""
        for piece in pieces:
            together = waiting + piece.tokens if waiting + piece.tokens <= self._limits.limit else piece.tokens
            waiting = together if piece.glued and together < self._limits.limit else 0
        return waiting

    def _block(self, block: Block, span: Span, following: BlockKind | None, room: int) -> list[Piece]:
        whole = self._piece(span, block.kind)
        if block.kind == "heading":
            return [replace(whole, glued=True)]
        if stays_whole(block):
            return [whole]
        if block.kind == "quote" and self._lines(block) >= _MIN_QUOTE_LINES:
            return self._quote(whole)
        if block.kind == "list":
            return list(self._list(block, whole, room))
        if block.kind == "paragraph" and following not in (None, "heading", "paragraph"):
            return self._introduction(whole, room)
        return self._text(whole, room)

    def _piece(self, span: Span, kind: BlockKind, cost: float = AT_BLOCK) -> Piece:
        prose = kind in {"paragraph", "list", "quote", "footnote"}
        return Piece(*span, self._ruler.tokens(*span), kind, cost, prose=prose)

    def _lines(self, block: Block) -> int:
        return len(self._body.text[block.start : block.end].strip().splitlines())

    def _quote(self, whole: Piece) -> list[Piece]:
        """A long quote: whole if a chunk can hold it, on its own if the type wants that."""
        apart = whole.start + 1 if self._quotes_apart else 0
        pieces = [whole] if whole.tokens <= self._limits.limit else self._text(whole, self._limits.limit)
        return [replace(piece, apart=apart) for piece in pieces]

    def _introduction(self, whole: Piece, room: int) -> list[Piece]:
        """The paragraph; its last sentence, if it ends with a colon, goes with what it introduces."""
        text = self._body.text[whole.start : whole.end]
        if not text.rstrip(" \t\r\n*_").endswith(":"):
            return self._text(whole, room)
        start = self._body.sentences(whole.start, whole.end)[-1][0]
        if start == whole.start:
            pieces = self._text(whole, room)
        else:
            before = self._text(self._piece((whole.start, start), whole.kind), room)
            last = self._piece((start, whole.end), whole.kind, AT_SENTENCE)
            pieces = [*before, *self._text(last, self._limits.limit)]
        return [*pieces[:-1], replace(pieces[-1], glued=True)]

    def _list(self, block: Block, whole: Piece, room: int) -> Iterator[Piece]:
        """Groups of at most eight items, of equal size; single items where there is no room for a group."""
        starts = [whole.start, *(start for start, _ in block.items[1:]), whole.end]
        if whole.tokens <= min(self._limits.target_max, room):
            yield replace(whole, last_item=starts[-2])
            return
        count = len(starts) - 1
        groups = -(-count // _MAX_ITEMS)
        for g in range(groups):
            first, last = g * count // groups, (g + 1) * count // groups
            group = self._piece((starts[first], starts[last]), "list", AT_GROUP if g else whole.cost)
            if group.tokens <= (self._limits.limit if g else room):
                yield replace(group, last_item=starts[last - 1])
                continue
            for i in range(first, last):
                item = self._piece((starts[i], starts[i + 1]), "list", AT_ITEM if i > first else group.cost)
                yield from self._item(item, self._limits.limit if i else room)

    def _item(self, item: Piece, room: int) -> list[Piece]:
        if item.tokens <= room:
            return [replace(item, last_item=item.start)]
        return self._text(item, room)

    def _text(self, whole: Piece, room: int) -> list[Piece]:
        """The piece, or its sentences if it is too long; code and tables in it stay with the sentence before."""
        if whole.tokens <= min(self._limits.target_max, room):
            return [whole]
        pieces: list[Piece] = []
        for span, protected in self._strands(whole):
            if protected:
                start = pieces.pop().start if pieces and not pieces[-1].hard else span[0]
                pieces.append(replace(self._piece((start, span[1]), whole.kind, AT_ITEM), prose=False))
            elif pieces and not _MORE_THAN_BLANK.search(self._body.text, *span):
                tokens = self._ruler.tokens(pieces[-1].start, span[1])
                pieces[-1] = replace(pieces[-1], end=span[1], tokens=tokens)
            else:
                pieces.extend(self._sentences(span, whole.kind))
        return [replace(pieces[0], cost=whole.cost), *pieces[1:]]

    def _strands(self, whole: Piece) -> Iterator[tuple[Span, bool]]:
        """Text between the code, tables, formulas and callouts inside a list, quote or footnote, and those."""
        at = whole.start
        for block in self._body.whole_blocks(whole.start, whole.end):
            if block.end <= at:  # inside a callout
                continue
            if block.start > at:
                yield (at, block.start), False
            yield (max(at, block.start), block.end), True
            at = block.end
        if at < whole.end:
            yield (at, whole.end), False

    def _sentences(self, span: Span, kind: BlockKind) -> Iterator[Piece]:
        """Sentences, very short ones joined so that a chunk never has more than some dozens of pieces."""
        fewest = max(1, self._limits.limit // PIECES_PER_CHUNK)
        start, end = span[0], span[0]
        for a, b, cost in self._sentence_ends(span):
            tokens = self._ruler.tokens(start, b)
            if (
                end > start
                and (tokens > fewest or cost < AT_SENTENCE)
                and _MORE_THAN_BLANK.search(self._body.text, a, b)
            ):
                yield from self._whole_or_hard((start, end), kind)
                start = a
            end = b
        if end > start:
            yield from self._whole_or_hard((start, end), kind)

    def _sentence_ends(self, span: Span) -> Iterator[tuple[int, int, float]]:
        for a, b in pairwise([span[0], *self._body.item_starts(*span), span[1]]):
            for x, y in self._body.sentences(a, b):
                yield x, y, AT_ITEM if x == a > span[0] else AT_SENTENCE

    def _whole_or_hard(self, span: Span, kind: BlockKind) -> Iterator[Piece]:
        piece = self._piece(span, kind, AT_SENTENCE)
        if piece.tokens <= self._limits.capacity:
            yield piece
            return
        start, end = span
        while (left := self._ruler.tokens(start, end)) > self._limits.limit:
            parts = -(-left // self._limits.target_max)
            cut = self._blank_before(start, self._ruler.after(start, -(-left // parts)))
            yield replace(self._piece((start, cut), kind, AT_SENTENCE), hard=True, prose=False)
            start = cut
        if start < end:
            yield replace(self._piece((start, end), kind, AT_SENTENCE), hard=True, prose=False)

    def _blank_before(self, start: int, wanted: int) -> int:
        """The last line end or blank before the wanted place, but not in the first half; else the place itself.

        Before a link and the like rather than inside it, if that is not in the first half either.
        """
        text = self._body.text
        middle = start + (wanted - start) // 2
        for blank in ("\n", " ", "\t"):
            found = text.rfind(blank, middle, wanted)
            if found > start:
                outside = self._body.outside(found + 1)
                return outside if outside > middle else found + 1
        return max(wanted, start + 1)
