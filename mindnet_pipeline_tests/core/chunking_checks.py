"""The chunking laws as functions: a note, its chunks and the sizes → what breaks the law (nothing, if all is well).

None of them asks the chunker's own helpers where it may cut: blocks come from the parser, sentences from the sentence
rules, and from the generator marks, the starts of sentences and what stands inside them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from unicodedata import normalize

from mindnet_pipeline.core import ids
from mindnet_pipeline.core.model import Block, Chunk, Note, Span
from mindnet_pipeline.core.registry import ChunkSizes
from mindnet_pipeline.core.sentences import sentence_spans
from mindnet_pipeline.core.tokens import TokenCounter
from mindnet_pipeline.core.windows import overlap_text, window_text
from mindnet_pipeline_tests.core.chunking_bodies import INLINES, UNSEEN

WHOLE = frozenset({"code", "table", "math", "callout"})
_UNCUT = WHOLE | {"comment", "break", "heading"}
_MARK = re.compile(r"\[([az])(\d+)\]")
_OWN_WORD = re.compile(r"\bv\d+\b")
_INLINE = re.compile("|".join(map(re.escape, INLINES)))
_STARTS_WELL = re.compile(r"[\s>]*(?:(?:-|\d\.) +)?(?:Der |Es gilt:|#)")
_SLACK = 8


@dataclass(frozen=True)
class Cut:
    """A note that was cut, with what it was cut by."""

    note: Note
    chunks: list[Chunk]
    size: ChunkSizes
    counter: TokenCounter
    model: int = 8192

    @cached_property
    def starts(self) -> list[int]:
        return [chunk.char_start for chunk in self.chunks]

    @cached_property
    def _tokens(self) -> list[int]:
        return self.counter.token_offsets(self.note.fulltext)

    def tokens(self, start: int, end: int) -> int:
        return bisect_left(self._tokens, end) - bisect_left(self._tokens, start)

    def blocks_of(self, chunk: Chunk) -> list[Block]:
        blocks = self.note.blocks
        first = bisect_right(blocks, chunk.char_start, key=lambda block: block.end)
        return [block for block in blocks[first:] if block.start < chunk.char_end][: len(blocks)]

    def cuts_in(self, start: int, end: int) -> list[int]:
        """Where chunks start strictly inside a span."""
        return self.starts[bisect_right(self.starts, start) : bisect_left(self.starts, end)]

    @cached_property
    def inlines(self) -> list[Span]:
        """Links, code, formulas and comments, as the generator wrote them or the parser read them."""
        written = [match.span() for match in _INLINE.finditer(self.note.fulltext)]
        links = [(link.start, link.end) for link in self.note.links]
        return [*written, *links, *self.note.unbroken, *self.note.hidden]

    @cached_property
    def _inside_inlines(self) -> set[int]:
        return {at for start, end in self.inlines for at in range(start + 1, end)}

    def sentence_starts(self, start: int, end: int) -> set[int]:
        spans = sentence_spans(self.note.fulltext[start:end], self.note.lang)
        return {start + at for at, _ in spans} - self._inside_inlines

    @cached_property
    def section_starts(self) -> dict[int, int]:
        """Where sections start, and at which level. The first heading, if it is an H1 with a name, is the title."""
        headings = [block for block in self.note.blocks if block.kind == "heading"]
        if headings and headings[0].level == 1 and headings[0].title:
            headings = headings[1:]
        first = len(self.note.fulltext) - len(self.note.fulltext.lstrip())
        return {0 if block.start <= first else block.start: block.level for block in headings if block.level <= 3}


def tiles(cut: Cut) -> bool:
    """Law 1: joined, the texts are the body; offsets say where."""
    at = 0
    for index, chunk in enumerate(cut.chunks, 1):
        text = cut.note.fulltext[chunk.char_start : chunk.char_end]
        if (chunk.char_start, chunk.chunk_index, chunk.text) != (at, index, text) or not text:
            return False
        at = chunk.char_end
    return at == (len(cut.note.fulltext) if cut.note.fulltext.strip() else 0)


def missed_headings(cut: Cut, deepest: int) -> list[int]:
    """Law 2: sections down to this level that do not start a chunk."""
    return [at for at, level in cut.section_starts.items() if level <= deepest and at not in cut.starts]


def torn_blocks(cut: Cut) -> list[Block]:
    """Law 3: code, tables, formulas and callouts with a cut inside."""
    return [block for block in cut.note.blocks if block.kind in WHOLE and cut.cuts_in(block.start, block.end)]


def torn_marks(cut: Cut) -> list[str]:
    """Law 3 for what is nested: marked code, tables, formulas and callouts whose ends lie in different chunks."""
    places = {mark[0]: bisect_right(cut.starts, mark.start()) for mark in _MARK.finditer(cut.note.fulltext)}
    return [mark for mark, place in places.items() if mark[1] == "a" and places["[z" + mark[2:]] != place]


def cuts_in_sentences(cut: Cut) -> list[int]:
    """Law 4: cuts inside a paragraph that no sentence end explains; a hard split says so itself."""
    allowed = {chunk.char_start for chunk in cut.chunks if chunk.hard_split}
    found = []
    for block in cut.note.blocks:
        if block.kind == "paragraph" and (cuts := cut.cuts_in(block.start, block.end)):
            found += sorted(set(cuts) - allowed - cut.sentence_starts(block.start, block.end))
    return found


def torn_inlines(cut: Cut) -> list[str]:
    """Law 4: links, code, formulas and comments with a cut inside; a hard split says so itself."""
    hard = {chunk.char_start for chunk in cut.chunks if chunk.hard_split}
    return [cut.note.fulltext[slice(*span)] for span in cut.inlines if set(cut.cuts_in(*span)) - hard]


def bad_starts(cut: Cut) -> list[str]:
    """Law 4, by the generator alone: chunks that start with no heading and no sentence. For prose and headings."""
    return [chunk.text for chunk in cut.chunks if not _STARTS_WELL.match(chunk.text)]


def rough_cuts(cut: Cut) -> list[str]:
    """Law 4 in lists, quotes and the rest: a cut follows a line's or a sentence's end, never an abbreviation."""
    texts = [cut.note.fulltext[max(0, c.char_start - 20) : c.char_start] for c in cut.chunks[1:] if not c.hard_split]
    ended = re.compile(r"(?:\n|[.!?…。！？](?:[^\w\s]|_|\[\^[^\]\s]+\])*)\s*$")
    abbreviated = re.compile(r"\b(?:z\.|z\. ?B\.|Dr\.|\w 3\.)[ \t]*$")
    return [text for text in texts if not ended.search(text) or abbreviated.search(text)]


def oversized(cut: Cut) -> list[str]:
    """Law 4: chunks above the maximum that could have been cut. For models that read any sentence whole."""
    return [chunk.text for chunk in cut.chunks if chunk.token_count > cut.size.maximum and _could_be_cut(cut, chunk)]


def _could_be_cut(cut: Cut, chunk: Chunk) -> bool:
    blocks = [block for block in cut.blocks_of(chunk) if block.end > chunk.char_start]
    if len(blocks) != 1:
        return True
    (block,) = blocks
    if block.kind in WHOLE or block.kind in {"heading", "comment", "break"} or _MARK.search(chunk.text):
        return False
    if block.kind == "paragraph":
        inside = cut.sentence_starts(block.start, block.end)
        return any(chunk.char_start < at < block.end and at < chunk.char_end for at in inside)
    if any(chunk.char_start < start < chunk.char_end for start, _ in block.items):
        return True
    return len(cut.sentence_starts(chunk.char_start, chunk.char_start + len(chunk.text.rstrip()))) > 1


def quotes_not_apart(cut: Cut) -> list[str]:
    """Law 5: chunks that hold a quote of three lines or more beside anything but what leads to it."""
    found = []
    for chunk in cut.chunks:
        blocks = cut.blocks_of(chunk)
        if any(_is_long_quote(cut.note, block) for block in blocks):
            *before, last = blocks
            leads = all(b.kind == "heading" or cut.note.fulltext[b.start : b.end].rstrip()[-1:] == ":" for b in before)
            if last.kind != "quote" or not leads:
                found.append(chunk.text)
    return found


def torn_quotes(cut: Cut) -> list[Block]:
    """Law 5: quotes that would fit into a chunk and are cut."""
    return [
        block
        for block in cut.note.blocks
        if _is_long_quote(cut.note, block)
        and cut.tokens(block.start, block.end) <= cut.size.target_max
        and cut.cuts_in(block.start, block.end)
    ]


def _is_long_quote(note: Note, block: Block) -> bool:
    return block.kind == "quote" and len(note.fulltext[block.start : block.end].strip().splitlines()) > 2


def unjoined(cut: Cut) -> list[tuple[str, str]]:
    """Law 6: chunks under the minimum beside one that they could join. For types that keep quotes inside."""
    borders = {at for at, level in cut.section_starts.items() if level <= 2}
    return [
        (one.text, two.text)
        for one, two in pairwise(cut.chunks)
        if min(one.token_count, two.token_count) < cut.size.minimum
        and two.char_start not in borders
        and (one.kind == "links") == (two.kind == "links")
        and one.token_count + two.token_count <= cut.size.maximum
    ]


def bad_overlaps(cut: Cut) -> Iterator[str]:
    """Law 7: overlaps that are too long, start inside a sentence, cross a section or touch what stays whole.

    For types whose long quotes stand apart.
    """
    for before, chunk in pairwise(cut.chunks):
        start, end = chunk.char_start - chunk.overlap_chars, chunk.char_start
        if start == end:
            continue
        blocks = [b for b in cut.note.blocks if b.start < end and b.end > start]
        legal = {0, *(at for block in blocks for at in (block.start, *(a for a, _ in block.items)))}
        legal |= {at for b in blocks if b.kind != "list" for at in cut.sentence_starts(b.start, b.end)}
        at_item = any(b.kind == "list" for b in blocks)
        begun = end - len(cut.note.fulltext[start:end].lstrip())
        first = next((b for b in cut.blocks_of(chunk) if b.kind != "heading"), None)
        if cut.size.overlap == 0 or start < before.char_start or end in cut.section_starts:
            yield f"out of place: {chunk.text}"
        elif _MARK.search(cut.note.fulltext[start:end]) or any(b.kind in WHOLE for b in blocks):
            yield f"out of a whole block: {cut.note.fulltext[start:end]}"
        elif any(_is_long_quote(cut.note, b) for b in [*blocks, *([first] if first else [])]):
            yield f"out of or into a quote apart: {chunk.text}"
        elif first is None or first.kind in WHOLE:
            yield f"into a whole block: {chunk.text}"
        elif start not in legal and not at_item:
            yield f"inside a sentence: {cut.note.fulltext[start:end]}"
        elif cut.tokens(start, end) > cut.size.overlap and any(begun < at < end for at in legal) and not at_item:
            yield f"too long: {cut.note.fulltext[start:end]}"


def missing_overlaps(cut: Cut) -> list[str]:
    """Law 7: chunks of one section's prose without the overlap that is due. For bodies of paragraphs only."""
    return [
        chunk.text for chunk in cut.chunks[1:] if not chunk.overlap_chars and chunk.char_start not in cut.section_starts
    ]


def misplaced_links(cut: Cut) -> list[str]:
    """Law 7: chunks that list other targets than their own text holds; what is repeated as overlap never counts."""
    found = []
    for chunk in cut.chunks:
        own = [link for link in cut.note.links if chunk.char_start <= link.start < chunk.char_end]
        targets = {link.target for link in own if link.destination != "attachment"}
        if {*chunk.wikilinks, *chunk.external_links} != targets:
            found.append(chunk.text)
    return found


def windows(cut: Cut) -> Iterator[tuple[Chunk, str]]:
    """Each chunk with its window."""
    previous = None
    for chunk in cut.chunks:
        yield chunk, window_text(chunk, overlap_text(previous, chunk.overlap_chars) if previous else "")
        previous = chunk


def lost_words(cut: Cut) -> set[str]:
    """Law 8: words that the generator put before readers' eyes and that no window holds."""
    shown = {word for _, window in windows(cut) for word in _OWN_WORD.findall(window)}
    return set(_OWN_WORD.findall(cut.note.fulltext)) - shown


def shown_comments(cut: Cut) -> list[str]:
    """Law 8: windows with a word that the generator wrote into comments only. For prose."""
    return [window for _, window in windows(cut) if UNSEEN in window]


def other_hashes(cut: Cut) -> list[str]:
    """Law 8: windows, overlap included, that are not what the chunk's hash stands for."""
    return [window for chunk, window in windows(cut) if chunk.window_hash != ids.sha256(window)]


def unreadable(cut: Cut) -> list[str]:
    """Law 8: windows above what the model reads, though the chunk leaves room; chunks of prose that leave none."""
    found = []
    for chunk, window in windows(cut):
        free = cut.model - len(cut.counter.token_offsets(chunk.context)) - _SLACK
        needed = chunk.token_count + len(cut.counter.token_offsets(chunk.summary))
        widened = 2 * window.count("...")  # NFKC writes … so
        if needed <= free and len(cut.counter.token_offsets(window)) > cut.model + widened:
            found.append(window)
        holds_whole = _MARK.search(chunk.text) or any(b.kind in _UNCUT for b in cut.blocks_of(chunk))
        shows_nothing = window == chunk.context  # then it has its note's name, which a text has not
        if not holds_whole and not shows_nothing and chunk.token_count > max(free, cut.size.maximum // 4, 1):
            found.append(chunk.text)
    return found


def tables_without_summary(cut: Cut) -> list[str]:
    """Law 9: chunks with a table whose window does not say its head in words."""
    tables = [block.start for block in (*cut.note.blocks, *cut.note.nested) if block.kind == "table"]
    return [
        window
        for chunk, window in windows(cut)
        if any(chunk.char_start <= start < chunk.char_end for start in tables)
        and not (chunk.summary and normalize("NFKC", chunk.summary.split("\n")[0])[:20] in window)
    ]
