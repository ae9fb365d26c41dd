"""What the collections hold: the payloads of notes, chunks and edges, field by field.

The classes are the contract for everyone who reads the collections, in any language: the JSON Schemas in
`mindnet_pipeline/schemas/` are made from them by storage/payload_schemas.py. Every payload is plain JSON: no NaN, no
integer beyond 64 bits, no lone surrogate, string keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

from mindnet_pipeline.core.model import (
    Chunk,
    ChunkKind,
    Edge,
    Newline,
    Note,
    Provenance,
    ResolvedBy,
    Scope,
    Status,
)
from mindnet_pipeline.storage.vectors.payloads import plain

_STRICT = ConfigDict(use_attribute_docstrings=True, extra="forbid")
_EDGE_FIELDS = tuple(field.name for field in fields(Edge))


@with_config(_STRICT)
class NoteWarning(TypedDict):
    """Something about a note that its owner should mend."""

    code: str
    """Stable name of the kind of fault."""
    message: str
    """What is wrong and what to do."""
    line: int | None
    """Line in the file, from 1."""


@with_config(_STRICT)
class Reference(TypedDict):
    """Where an explicit, resolved link of a chunk leads."""

    kind: str
    """Relation kind."""
    target_id: str
    """Note id."""


@with_config(_STRICT)
class Neighbors(TypedDict):
    """The chunks beside a chunk in its note."""

    prev: str | None
    """Chunk id."""
    next: str | None
    """Chunk id."""


@with_config(_STRICT)
class NotePayload(TypedDict):
    """One note, with everything needed to write its file back byte for byte."""

    note_id: str
    """Identity: the frontmatter's `id`, else the path without `.md`."""
    title: str
    """Frontmatter `title`, else the first H1, else the file name."""
    type: str
    """Frontmatter `type`, lower-cased, else `default`."""
    status: str
    created: str
    """As written; ISO if it is a date."""
    updated: str
    path: str
    """Relative to the vault, with `/`, spelled as on disk."""
    tags: list[str]
    """Without `#`, of frontmatter and body."""
    aliases: list[str]
    area: str
    project: str
    priority: str
    people: list[str]
    lang: str
    """ISO 639-1, empty if unknown."""
    hash_fulltext: str
    hash_frontmatter: str
    fulltext: str
    """The body exactly as in the file."""
    frontmatter_raw: str
    """The frontmatter with both fences, empty if there is none."""
    bom: bool
    """The file starts with a byte order mark."""
    newline: Newline
    encoding: str
    """Of the file: `BOM + (frontmatter_raw + fulltext).encode(encoding)` is the file."""
    references: list[str]
    """Ids of the notes that the body refers to, each once."""
    retriever_weight: float
    """Preference of the note's type in search."""
    chunk_profile: str
    chunk_count: int
    token_count: int
    """Sum over the chunks."""
    warnings: list[NoteWarning]
    mtime: str
    """Last write of the file, ISO, UTC; empty if unknown."""
    frontmatter: dict[str, Any]
    """The parsed frontmatter as plain JSON."""


@with_config(_STRICT)
class ChunkPayload(TypedDict):
    """One chunk: the unit of search."""

    chunk_id: str
    """`<note_id>#c01`, counted from 1."""
    stable_id: str
    """Stays when other sections change."""
    note_id: str
    note_title: str
    path: str
    type: str
    area: str
    project: str
    tags: list[str]
    chunk_index: int
    char_start: int
    """Code points into the note's `fulltext`."""
    char_end: int
    """Exclusive."""
    token_count: int
    section_title: str
    section_path: list[str]
    """Titles of the headings down to the chunk."""
    section_label: str
    """The titles joined by ` › `."""
    kind: ChunkKind
    lang: str
    text: str
    """`fulltext[char_start:char_end]`."""
    overlap_chars: int
    """Characters before `char_start` that the embedded window repeats."""
    summary: str
    """Of a table: header and first rows as plain text."""
    wikilinks: list[str]
    external_links: list[str]
    references: list[Reference]
    """Explicit, resolved links of this chunk."""
    neighbors: Neighbors
    retriever_weight: float
    chunk_profile: str
    created_at: str
    """The note's `created`."""
    hard_split: bool
    """True if one sentence was too long for the model and had to be cut."""
    window_hash: str
    """sha256 of what was embedded."""


@with_config(_STRICT)
class EdgePayload(TypedDict):
    """A directed, typed relation with its evidence."""

    edge_id: str
    kind: str
    """Relation kind."""
    scope: Scope
    source_id: str
    """Chunk id, or note id at scope `note`."""
    target_id: str
    """Note or chunk id; the link's text if unresolved."""
    note_id: str
    """The note that the edge belongs to and goes with."""
    status: Status
    provenance: Provenance
    rule_id: str
    """Which rule made it, e.g. `explicit:wikilink`."""
    confidence: float
    """From 0 to 1."""
    target_raw: str
    """The link's target as written."""
    target_section: str
    """Heading or `^block` that the link names."""
    resolved_by: ResolvedBy
    ambiguous: bool
    """Other notes could have been meant."""
    also_by: list[str]
    """Weaker rules that say the same."""
    display: str
    """The link's shown text."""
    char_start: int
    """Of the link in the note's `fulltext`."""


def note_payload(
    note: Note, *, references: Sequence[str], chunk_count: int, token_count: int, mtime: str = ""
) -> dict[str, Any]:
    """The payload of a note. `references` are the ids of the notes that its body refers to, `mtime` is ISO, UTC."""
    payload: NotePayload = {
        "note_id": note.note_id,
        "title": note.title,
        "type": note.type,
        "status": note.status,
        "created": note.created,
        "updated": note.updated,
        "path": note.path,
        "tags": list(note.tags),
        "aliases": list(note.aliases),
        "area": note.area,
        "project": note.project,
        "priority": note.priority,
        "people": list(note.people),
        "lang": note.lang,
        "hash_fulltext": note.hash_fulltext,
        "hash_frontmatter": note.hash_frontmatter,
        "fulltext": note.fulltext,
        "frontmatter_raw": note.frontmatter_raw,
        "bom": note.bom,
        "newline": note.newline,
        "encoding": note.encoding,
        "references": list(references),
        "retriever_weight": note.retriever_weight,
        "chunk_profile": note.chunk_profile,
        "chunk_count": chunk_count,
        "token_count": token_count,
        "warnings": [{"code": each.code, "message": each.message, "line": each.line} for each in note.warnings],
        "mtime": mtime,
        "frontmatter": plain(note.frontmatter),
    }
    return dict(payload)


def chunk_payload(
    chunk: Chunk, *, references: Sequence[Mapping[str, str]], previous_id: str | None, next_id: str | None
) -> dict[str, Any]:
    """The payload of a chunk. `references` are {kind, target_id} of its explicit, resolved links."""
    payload: ChunkPayload = {
        "chunk_id": chunk.chunk_id,
        "stable_id": chunk.stable_id,
        "note_id": chunk.note_id,
        "note_title": chunk.note_title,
        "path": chunk.path,
        "type": chunk.type,
        "area": chunk.area,
        "project": chunk.project,
        "tags": list(chunk.tags),
        "chunk_index": chunk.chunk_index,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "token_count": chunk.token_count,
        "section_title": chunk.section_title,
        "section_path": list(chunk.section_path),
        "section_label": chunk.section_label,
        "kind": chunk.kind,
        "lang": chunk.lang,
        "text": chunk.text,
        "overlap_chars": chunk.overlap_chars,
        "summary": chunk.summary,
        "wikilinks": list(chunk.wikilinks),
        "external_links": list(chunk.external_links),
        "references": [{"kind": each["kind"], "target_id": each["target_id"]} for each in references],
        "neighbors": {"prev": previous_id, "next": next_id},
        "retriever_weight": chunk.retriever_weight,
        "chunk_profile": chunk.chunk_profile,
        "created_at": chunk.created_at,
        "hard_split": chunk.hard_split,
        "window_hash": chunk.window_hash,
    }
    return dict(payload)


def edge_payload(edge: Edge) -> dict[str, Any]:
    """The payload of an edge: its fields."""
    payload = {name: getattr(edge, name) for name in _EDGE_FIELDS}
    payload["also_by"] = list(edge.also_by)
    return payload
