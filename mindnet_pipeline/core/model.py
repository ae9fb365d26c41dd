"""The words of mindnet as types: what a note is, what a chunk is, what an edge is.

Plain frozen values, nothing that computes. Spans are character (code point) offsets into the note's body, end
exclusive. Field names are the column names of the tables (storage/tables.py) and the payload fields of the collections.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Span = tuple[int, int]
"""`(start, end)`: code points of the body, end exclusive."""

Newline = Literal["lf", "crlf", "cr", "mixed", "none"]
BlockKind = Literal[
    "heading", "paragraph", "list", "code", "table", "quote", "callout", "html", "math", "comment", "break", "footnote"
]
ChunkKind = Literal["text", "list", "code", "table", "quote", "links"]
LinkSyntax = Literal["wikilink", "embed", "mdlink", "rel", "field", "callout", "frontmatter"]
Destination = Literal["note", "attachment", "external"]
Scope = Literal["chunk", "note"]
Status = Literal["ok", "unresolved"]
Provenance = Literal["explicit", "rule", "structure"]
ResolvedBy = Literal["path", "id", "folder", "name", "title", "alias", "swapped", ""]


@dataclass(frozen=True, slots=True)
class Finding:
    """A warning about one note, for people: a stable code, a sentence that says what to do, the line in the file."""

    code: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """A file taken apart without loss: `BOM + (raw + body).encode(encoding)` is the file.

    `raw` is the frontmatter with both fences and its last line end, `""` if there is none. `frontmatter` is the parsed
    mapping (JSON-safe), empty if there is none or if it is broken. `field_lines` gives each top-level key's line in
    the file.
    """

    raw: str
    body: str
    bom: bool
    newline: Newline
    encoding: str
    frontmatter: Mapping[str, Any]
    field_lines: Mapping[str, int]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A top-level Markdown block of the body.

    `start` is the start of the block's first line, `end` is after its last line's line end. Blocks never overlap; blank
    lines lie between them. `items` are the spans of a list's top-level items, in order. `title` is a heading's text
    or a callout's title. `language` is a fence's first info word, a callout's type or HTML's first tag, lower-cased.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    title: str = ""
    language: str = ""
    items: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """One written link. `body[start:end]` is the link as written; frontmatter links have the span `(0, 0)`.

    `target` is the link text without subpath and display: unescaped, percent-decoded once if Markdown, trimmed. It is
    empty for a link to a place in its own note. `subpath` is `Heading`, `A#B` or `^block`. `kind` is the relation
    as written, for the syntaxes that carry one (`rel`, `field`, `callout`, `frontmatter`: the key); `""` otherwise.
    """

    syntax: LinkSyntax
    target: str
    start: int
    end: int
    subpath: str = ""
    display: str = ""
    kind: str = ""
    destination: Destination = "note"


@dataclass(frozen=True, slots=True)
class Note:
    """One note: identity (`note_id`), place (`path`), display (`title`), content and what was found in it.

    `nested` are the blocks inside lists, quotes, callouts and footnotes that are no paragraphs, in order; one that
    holds others comes before them. `hidden` are the spans that no reader sees: comments and compressed drawings.
    `unbroken` are those of code, formulas and HTML tags inside lines.
    """

    note_id: str
    path: str
    title: str
    type: str
    status: str
    created: str
    updated: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    area: str
    project: str
    priority: str
    people: tuple[str, ...]
    lang: str
    hash_fulltext: str
    hash_frontmatter: str
    fulltext: str
    frontmatter_raw: str
    frontmatter: Mapping[str, Any]
    bom: bool
    newline: Newline
    encoding: str
    retriever_weight: float
    chunk_profile: str
    warnings: tuple[Finding, ...]
    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    nested: tuple[Block, ...] = ()
    hidden: tuple[Span, ...] = ()
    unbroken: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A run of whole blocks (or sentences or list items of one block) of one note: the unit of search.

    `text == note.fulltext[char_start:char_end]`. `overlap_chars` says how many characters before `char_start` are
    repeated in the window. `summary` is a table's plain-text summary. `window_hash` is the sha256 of the window.
    `context` is the line before the text in the window: title and sections, without a title that is only the file's
    name, so that renaming a file changes no window. `hidden` are the spans of `text` that no reader sees.
    """

    chunk_id: str
    stable_id: str
    note_id: str
    note_title: str
    path: str
    type: str
    area: str
    project: str
    tags: tuple[str, ...]
    chunk_index: int
    char_start: int
    char_end: int
    token_count: int
    section_title: str
    section_path: tuple[str, ...]
    kind: ChunkKind
    lang: str
    text: str
    overlap_chars: int
    summary: str
    wikilinks: tuple[str, ...]
    external_links: tuple[str, ...]
    retriever_weight: float
    chunk_profile: str
    created_at: str
    hard_split: bool
    window_hash: str
    context: str = ""
    hidden: tuple[Span, ...] = ()

    @property
    def section_label(self) -> str:
        """The section's titles joined for display."""
        return " › ".join(self.section_path)


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed, typed relation, owned by `note_id`. Its key is (source_id, target_id, kind, scope, rule_id)."""

    edge_id: str
    kind: str
    scope: Scope
    source_id: str
    target_id: str
    note_id: str
    status: Status
    provenance: Provenance
    rule_id: str
    confidence: float
    target_raw: str = ""
    target_section: str = ""
    resolved_by: ResolvedBy = ""
    ambiguous: bool = False
    also_by: tuple[str, ...] = ()
    display: str = ""
    char_start: int = 0


@dataclass(frozen=True, slots=True)
class NoteNames:
    """The names under which links find a note: all that resolution knows of it."""

    note_id: str
    path: str
    title: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a link text leads. `target_id is None` means unresolved."""

    target_id: str | None
    resolved_by: ResolvedBy = ""
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Violation:
    """What an invariant found: a message about one row, with the row's id."""

    subject_id: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckReport:
    """An invariant's verdict: exact counts and the violations, sorted. `passed` iff there are none.

    `looked_at` says for people what was counted for it, where that is not simply everything.
    """

    name: str
    description: str
    expected: int
    found: int
    violations: tuple[Violation, ...] = ()
    remedy: str = ""
    looked_at: str = ""

    @property
    def passed(self) -> bool:
        """True if nothing violates the invariant."""
        return not self.violations


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result: a chunk with its place, its score and, on request, its reasons.

    `score` ranks the hits of one question. `relevance` in [0, 1] means the same for every question: below
    0.3 a hit has most likely nothing to do with it (retrieval/relevance.py).
    """

    chunk_id: str
    note_id: str
    title: str
    path: str
    type: str
    section_path: tuple[str, ...]
    char_start: int
    char_end: int
    line: int
    text: str
    score: float
    explanation: Explanation | None = None
    relevance: float = 0.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hit is where it is. The values of `score_breakdown` add up to the hit's score exactly.

    `related` are the notes that links connect the hit with: those that lifted it first, then others that refer to it,
    then those it refers to; of a hub only some.
    """

    score_breakdown: Mapping[str, float]
    reasons: tuple[str, ...]
    matched_words: tuple[str, ...] = field(default=())
    related: tuple[Related, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Related:
    """A note that a hit is linked with, and by which relation kind. `outgoing`: the hit refers to the note."""

    note_id: str
    title: str
    kind: str
    outgoing: bool
