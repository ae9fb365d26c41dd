"""What the links in the tables' rows say today, counted anew for the invariants.

Deliberately apart from `edges.py`: a second, plainer reading of the same rules, so that the first can be checked by it.
Only resolution is shared.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mindnet_pipeline.core.ids import nfc
from mindnet_pipeline.core.model import Link, NoteNames
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.core.resolve import NoteIndex, index_of

Columns = Mapping[str, Sequence[Any]]

_NOT_FOR_LINKS = {"belongs_to", "next", "prev", "backlink", "has_section"}


@dataclass(frozen=True, slots=True)
class LinkRecount:
    """`chunk_statements`: distinct (chunk_id, kind, target, status). `body_targets`: distinct (note_id, note found)."""

    chunk_statements: frozenset[tuple[str, str, str, str]]
    body_targets: frozenset[tuple[str, str]]


def note_index(notes: Columns) -> NoteIndex:
    """The names of the notes in the table."""
    rows = zip(notes["note_id"], notes["path"], notes["title"], notes["aliases"], strict=True)
    return index_of(
        tuple(NoteNames(note_id, path, title, tuple(aliases or ())) for note_id, path, title, aliases in rows)
    )


def recount_links(notes: Columns, chunks: Columns, index: NoteIndex, registry: Registry) -> LinkRecount:
    """Read every link of these bodies again: the chunk that holds it, what it says, where it leads.

    `index` knows the names of all notes of the vault; `notes` may be some of them.
    """
    spans = _spans(chunks)
    statements: set[tuple[str, str, str, str]] = set()
    targets: set[tuple[str, str]] = set()
    for note_id, path, rows in zip(notes["note_id"], notes["path"], notes["links"], strict=True):
        for link, chunk_id in _links_in_chunks(rows or (), spans.get(note_id, [])):
            found, kind = index.resolve(link, path).target_id, _kind(link, registry)
            if found is None:
                statements.add((chunk_id, kind, nfc(link.target).strip(), "unresolved"))
            else:
                statements.add((chunk_id, kind, found, "ok"))
                targets.add((note_id, found))
    return LinkRecount(frozenset(statements), frozenset(targets))


def leads_to(index: NoteIndex, target: str, display: str, rule_id: str, path: str) -> str | None:
    """Where an edge's link leads now. A default edge cannot tell whether the sides of its link may be swapped."""
    by_rule = {"explicit:mdlink": "", "edge_defaults": ""}
    shown = by_rule.get(rule_id if rule_id in by_rule else rule_id.partition(":")[0], display)
    return index.resolve(Link("wikilink", target, 0, 0, display=shown), path).target_id


def _spans(chunks: Columns) -> dict[str, list[tuple[int, int, str]]]:
    """For each note its chunks' (start, end, chunk_id) in order; `""` for chunks whose links are only ideas."""
    spans: dict[str, list[tuple[int, int, str]]] = {}
    columns = (chunks[name] for name in ("note_id", "chunk_id", "kind", "char_start", "char_end"))
    for note_id, chunk_id, kind, start, end in zip(*columns, strict=True):
        spans.setdefault(note_id, []).append((start, end, "" if kind == "links" else chunk_id))
    for each in spans.values():
        each.sort()
    return spans


def _links_in_chunks(
    rows: Sequence[Mapping[str, Any]], spans: Sequence[tuple[int, int, str]]
) -> Iterator[tuple[Link, str]]:
    starts = [start for start, _, _ in spans]
    for row in rows:
        if row["syntax"] == "frontmatter" or row["destination"] != "note" or not row["target"].strip():
            continue
        at = bisect_right(starts, row["start"]) - 1
        if at >= 0 and row["start"] < spans[at][1] and spans[at][2]:
            yield Link(**row), spans[at][2]


def _kind(link: Link, registry: Registry) -> str:
    kind, known = registry.relation_kind(link.kind)
    carries_a_kind = link.syntax in {"rel", "callout"} or (link.syntax == "field" and known)
    return kind if carries_a_kind and kind not in _NOT_FOR_LINKS else "references"
