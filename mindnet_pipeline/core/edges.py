"""Notes, chunks and resolved links → the edges of one note, each with its rule, evidence and confidence.

Here belong the rules that make edges and the order of their evidence. Where a link leads is `resolve.py`; what a kind
is called is `registry.py`. An edge is stored once, in the direction in which it was written, symmetric kinds too: that
such an edge counts both ways is a matter of reading it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from mindnet_pipeline.core.ids import edge_id, nfc
from mindnet_pipeline.core.link_findings import STRUCTURE_KINDS, link_findings
from mindnet_pipeline.core.model import Chunk, Edge, Finding, Link, Note, Provenance, Resolution, Scope
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.core.resolve import NoteIndex

EDGE_RULES_VERSION = 1
"""Raised whenever other edges would come of the same notes: every note's edges are then derived anew."""

REFERENCES = "references"
WEAK_RESOLUTION_FACTOR = 0.9
_WEAK_RESOLUTIONS = frozenset({"title", "alias", "swapped"})

_INLINE_CONFIDENCE = 0.95
_CALLOUT_CONFIDENCE = 0.90
_LINK_CONFIDENCE = 1.0
_FRONTMATTER_CONFIDENCE = 0.95
_DEFAULT_CONFIDENCE = 0.7

_STRENGTH = ("inline:rel", "inline:field", "callout:edge", "explicit:wikilink", "explicit:embed", "explicit:mdlink")
"""Rules of the body, the strongest evidence first; after them frontmatter, then type defaults."""


@dataclass(frozen=True, slots=True)
class DerivedEdges:
    """The edges that one note owns, sorted, and what a person should know about its links."""

    edges: tuple[Edge, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _Claim:
    """One piece of evidence for an edge: a link read under one rule."""

    source_id: str
    scope: Scope
    kind: str
    rule_id: str
    provenance: Provenance
    confidence: float
    link: Link
    resolution: Resolution

    @property
    def target_id(self) -> str:
        found = self.resolution.target_id
        return nfc(self.link.target).strip() if found is None else found

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.source_id, self.target_id, self.kind, self.scope

    @property
    def is_weakly_resolved(self) -> bool:
        return self.resolution.resolved_by in _WEAK_RESOLUTIONS

    @property
    def weakness(self) -> tuple[int, bool, int, str]:
        return _rank(self.rule_id), self.is_weakly_resolved, self.link.start, self.rule_id


def derive_edges(
    note: Note,
    chunks: Sequence[Chunk],
    index: NoteIndex,
    registry: Registry,
    *,
    note_scope_references: bool = False,
    weak_resolution_factor: float = WEAK_RESOLUTION_FACTOR,
) -> DerivedEdges:
    """All edges that this note owns.

    `chunks` are the note's own, in order. `weak_resolution_factor` lowers the confidence of links that found their
    target by title, alias or swapped sides. `note_scope_references` adds `references` and `has_section` from the note
    itself.
    """
    claims = list(_body_claims(note, chunks, index, registry))
    derived = [
        *claims,
        *_default_claims(note, claims, registry),
        *_frontmatter_claims(note, index, registry),
        *(_note_scope_claims(note, claims) if note_scope_references else ()),
    ]
    edges = [
        *_structure(note, chunks),
        *_backlinks(note, claims),
        *(_sections(note, chunks) if note_scope_references else ()),
        *_strongest(derived, note, weak_resolution_factor),
    ]
    return DerivedEdges(tuple(sorted(edges, key=_order)), link_findings(note, registry))


def _body_claims(note: Note, chunks: Sequence[Chunk], index: NoteIndex, registry: Registry) -> Iterator[_Claim]:
    """One claim for each link of the body that names a note, outside of stop sections."""
    starts = [chunk.char_start for chunk in chunks]
    for link in note.links:
        if link.syntax == "frontmatter" or link.destination != "note" or not link.target.strip():
            continue
        at = bisect_right(starts, link.start) - 1
        if at < 0 or link.start >= chunks[at].char_end or chunks[at].kind == "links":
            continue
        kind, rule_id, confidence = read_link(link, registry)
        resolution = index.resolve(link, note.path)
        yield _Claim(chunks[at].chunk_id, "chunk", kind, rule_id, "explicit", confidence, link, resolution)


def read_link(link: Link, registry: Registry) -> tuple[str, str, float]:
    """What a link of the body says: relation kind, rule and confidence (before resolution).

    A kind that the vocabulary does not know is kept as written; a field with such a key is a plain link.
    """
    kind, known = registry.relation_kind(link.kind)
    claimed = REFERENCES if kind in STRUCTURE_KINDS else kind
    match link.syntax:
        case "rel":
            return claimed, "inline:rel", _INLINE_CONFIDENCE
        case "callout":
            return claimed, "callout:edge", _CALLOUT_CONFIDENCE
        case "field" if known and kind not in STRUCTURE_KINDS:
            return kind, "inline:field", _INLINE_CONFIDENCE
        case "embed" | "mdlink":
            return REFERENCES, f"explicit:{link.syntax}", _LINK_CONFIDENCE
        case _:
            return REFERENCES, "explicit:wikilink", _LINK_CONFIDENCE


def _default_claims(note: Note, claims: Iterable[_Claim], registry: Registry) -> Iterator[_Claim]:
    """What the note's type implies for every target that its body names. A note implies nothing about itself."""
    note_type = registry.type_of(note.type)
    for claim in claims:
        if claim.target_id == note.note_id:
            continue
        for kind in note_type.edge_defaults:
            rule_id = f"edge_defaults:{note_type.name}:{kind}"
            yield replace(claim, kind=kind, rule_id=rule_id, provenance="rule", confidence=_DEFAULT_CONFIDENCE)


def _frontmatter_claims(note: Note, index: NoteIndex, registry: Registry) -> Iterator[_Claim]:
    for link in note.links:
        if link.syntax != "frontmatter" or link.destination != "note" or not link.target.strip():
            continue
        kind, known = registry.relation_kind(link.kind)
        if not known or kind in STRUCTURE_KINDS:
            kind = REFERENCES
        rule_id = f"frontmatter:{link.kind}"
        resolution = index.resolve(link, note.path)
        yield _Claim(note.note_id, "note", kind, rule_id, "explicit", _FRONTMATTER_CONFIDENCE, link, resolution)


def _note_scope_claims(note: Note, claims: Iterable[_Claim]) -> Iterator[_Claim]:
    for claim in claims:
        if claim.kind == REFERENCES:
            yield replace(claim, source_id=note.note_id, scope="note")


def _strongest(claims: Iterable[_Claim], note: Note, weak_resolution_factor: float) -> Iterator[Edge]:
    """One edge for each (source, target, kind, scope): the strongest claim, the other rules in `also_by`."""
    groups: dict[tuple[str, str, str, str], list[_Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.key, []).append(claim)
    for group in groups.values():
        group.sort(key=lambda claim: claim.weakness)
        best = group[0]
        others = dict.fromkeys(claim.rule_id for claim in group if claim.rule_id != best.rule_id)
        factor = weak_resolution_factor if best.is_weakly_resolved else 1.0
        yield Edge(
            edge_id=edge_id(*best.key, best.rule_id),
            kind=best.kind,
            scope=best.scope,
            source_id=best.source_id,
            target_id=best.target_id,
            note_id=note.note_id,
            status="unresolved" if best.resolution.target_id is None else "ok",
            provenance=best.provenance,
            rule_id=best.rule_id,
            confidence=round(best.confidence * factor, 6),
            target_raw=best.link.target,
            target_section=best.link.subpath,
            resolved_by=best.resolution.resolved_by,
            ambiguous=best.resolution.ambiguous,
            also_by=tuple(others),
            display=best.link.display,
            char_start=best.link.start,
        )


def _structure(note: Note, chunks: Sequence[Chunk]) -> Iterator[Edge]:
    """`belongs_to` for each chunk, `next` and `prev` between neighbours."""
    for chunk in chunks:
        yield _structure_edge(note, "belongs_to", "chunk", chunk.chunk_id, note.note_id, chunk.char_start)
    for before, after in pairwise(chunks):
        yield _structure_edge(note, "next", "chunk", before.chunk_id, after.chunk_id, before.char_start)
        yield _structure_edge(note, "prev", "chunk", after.chunk_id, before.chunk_id, after.char_start)


def _backlinks(note: Note, claims: Iterable[_Claim]) -> Iterator[Edge]:
    """From each other note that the body names back to this one: for audit and navigation, owned by this note."""
    first: dict[str, _Claim] = {}
    for claim in claims:
        if claim.resolution.target_id not in {None, note.note_id}:
            first.setdefault(claim.target_id, claim)
    for target_id, claim in first.items():
        yield _structure_edge(note, "backlink", "note", target_id, note.note_id, claim.link.start)


def _sections(note: Note, chunks: Iterable[Chunk]) -> Iterator[Edge]:
    """From the note to the first chunk of each of its sections."""
    first: dict[tuple[str, ...], Chunk] = {}
    for chunk in chunks:
        if chunk.section_path:
            first.setdefault(chunk.section_path, chunk)
    for chunk in first.values():
        edge = _structure_edge(note, "has_section", "note", note.note_id, chunk.chunk_id, chunk.char_start)
        yield replace(edge, display=chunk.section_title)


def _structure_edge(note: Note, kind: str, scope: Scope, source_id: str, target_id: str, char_start: int) -> Edge:
    rule_id = f"structure:{kind}"
    return Edge(
        edge_id=edge_id(source_id, target_id, kind, scope, rule_id),
        kind=kind,
        scope=scope,
        source_id=source_id,
        target_id=target_id,
        note_id=note.note_id,
        status="ok",
        provenance="structure",
        rule_id=rule_id,
        confidence=1.0,
        char_start=char_start,
    )


def _rank(rule_id: str) -> int:
    if rule_id in _STRENGTH:
        return _STRENGTH.index(rule_id)
    return len(_STRENGTH) + rule_id.startswith("edge_defaults:")


def _order(edge: Edge) -> tuple[str, str, str, str, str]:
    return edge.source_id, edge.scope, edge.kind, edge.target_id, edge.rule_id
