"""Drafts → chunks with every field filled."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mindnet_pipeline.core import ids
from mindnet_pipeline.core.chunking.body import Body
from mindnet_pipeline.core.chunking.merging import Draft, Part, join_small
from mindnet_pipeline.core.chunking.overlap import overlap_start
from mindnet_pipeline.core.chunking.packing import pack
from mindnet_pipeline.core.chunking.pieces import Cutter, Limits
from mindnet_pipeline.core.chunking.ruler import Ruler
from mindnet_pipeline.core.chunking.sections import sections_of
from mindnet_pipeline.core.chunking.tables import table_summary
from mindnet_pipeline.core.language import detect_language
from mindnet_pipeline.core.model import BlockKind, Chunk, ChunkKind, Link, Note, Span
from mindnet_pipeline.core.registry import ChunkSizes, Registry
from mindnet_pipeline.core.tokens import TokenCounter, first_words
from mindnet_pipeline.core.windows import context_line, joined_window, readable

CHUNKER_VERSION = 5
"""Raise it with every change that gives any note other chunks or windows: all notes are then chunked anew."""

_SLACK = 8
_IDENTITY_TOKENS = 64
_KIND_SHARE = 2 / 3
_KINDS: dict[BlockKind, ChunkKind] = {"list": "list", "code": "code", "table": "table", "quote": "quote"}


def chunk_note(note: Note, registry: Registry, counter: TokenCounter, max_tokens: int) -> list[Chunk]:
    """The chunks of a note, in order; their texts joined are its body. A blank body has none.

    `max_tokens` is what the embedding model reads at once: a window of plain text fits it, one that holds a long code
    block, table or callout may not (the embedder then embeds it in parts).
    """
    if not note.fulltext.strip():
        return []
    note_type = registry.type_of(note.type)
    body, ruler, title = Body(note), Ruler(note.fulltext, counter), _written_title(note)
    parts: list[Part] = []
    for section in sections_of(note.blocks, len(note.fulltext), registry.is_stop_section):
        limits = _limits(note_type.sizes, max_tokens - ruler.measure(context_line(title, section.path)))
        pieces = Cutter(body, ruler, limits, note_type.quotes_apart).pieces(section)
        parts.extend(Part(section, packed, limits) for packed in pack(pieces, limits))
    return _chunks(note, title, body, ruler, join_small(parts))


def _limits(sizes: ChunkSizes, readable: int) -> Limits:
    window = readable - _SLACK
    capacity = max(window, sizes.maximum // 4, 1)
    limit = max(1, min(sizes.maximum, capacity - sizes.overlap))
    target_max = min(sizes.target_max, limit)
    return Limits(
        min(sizes.target_min, target_max), target_max, limit, max(capacity, limit), window, sizes.minimum, sizes.overlap
    )


def _chunks(note: Note, title: str, body: Body, ruler: Ruler, drafts: Sequence[Draft]) -> list[Chunk]:
    links = sorted((link for link in note.links if link.syntax != "frontmatter"), key=_link_start)
    chunks: list[Chunk] = []
    seen: Counter[str] = Counter()
    for i, draft in enumerate(drafts):
        start = draft.pieces[0].start
        if i:
            room = draft.limits.window - draft.tokens
            start = overlap_start(drafts[i - 1], draft, body, ruler, room)
        chunk = _chunk(note, ruler, draft, i + 1, _Around(title, start, links, body))
        seen[chunk.stable_id] += 1
        if seen[chunk.stable_id] > 1:
            chunk = replace(chunk, stable_id=f"{chunk.stable_id}-{seen[chunk.stable_id]}")
        chunks.append(chunk)
    return chunks


@dataclass(frozen=True, slots=True)
class _Around:
    """What a chunk takes from its note: the written title, where its overlap starts, the links in order, the body."""

    title: str
    overlap_start: int
    links: Sequence[Link]
    body: Body


def _chunk(note: Note, ruler: Ruler, draft: Draft, index: int, around: _Around) -> Chunk:
    pieces, path, body = draft.pieces, draft.path, around.body
    span = start, end = pieces[0].start, pieces[-1].end
    text = note.fulltext[start:end]
    summary = "\n".join(filter(None, (table_summary(readable(body.visible(*table))) for table in body.tables(*span))))
    shown = body.visible(around.overlap_start, end)
    # What nobody can read (a comment, a drawing) is found by its note's name at least: nothing empty is embedded.
    context = context_line(around.title, path) or ("" if joined_window("", summary, shown) else note.title)
    return Chunk(
        chunk_id=ids.chunk_id(note.note_id, index),
        stable_id=_stable_id(note, draft.anchor),
        note_id=note.note_id,
        note_title=note.title,
        path=note.path,
        type=note.type,
        area=note.area,
        project=note.project,
        tags=note.tags,
        chunk_index=index,
        char_start=start,
        char_end=end,
        token_count=ruler.tokens(start, end),
        section_title=path[-1] if path else "",
        section_path=path,
        kind=_kind(draft),
        lang=detect_language(text, note.lang),
        text=text,
        overlap_chars=start - around.overlap_start,
        summary=summary,
        wikilinks=_targets(around.links, span, "note"),
        external_links=_targets(around.links, span, "external"),
        retriever_weight=note.retriever_weight,
        chunk_profile=note.chunk_profile,
        created_at=note.created,
        hard_split=any(piece.hard for piece in pieces),
        window_hash=ids.sha256(joined_window(context, summary, shown)),
        context=context,
        hidden=body.hidden(*span),
    )


def _written_title(note: Note) -> str:
    """The title if it stands in the note; a title that is only the file's name changes with every rename."""
    is_written = note.frontmatter.get("title") or any(
        b.kind == "heading" and b.level == 1 and b.title for b in note.blocks
    )
    return note.title if is_written else ""


def _kind(draft: Draft) -> ChunkKind:
    if draft.parts[0].section.stop:
        return "links"
    weights: Counter[BlockKind] = Counter()
    for piece in draft.pieces:
        if piece.kind != "heading":
            weights[piece.kind] += max(1, piece.tokens)
    if not weights:
        return "text"
    kind, weight = weights.most_common(1)[0]
    return _KINDS.get(kind, "text") if weight >= _KIND_SHARE * weights.total() else "text"


def _targets(links: Sequence[Link], span: Span, destination: str) -> tuple[str, ...]:
    first = bisect_left(links, span[0], key=_link_start)
    own = links[first : bisect_left(links, span[1], key=_link_start)]
    return tuple(dict.fromkeys(link.target for link in own if link.destination == destination and link.target))


def _link_start(link: Link) -> int:
    return link.start


def _stable_id(note: Note, anchor: Part) -> str:
    """Identity by the section and the first words of a chunk's largest part, blanks aside.

    What is joined with it does not count, nor does the model's tokenizer.
    """
    words = first_words(note.fulltext[anchor.pieces[0].start : anchor.pieces[-1].end], _IDENTITY_TOKENS)
    return ids.sha256("\x1f".join((note.note_id, *anchor.section.place, "", " ".join(words))))[:24]
