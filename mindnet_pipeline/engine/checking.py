"""The invariants over a whole data folder: which there are, what each guards, and how to run them.

The rules are in core/invariants.py; which columns each gets is in `check_rules.py`. Asset checks, `mindnet status` and
the tests use the same two functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from mindnet_pipeline.core import invariants
from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.model import CheckReport
from mindnet_pipeline.engine.check_rules import BUCKET_RULES, WHOLE_RULES, Vault
from mindnet_pipeline.engine.counted import Counted
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.storage.tables import TableName
from mindnet_pipeline.storage.vectors.backend import LOGICAL_ID
from mindnet_pipeline.storage.vectors.protocol import CollectionName, StoreWriter

STORE_CHECK = "store_matches_tables"


@dataclass(frozen=True, slots=True)
class Check:
    """An invariant as people see it: its asset, its claim, whether it must hold before the store is written.

    `severe` is False for what is worth knowing about a vault but no fault of the index.
    """

    asset: str
    claim: str
    blocking: bool = True
    severe: bool = True


CHECKS: Mapping[str, Check] = {
    "note_ids_are_unique": Check("parsed_notes", "Every note_id is there once."),
    "note_paths_are_unique": Check("parsed_notes", "Every path has one note."),
    "note_ids_are_declared_once": Check("parsed_notes", "No two files claim one id.", blocking=False, severe=False),
    "frontmatter_is_readable": Check(
        "parsed_notes", "Every note's frontmatter could be read.", blocking=False, severe=False
    ),
    "chunk_ids_are_unique": Check("chunks", "Every chunk_id is there once."),
    "every_chunk_note_exists": Check("chunks", "Every chunk belongs to a note that exists."),
    "chunks_join_to_fulltext": Check("chunks", "A note's chunks, joined in order, are its body."),
    "belongs_to_edges_match_chunks": Check("edges", "There is one belongs_to edge per chunk."),
    "next_and_prev_edges_match_neighbours": Check("edges", "next and prev edges join all neighbouring chunks."),
    "references_match_distinct_targets_per_chunk": Check(
        "edges", "Explicit references are the distinct targets of each chunk's links."
    ),
    "explicit_edges_match_written_links": Check("edges", "Every explicit edge is a link that someone wrote."),
    "backlinks_match_distinct_explicit_targets": Check(
        "edges", "Backlinks are the distinct explicit targets of each note's body."
    ),
    "every_default_edge_has_a_written_link": Check("edges", "Every default edge repeats the target of a written link."),
    "every_edge_owner_exists": Check("edges", "Every edge is owned by a note that exists."),
    "every_edge_source_exists": Check("edges", "Every edge starts at a note or chunk that exists."),
    "every_resolved_target_exists": Check("edges", "Every resolved edge leads to a note or chunk that exists."),
    "every_unresolved_target_is_missing": Check("edges", "Every unresolved link's target really does not exist."),
    "edge_keys_are_unique": Check("edges", "(source, target, kind, scope, rule) is there once."),
    "confidences_are_probabilities": Check("edges", "Every confidence lies between 0 and 1."),
    "every_link_resolves": Check("edges", "Every written link leads to a note.", blocking=False, severe=False),
    "every_link_is_unambiguous": Check(
        "edges", "No link's name is shared by several notes.", blocking=False, severe=False
    ),
    "point_ids_are_unique": Check("edges", "Every row has a point of its own in its collection."),
    "every_chunk_has_its_vector": Check("embeddings", "Every chunk has the vector of its window, made by this model."),
    "no_window_is_truncated": Check("embeddings", "The embedding model read every window whole."),
}
"""All checks over the tables by name, in the order of the data."""


def check_tables(pipeline: Pipeline, names: Collection[str] = tuple(CHECKS), *, anew: bool = True) -> list[CheckReport]:
    """Run these checks of `CHECKS` over the whole tables, in the order of the data; only what they need is read.

    With `anew=False` an earlier count of a file stands as long as the file, and all else that the count hangs on, is
    the same byte for byte. Whatever changed since, by whomever, is counted again.
    """
    vault = Vault(pipeline)
    whole = vault.rows()
    reports = {name: rule(whole) for name, rule in WHOLE_RULES.items() if name in names}
    in_files = _count_in_files(vault, [name for name in BUCKET_RULES if name in names], anew=anew)
    reports |= {name: _sum(name, counts) for name, counts in in_files.items()}
    return [reports[name] for name in CHECKS if name in reports]


def _count_in_files(vault: Vault, names: Sequence[str], *, anew: bool) -> dict[str, list[tuple[CheckReport, bool]]]:
    """(report, whether it was counted just now) of each bucket by check; one bucket at a time is in memory."""
    counted = Counted(vault.pipeline)
    found: dict[str, list[tuple[CheckReport, bool]]] = {name: [] for name in names}
    for bucket in range(vault.pipeline.tables.buckets):
        rows = vault.rows(bucket)
        for name in names:
            rule = BUCKET_RULES[name]
            basis = vault.basis(rule, bucket)
            known = None if anew else counted.get(name, bucket, basis)
            report = known or rule.count(rows)
            if known is None:
                counted.put(name, bucket, basis, report)
            found[name].append((report, known is None))
    counted.save()
    return found


def _sum(name: str, counts: Sequence[tuple[CheckReport, bool]]) -> CheckReport:
    reports = [report for report, _ in counts]
    violations = [violation for report in reports for violation in report.violations]
    fresh = sum(is_fresh for _, is_fresh in counts)
    return CheckReport(
        name,
        CHECKS[name].claim,
        sum(report.expected for report in reports),
        sum(report.found for report in reports),
        tuple(sorted(violations, key=lambda violation: (violation.subject_id, violation.message))),
        next((report.remedy for report in reports if report.remedy), ""),
        f"{fresh} of {counted(len(counts), 'file')}; the rest is as it was when it was counted",
    )


def check_store(pipeline: Pipeline, *, anew: bool = True) -> CheckReport:
    """Compare the points of the collections with the rows of the tables.

    With `anew=False`, each note must have as many points in every collection as rows in its table; else, and to name
    what differs, all points are compared by their ids.
    """
    with pipeline.store.writer(pipeline.facts, pipeline.settings.store.wait_seconds) as writer:
        rows = None if anew else _same_counts(pipeline, writer)
        if rows is not None:
            return invariants.store_has_all_rows(rows, looked_at="the number of points of every note")
        ids: dict[CollectionName, list[str]] = {name: _column(pipeline, name, key) for name, key in LOGICAL_ID.items()}
        if all(writer.holds_exactly(name, each) for name, each in ids.items()):
            return invariants.store_has_all_rows(sum(map(len, ids.values())), looked_at="the id of every point")
        there = {str(name): writer.logical_ids(name) for name in ids}
        return invariants.store_matches_tables({str(name): each for name, each in ids.items()}, there)


def _same_counts(pipeline: Pipeline, writer: StoreWriter) -> int | None:
    """The number of points, if every note has as many in each collection as it has rows; None if one differs."""
    total = 0
    for name in LOGICAL_ID:
        rows = Counter(_column(pipeline, name, "note_id"))
        if rows != writer.counts_by_note(name):
            return None
        total += rows.total()
    return total


def _column(pipeline: Pipeline, table: TableName, column: str) -> list[str]:
    values: list[str] = pipeline.tables.read(table, columns=(column,))[column].to_pylist()
    return values
