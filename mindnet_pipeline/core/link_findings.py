"""What a person should know about the relations in a note's links: values for reports and lint, never errors.

Only what one note and the vocabulary tell. What reading alone tells (outdated keys, relations without a target) is
among the note's own warnings; whether a target exists is a matter of resolution (`resolve.py`).
"""

from __future__ import annotations

import difflib

from mindnet_pipeline.core.model import Finding, Link, Note
from mindnet_pipeline.core.registry import Registry

STRUCTURE_KINDS = frozenset({"belongs_to", "next", "prev", "backlink", "has_section"})
"""Kinds that say how notes and chunks hang together. A link cannot claim them."""


def link_findings(note: Note, registry: Registry) -> tuple[Finding, ...]:
    """The relation kinds that this note's links carry and the vocabulary does not, each at its first use."""
    findings: dict[str, Finding] = {}
    for link in note.links:
        if link.syntax in {"rel", "callout"} and link.kind not in findings:
            kind, known = registry.relation_kind(link.kind)
            if kind in STRUCTURE_KINDS:
                message = f"`{link.kind}` is a relation that mindnet makes itself; this link is read as `references`."
                findings[link.kind] = Finding("reserved_relation_kind", message, line_of(note, link))
            elif not known:
                message = f"`{link.kind}` is not in the vocabulary (types.yaml): {_nearest(kind, registry)}"
                findings[link.kind] = Finding("unknown_relation_kind", message, line_of(note, link))
    return tuple(findings.values())


def _nearest(kind: str, registry: Registry) -> str:
    near = difflib.get_close_matches(kind, list(registry.relation_names), n=1, cutoff=0.6)
    return f"kept as `{kind}`" + (f", did you mean `{registry.relation_names[near[0]]}`?" if near else ".")


def line_of(note: Note, link: Link) -> int | None:
    """The link's line in the file, counted from 1; None for frontmatter, where only keys have lines."""
    if link.syntax == "frontmatter":
        return None
    before = note.frontmatter_raw + note.fulltext[: link.start]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1
