"""How much of a chunk's end is repeated before the next chunk: whole sentences, or one list item."""

from __future__ import annotations

from collections.abc import Iterator

from mindnet_pipeline.core.chunking.body import Body
from mindnet_pipeline.core.chunking.merging import Draft
from mindnet_pipeline.core.chunking.pieces import Piece
from mindnet_pipeline.core.chunking.ruler import Ruler

_LONGEST_ITEM = 50


def overlap_start(before: Draft, draft: Draft, body: Body, ruler: Ruler, room: int) -> int:
    """Where the overlap of `draft` starts in the chunk before it; `draft`'s own start if there is none.

    At least one sentence, more up to the overlap size, never more than `room` tokens. None from another section, none
    out of or into code, tables, formulas, callouts, quotes apart and parts of one sentence.
    """
    end = draft.pieces[0].start
    if draft.limits.overlap <= 0 or before.parts[-1].section is not draft.parts[0].section or not _may_follow(draft):
        return end
    start = end
    for sentence_start in _sentences_backwards(before.pieces, body, ruler):
        tokens = ruler.tokens(sentence_start, end)
        if tokens > room or (start < end and tokens > draft.limits.overlap):
            break
        start = sentence_start
        if tokens >= draft.limits.overlap:
            break
    return start


def _may_follow(draft: Draft) -> bool:
    first = next((piece for piece in draft.pieces if piece.kind != "heading"), None)
    return first is not None and first.prose and not first.apart


def _sentences_backwards(pieces: list[Piece], body: Body, ruler: Ruler) -> Iterator[int]:
    """The starts of the last sentences, last one first, as far as the text before is prose."""
    for piece in reversed(pieces):
        if not piece.prose or piece.apart or body.whole_blocks(piece.start, piece.end):
            return
        if piece.last_item >= 0 and ruler.tokens(piece.last_item, piece.end) < _LONGEST_ITEM:
            yield piece.last_item
            return
        text_start = max(piece.start, piece.last_item)
        for sentence_start, _ in reversed(body.sentences(text_start, piece.end)):
            yield sentence_start
        if piece.last_item >= 0:
            return
