"""The invariants over a whole data folder: which there are, what each guards, and how to run them.

The rules are in core/invariants.py; here the tables' columns are handed to them. Asset checks, `mindnet status` and the
tests use the same two functions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

from mindnet_pipeline.core import invariants
from mindnet_pipeline.core.link_recount import LinkRecount, recount_links
from mindnet_pipeline.core.model import CheckReport, Violation
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.steps.embeddings import windows_of
from mindnet_pipeline.storage.embedders.parts import cut
from mindnet_pipeline.storage.rows import chunks_from
from mindnet_pipeline.storage.tables import TableName
from mindnet_pipeline.storage.vectors.protocol import COLLECTIONS

STORE_CHECK = "store_matches_tables"

_NAMES = ("note_id", "path", "title", "aliases")
_PLACES = ("chunk_id", "note_id", "chunk_index", "char_start", "char_end", "kind", "window_hash")
_EDGES = (
    "edge_id", "kind", "scope", "source_id", "target_id", "note_id", "status", "provenance", "rule_id", "confidence",
    "target_raw", "ambiguous", "display",
)  # fmt: skip


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


def check_tables(pipeline: Pipeline, names: Collection[str] = tuple(CHECKS)) -> list[CheckReport]:
    """Run these checks of `CHECKS` over the whole tables, in the order of the data; only what they need is read."""
    graph = _Graph(pipeline)
    return [_RULES[name](graph) for name in CHECKS if name in names]


def check_store(pipeline: Pipeline) -> CheckReport:
    """Compare the ids in the collections with those of the tables."""
    columns = {"notes": "note_id", "chunks": "chunk_id", "edges": "edge_id"}
    in_tables: dict[str, list[str]] = {
        name: pipeline.tables.read(name, columns=(columns[name],))[columns[name]].to_pylist() for name in COLLECTIONS
    }
    with pipeline.store.writer(pipeline.facts, pipeline.settings.store.wait_seconds) as writer:
        in_store: dict[str, set[str]] = {name: writer.logical_ids(name) for name in COLLECTIONS}
    return invariants.store_matches_tables(in_tables, in_store)


@dataclass(frozen=True)
class _Graph:
    """The tables' columns, each group read when a check first asks for it: bodies and links are most of a vault."""

    pipeline: Pipeline

    @cached_property
    def notes(self) -> invariants.Columns:
        return self._read("notes", _NAMES)

    @cached_property
    def bodies(self) -> invariants.Columns:
        return self._read("notes", ("note_id", "fulltext"))

    @cached_property
    def warnings(self) -> invariants.Columns:
        return self._read("notes", ("path", "warnings"))

    @cached_property
    def chunks(self) -> invariants.Columns:
        return self._read("chunks", _PLACES)

    @cached_property
    def texts(self) -> invariants.Columns:
        return self._read("chunks", ("note_id", "chunk_index", "char_start", "char_end", "text"))

    @cached_property
    def edges(self) -> invariants.Columns:
        return self._read("edges", _EDGES)

    @cached_property
    def recount(self) -> LinkRecount:
        return recount_links(self._read("notes", (*_NAMES, "links")), self.chunks, self.pipeline.settings.registry)

    @property
    def logical_ids(self) -> Mapping[str, Sequence[str]]:
        return {
            "notes": self.notes["note_id"],
            "chunks": self.chunks["chunk_id"],
            "edges": self.edges["edge_id"],
        }

    def _read(self, table: TableName, columns: Sequence[str]) -> invariants.Columns:
        read: invariants.Columns = self.pipeline.tables.read(table, columns=columns).to_pydict()
        return read


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
    embedder = pipeline.embedder
    if embedder.dimension == 0:
        return invariants.no_window_is_truncated([], [], [])
    limit = embedder.max_tokens
    chunks = chunks_from(pipeline.tables.read("chunks"))
    windows = [(chunk.chunk_id, window) for chunk, (_, window) in zip(chunks, windows_of(chunks), strict=True)]
    windows = [(chunk_id, window) for chunk_id, window in windows if len(window.encode("utf-8", "replace")) > limit]
    counts = embedder.count_tokens([window for _, window in windows])
    is_long = [count > limit for count in counts]
    there = list(compress(counts, is_long))
    ids: list[str] = []
    read: list[int] = []
    for (chunk_id, window), tokens in zip(compress(windows, is_long), there, strict=True):
        parts = cut(window, 0, limit, embedder.token_offsets)
        is_whole = "".join(part.text for part in parts) == window and all(part.tokens <= limit for part in parts)
        ids.append(chunk_id)
        read.append(tokens if is_whole else 0)
    return invariants.no_window_is_truncated(ids, there, read)


def _worth_knowing(name: str, total: int, violations: list[Violation], remedy: str) -> CheckReport:
    return CheckReport(name, CHECKS[name].claim, total, total - len(violations), tuple(violations), remedy)


_RULES: Mapping[str, Callable[[_Graph], CheckReport]] = {
    "note_ids_are_unique": lambda g: invariants.note_ids_are_unique(g.notes),
    "note_ids_are_declared_once": lambda g: invariants.note_ids_are_declared_once(g.notes),
    "frontmatter_is_readable": lambda g: _frontmatter_is_readable(g.warnings),
    "chunk_ids_are_unique": lambda g: invariants.chunk_ids_are_unique(g.chunks),
    "every_chunk_note_exists": lambda g: invariants.every_chunk_note_exists(g.notes, g.chunks),
    "chunks_join_to_fulltext": lambda g: invariants.chunks_join_to_fulltext(g.bodies, g.texts),
    "belongs_to_edges_match_chunks": lambda g: invariants.belongs_to_edges_match_chunks(g.chunks, g.edges),
    "next_and_prev_edges_match_neighbours": lambda g: invariants.next_and_prev_edges_match_neighbours(
        g.chunks, g.edges
    ),
    "references_match_distinct_targets_per_chunk": lambda g: invariants.references_match_distinct_targets_per_chunk(
        g.edges, g.recount
    ),
    "explicit_edges_match_written_links": lambda g: invariants.explicit_edges_match_written_links(g.edges, g.recount),
    "backlinks_match_distinct_explicit_targets": lambda g: invariants.backlinks_match_distinct_explicit_targets(
        g.edges, g.recount
    ),
    "every_default_edge_has_a_written_link": lambda g: invariants.every_default_edge_has_a_written_link(
        g.edges, g.recount
    ),
    "every_edge_owner_exists": lambda g: invariants.every_edge_owner_exists(g.notes, g.edges),
    "every_edge_source_exists": lambda g: invariants.every_edge_source_exists(g.notes, g.chunks, g.edges),
    "every_resolved_target_exists": lambda g: invariants.every_resolved_target_exists(g.notes, g.chunks, g.edges),
    "every_unresolved_target_is_missing": lambda g: invariants.every_unresolved_target_is_missing(g.notes, g.edges),
    "edge_keys_are_unique": lambda g: invariants.edge_keys_are_unique(g.edges),
    "confidences_are_probabilities": lambda g: invariants.confidences_are_probabilities(g.edges),
    "every_link_resolves": lambda g: _every_link_resolves(g.edges),
    "every_link_is_unambiguous": lambda g: _every_link_is_unambiguous(g.edges),
    "point_ids_are_unique": lambda g: invariants.point_ids_are_unique(g.logical_ids),
    "every_chunk_has_its_vector": lambda g: _every_chunk_has_its_vector(g.pipeline, g.chunks),
    "no_window_is_truncated": lambda g: _no_window_is_truncated(g.pipeline),
}
