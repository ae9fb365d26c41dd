"""The payloads of the three collections: what a program that reads Qdrant directly finds there.

The models below are the contract; their JSON Schemas lie in mindnet_pipeline/schemas/ and are written anew by
`python -m mindnet_pipeline.storage.payloads`. Values come from the tables alone, so that a rebuild gives the same points.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from mindnet_pipeline.core.model import Chunk, Edge, Note

SCHEMA_FOLDER = Path(__file__).resolve().parent.parent / "schemas"


class _Payload(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Warned(_Payload):
    """Something about a note that a person should look at."""

    code: str
    message: str
    line: int | None


class Reference(_Payload):
    """An explicit, resolved relation of a chunk."""

    kind: str
    target_id: str


class Neighbors(_Payload):
    """The chunks before and after, in the same note."""

    prev: str | None
    next: str | None


class NotePayload(_Payload):
    """One note. `BOM + (frontmatter_raw + fulltext)` in `encoding` is the file, byte for byte."""

    note_id: str
    title: str
    type: str
    status: str
    created: str
    updated: str
    path: str
    tags: list[str]
    aliases: list[str]
    area: str
    project: str
    priority: str
    people: list[str]
    lang: str
    hash_fulltext: str
    hash_frontmatter: str
    fulltext: str
    frontmatter_raw: str
    frontmatter: dict[str, Any]
    bom: bool
    newline: str
    encoding: str
    references: list[str]
    retriever_weight: float
    chunk_profile: str
    chunk_count: int
    token_count: int
    warnings: list[Warned]
    mtime: str


class ChunkPayload(_Payload):
    """One chunk, the unit of search."""

    chunk_id: str
    stable_id: str
    note_id: str
    note_title: str
    path: str
    type: str
    area: str
    project: str
    tags: list[str]
    chunk_index: int
    char_start: int
    char_end: int
    token_count: int
    section_title: str
    section_path: list[str]
    section_label: str
    kind: str
    lang: str
    text: str
    overlap_chars: int
    summary: str
    wikilinks: list[str]
    external_links: list[str]
    references: list[Reference]
    neighbors: Neighbors
    retriever_weight: float
    chunk_profile: str
    created_at: str
    hard_split: bool
    window_hash: str


class EdgePayload(_Payload):
    """One edge; `note_id` is the note that owns it."""

    edge_id: str
    kind: str
    scope: str
    source_id: str
    target_id: str
    note_id: str
    status: str
    provenance: str
    rule_id: str
    confidence: float
    target_raw: str
    target_section: str
    resolved_by: str
    ambiguous: bool
    also_by: list[str]
    display: str
    char_start: int


SCHEMAS: Mapping[str, type[BaseModel]] = {"note": NotePayload, "chunk": ChunkPayload, "edge": EdgePayload}


def note_payload(
    note: Note, *, references: Sequence[str], chunk_count: int, token_count: int, mtime: str
) -> dict[str, Any]:
    """A note's payload. `references` are distinct target ids, `mtime` is the file's time in ISO form (UTC)."""
    added = {
        "references": list(references),
        "chunk_count": chunk_count,
        "token_count": token_count,
        "mtime": mtime,
        "frontmatter": _plain(note.frontmatter),
        "warnings": [dataclasses.asdict(finding) for finding in note.warnings],
    }
    return _fields(note, NotePayload) | added


def chunk_payload(
    chunk: Chunk, *, references: Sequence[Mapping[str, str]], previous_id: str | None, next_id: str | None
) -> dict[str, Any]:
    """A chunk's payload with its explicit relations and its neighbours' ids."""
    added = {
        "section_label": chunk.section_label,
        "references": [dict(reference) for reference in references],
        "neighbors": {"prev": previous_id, "next": next_id},
    }
    return _fields(chunk, ChunkPayload) | added


def edge_payload(edge: Edge) -> dict[str, Any]:
    """An edge's payload."""
    return _fields(edge, EdgePayload)


def write_schemas(folder: Path = SCHEMA_FOLDER) -> None:
    """Write the JSON Schemas of the three payloads."""
    for name, model in SCHEMAS.items():
        (folder / f"{name}.schema.json").write_text(schema_text(model), encoding="utf-8")


def schema_text(model: type[BaseModel]) -> str:
    """The JSON Schema of a payload, as it is written."""
    return json.dumps(model.model_json_schema(), indent=2, ensure_ascii=False) + "\n"


def _fields(value: Note | Chunk | Edge, model: type[BaseModel]) -> dict[str, Any]:
    """The fields that value and payload share, as JSON values."""
    return {
        name: list(item) if isinstance(item := getattr(value, name), tuple) else item
        for name in model.model_fields
        if hasattr(value, name)
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


if __name__ == "__main__":
    write_schemas()
