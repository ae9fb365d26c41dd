"""What a person should know about how a note's links are written: values for reports and lint, never errors.

Only what one note and the vocabulary tell. Whether a link's target exists is a matter of resolution (`resolve.py`).
"""

from __future__ import annotations

import difflib

from mindnet_pipeline.core.model import Finding, Link, Note
from mindnet_pipeline.core.registry import Registry

STRUCTURE_KINDS = frozenset({"belongs_to", "next", "prev", "backlink", "has_section"})
"""Kinds that say how notes and chunks hang together. A link cannot claim them."""


def link_findings(note: Note, registry: Registry) -> tuple[Finding, ...]:
    """What a person should know about how this note's links are written: unknown kinds, outdated fields, no target."""
    findings: dict[tuple[str, str], Finding] = {}
    for link in note.links:
        found = _finding(link, registry)
        if found is not None:
            code, message = found
            findings.setdefault((code, link.kind), Finding(code, message, line_of(note, link)))
    return tuple(findings.values())


def _finding(link: Link, registry: Registry) -> tuple[str, str] | None:
    kind, known = registry.relation_kind(link.kind)
    if link.syntax == "frontmatter" and kind == "links":
        return "outdated-links-field", "`links:` is outdated: name the relation as the key, e.g. `related_to:`."
    if link.syntax in {"rel", "callout"}:
        return _relation_finding(link, kind, known, registry)
    return None


def _relation_finding(link: Link, kind: str, known: bool, registry: Registry) -> tuple[str, str] | None:
    if not link.target.strip() and not link.subpath:
        return "relation-without-target", f"`{link.kind}` names no target: write `[[rel:{kind} Note]]`."
    if kind in STRUCTURE_KINDS:
        return "reserved-relation-kind", f"`{link.kind}` is made by mindnet itself: read as `references`."
    if not known:
        return (
            "unknown-relation-kind",
            f"`{link.kind}` is not in the vocabulary (types.yaml); {_nearest(kind, registry)}",
        )
    return None


def _nearest(kind: str, registry: Registry) -> str:
    near = difflib.get_close_matches(kind, list(registry.relation_names), n=1, cutoff=0.6)
    return f"kept as `{kind}`" + (f"; did you mean `{registry.relation_names[near[0]]}`?" if near else ".")


def line_of(note: Note, link: Link) -> int | None:
    """The link's line in the file, counted from 1; None for frontmatter, where only keys have lines."""
    if link.syntax == "frontmatter":
        return None
    before = note.frontmatter_raw + note.fulltext[: link.start]
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1
