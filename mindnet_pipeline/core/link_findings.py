"""What a person should know about the relations in a note's links: values for reports and lint, never errors.

Only what one note and the vocabulary tell. What reading alone tells (outdated keys, relations without a target) is
among the note's own warnings; whether a target exists is a matter of resolution (`resolve.py`).
"""

from __future__ import annotations

import difflib

from mindnet_pipeline.core.frontmatter import split_source
from mindnet_pipeline.core.model import Finding, Link, Note
from mindnet_pipeline.core.registry import Registry

STRUCTURE_KINDS = frozenset({"belongs_to", "next", "prev", "backlink", "has_section"})
"""Kinds that say how notes and chunks hang together. A link cannot claim them."""


def link_findings(note: Note, registry: Registry) -> tuple[Finding, ...]:
    """The relation kinds that this note's links carry and the vocabulary does not, each at its first use.

    Fields and frontmatter keys are often no relations at all: of theirs, only inverse kinds are told.
    """
    findings: dict[str, Finding] = {}
    for link in note.links:
        if link.kind and link.kind not in findings and (finding := _finding(note, link, registry)):
            findings[link.kind] = finding
    return tuple(findings.values())


def _finding(note: Note, link: Link, registry: Registry) -> Finding | None:
    kind, known = registry.relation_kind(link.kind)
    if known:
        return None
    if forward := _forward_kind(kind, registry):
        return Finding("inverse_relation_kind", _turned(note, link, forward), line_of(note, link))
    if link.syntax not in {"rel", "callout"}:
        return None
    if kind in STRUCTURE_KINDS:
        message = f"`{link.kind}` is a relation that mindnet makes itself; this link is read as `references`."
        return Finding("reserved_relation_kind", message, line_of(note, link))
    message = f"`{link.kind}` is not in the vocabulary (types.yaml): {_nearest(kind, registry)}"
    return Finding("unknown_relation_kind", message, line_of(note, link))


def _forward_kind(kind: str, registry: Registry) -> str | None:
    """The relation whose inverse this kind is, by name or label."""
    for relation in registry.relations.values():
        names = (relation.inverse, *relation.inverse_labels.values())
        if not relation.symmetric and kind in {registry.relation_kind(name)[0] for name in names if name}:
            return relation.name
    return None


def _turned(note: Note, link: Link, forward: str) -> str:
    here = note.path.rpartition("/")[2].removesuffix(".md")
    there = link.target or "Note"
    return f"`{link.kind}` is the inverse of `{forward}`: write `[[rel:{forward} {here}]]` in [[{there}]] instead."


def _nearest(kind: str, registry: Registry) -> str:
    near = difflib.get_close_matches(kind, list(registry.relation_names), n=1, cutoff=0.6)
    return f"kept as `{kind}`" + (f", did you mean `{registry.relation_names[near[0]]}`?" if near else ".")


def line_of(note: Note, link: Link) -> int | None:
    """The link's line in the file, counted from 1; for a link of the frontmatter its key's line."""
    if link.syntax == "frontmatter":
        return split_source(note.frontmatter_raw.encode()).field_lines.get(link.kind)
    before = note.frontmatter_raw + note.fulltext[: link.start]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1
