"""The invariants over a whole data folder: which there are, what each guards, and how to run them.

The rules are in core/invariants.py; here the tables' columns are handed to them. Asset checks, `mindnet status` and the
tests use the same two functions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mindnet_pipeline.core import invariants
from mindnet_pipeline.core.model import CheckReport, Violation
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.steps.embeddings import windows_of
from mindnet_pipeline.storage.embedders.parts import cut
from mindnet_pipeline.storage.rows import chunks_from
from mindnet_pipeline.storage.vectors.protocol import COLLECTIONS

STORE_CHECK = "store_matches_tables"

_NOTES = ("note_id", "path", "title", "aliases", "type", "fulltext", "links")
_EDGES_WITHOUT = frozenset({"also_by"})


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


def check_tables(pipeline: Pipeline) -> list[CheckReport]:
    """Run every check of `CHECKS` over the whole tables."""
    tables = pipeline.tables
    notes = tables.read("notes", columns=_NOTES).to_pydict()
    warnings = tables.read("notes", columns=("path", "warnings")).to_pydict()
    chunks = tables.read("chunks").drop_columns(["wikilinks", "external_links", "tags"]).to_pydict()
    edges_table = tables.read("edges")
    edges = edges_table.drop_columns(sorted(_EDGES_WITHOUT)).to_pydict()
    return [
        *invariants.check_graph(notes, chunks, edges, registry=pipeline.settings.registry),
        _frontmatter_is_readable(warnings),
        _every_link_resolves(edges),
        _every_link_is_unambiguous(edges),
        _every_chunk_has_its_vector(pipeline, chunks),
        _no_window_is_truncated(pipeline),
    ]


def check_store(pipeline: Pipeline) -> CheckReport:
    """Compare the ids in the collections with those of the tables."""
    columns = {"notes": "note_id", "chunks": "chunk_id", "edges": "edge_id"}
    in_tables: dict[str, list[str]] = {
        name: pipeline.tables.read(name, columns=(columns[name],))[columns[name]].to_pylist() for name in COLLECTIONS
    }
    with pipeline.store.writer(pipeline.facts, pipeline.settings.store.wait_seconds) as writer:
        in_store: dict[str, set[str]] = {name: writer.logical_ids(name) for name in COLLECTIONS}
    return invariants.store_matches_tables(in_tables, in_store)


def _frontmatter_is_readable(warnings: invariants.Columns) -> CheckReport:
    broken = [
        Violation(path, finding["message"])
        for path, findings in zip(warnings["path"], warnings["warnings"], strict=True)
        for finding in findings
        if finding["code"].startswith("frontmatter")
    ]
    return _worth_knowing("frontmatter_is_readable", len(warnings["path"]), broken, "Mend the YAML of these notes.")


def _every_link_resolves(edges: invariants.Columns) -> CheckReport:
    rows = zip(edges["note_id"], edges["target_raw"], edges["status"], edges["provenance"], strict=True)
    written = [(note, target, status) for note, target, status, provenance in rows if provenance == "explicit"]
    broken = sorted({(note, target) for note, target, status in written if status == "unresolved"})
    violations = [Violation(note, f"[[{target}]] leads nowhere.") for note, target in broken]
    return _worth_knowing(
        "every_link_resolves", len(written), violations, "Write these notes, or mend the links; see `mindnet lint`."
    )


def _every_link_is_unambiguous(edges: invariants.Columns) -> CheckReport:
    rows = zip(edges["note_id"], edges["target_raw"], edges["target_id"], edges["ambiguous"], strict=True)
    unclear = sorted({(note, raw, target) for note, raw, target, ambiguous in rows if ambiguous})
    violations = [
        Violation(note, f"[[{raw}]] could be several notes; {target} was taken.") for note, raw, target in unclear
    ]
    return _worth_knowing(
        "every_link_is_unambiguous", len(edges["note_id"]), violations, "Write the folder into these links."
    )


def _every_chunk_has_its_vector(pipeline: Pipeline, chunks: invariants.Columns) -> CheckReport:
    table = pipeline.tables.read("embeddings", columns=("chunk_id", "window_hash", "model_key"))
    made = set(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))
    key = pipeline.embedder.model_key
    wanted = {(c, w, key) for c, w in zip(chunks["chunk_id"], chunks["window_hash"], strict=True)}
    if pipeline.embedder.dimension == 0:
        wanted = set()
    violations = [
        *(Violation(chunk, "has no vector of its present window.") for chunk, *_ in wanted - made),
        *(Violation(chunk, "has a vector of another window or model.") for chunk, *_ in made - wanted),
    ]
    return CheckReport(
        "every_chunk_has_its_vector",
        CHECKS["every_chunk_has_its_vector"].claim,
        len(wanted),
        len(made),
        tuple(sorted(violations, key=lambda violation: violation.subject_id)),
        "Sync these notes again.",
    )


def _no_window_is_truncated(pipeline: Pipeline) -> CheckReport:
    """Only windows that may be longer than the model reads are counted; their parts must hold every token."""
    limit = pipeline.embedder.max_tokens
    ids: list[str] = []
    there: list[int] = []
    read: list[int] = []
    chunks = chunks_from(pipeline.tables.read("chunks"))
    for chunk, (_, window) in zip(chunks, windows_of(chunks), strict=True):
        if len(window) <= limit:
            continue
        tokens = pipeline.embedder.count_tokens([window])[0]
        if tokens > limit:
            parts = cut(window, 0, limit, pipeline.embedder.token_offsets)
            is_whole = "".join(part.text for part in parts) == window
            ids.append(chunk.chunk_id)
            there.append(tokens)
            read.append(tokens if is_whole and all(part.tokens <= limit for part in parts) else 0)
    return invariants.no_window_is_truncated(ids, there, read)


def _worth_knowing(name: str, total: int, violations: list[Violation], remedy: str) -> CheckReport:
    return CheckReport(name, CHECKS[name].claim, total, total - len(violations), tuple(violations), remedy)
