"""Which rows each invariant gets: those of one bucket, or the whole tables' columns.

All rows of a note are in one bucket of every table, so most rules can count bucket by bucket; a row that strayed into
another bucket has no note there and is found. Rules that compare rows of different notes get the whole tables.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import pyarrow as pa

from mindnet_pipeline.core import invariants
from mindnet_pipeline.core.link_recount import LinkRecount, note_index, recount_links
from mindnet_pipeline.core.model import CheckReport, Violation
from mindnet_pipeline.core.resolve import NoteIndex
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.steps.embeddings import windows_of
from mindnet_pipeline.storage.embedders.parts import cut
from mindnet_pipeline.storage.rows import chunks_from
from mindnet_pipeline.storage.tables import TableName

_NAMES = ("note_id", "path", "title", "aliases")
_PLACES = ("chunk_id", "note_id", "chunk_index", "char_start", "char_end", "kind", "window_hash")
_EDGES = (
    "edge_id", "kind", "scope", "source_id", "target_id", "note_id", "status", "provenance", "rule_id", "confidence",
    "target_raw", "ambiguous", "display",
)  # fmt: skip
_ENDS = ("edge_id", "source_id", "target_id", "kind", "scope", "status")


class Vault:
    """A data folder as the rules see it: rows of a bucket or of all, and the names of all notes."""

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline
        self._digests: dict[tuple[TableName, int], str] = {}

    def rows(self, bucket: int | None = None) -> Rows:
        """The rows of a bucket, or all."""
        return Rows(self, bucket)

    def basis(self, rule: BucketRule, bucket: int) -> tuple[str, ...]:
        """All that the rule's count of a bucket hangs on: the files' bytes, names, types, versions, model."""
        files = (self._digest(table, bucket) for table in rule.tables)
        return (*files, self._names_digest if rule.by_names else "", self.pipeline.fingerprint)

    @cached_property
    def index(self) -> NoteIndex:
        """The names of all notes."""
        return note_index(self._names)

    @cached_property
    def _names(self) -> invariants.Columns:
        names: invariants.Columns = self.pipeline.tables.read("notes", columns=_NAMES).to_pydict()
        return names

    @cached_property
    def _names_digest(self) -> str:
        return hashlib.sha256(repr(self._names).encode("utf-8", "surrogatepass")).hexdigest()

    def _digest(self, table: TableName, bucket: int) -> str:
        if (table, bucket) not in self._digests:
            self._digests[table, bucket] = self.pipeline.tables.bucket_digest(table, bucket)
        return self._digests[table, bucket]


@dataclass
class Rows:
    """Columns of the tables, each group read when a rule first asks for it: bodies and links are most of a vault."""

    vault: Vault
    bucket: int | None

    @cached_property
    def notes(self) -> invariants.Columns:
        """Names and places of the notes."""
        return self._columns("notes", _NAMES)

    @cached_property
    def bodies(self) -> invariants.Columns:
        """The notes' texts."""
        return self._columns("notes", ("note_id", "fulltext"))

    @cached_property
    def warnings(self) -> invariants.Columns:
        """What was found wrong in the notes."""
        return self._columns("notes", ("path", "warnings"))

    @cached_property
    def chunks(self) -> invariants.Columns:
        """Ids and places of the chunks."""
        return self._columns("chunks", _PLACES)

    @cached_property
    def texts(self) -> invariants.Columns:
        """The chunks' texts."""
        return self._columns("chunks", ("note_id", "chunk_index", "char_start", "char_end", "text"))

    @cached_property
    def edges(self) -> invariants.Columns:
        """The edges."""
        return self._columns("edges", _EDGES)

    @cached_property
    def ends(self) -> invariants.Columns:
        """What the edges lead from and to."""
        return self._columns("edges", _ENDS)

    @cached_property
    def vectors(self) -> invariants.Columns:
        """What the embeddings were made of."""
        return self._columns("embeddings", ("chunk_id", "window_hash", "model_key"))

    @cached_property
    def recount(self) -> LinkRecount:
        """What the links of these notes say today."""
        notes = self._columns("notes", (*_NAMES, "links"))
        return recount_links(notes, self.chunks, self.vault.index, self.vault.pipeline.settings.registry)

    @property
    def logical_ids(self) -> Mapping[str, Sequence[str]]:
        """The ids of all rows that become points."""
        return {
            "notes": self.notes["note_id"],
            "chunks": self.chunks["chunk_id"],
            "edges": self.ends["edge_id"],
        }

    def read(self, table: TableName, columns: Sequence[str] | None = None) -> pa.Table:
        """Rows of a table."""
        tables = self.vault.pipeline.tables
        if self.bucket is None:
            return tables.read(table, columns=columns)
        return tables.read_bucket(table, self.bucket, columns)

    def _columns(self, table: TableName, columns: Sequence[str]) -> invariants.Columns:
        read: invariants.Columns = self.read(table, columns).to_pydict()
        return read


@dataclass(frozen=True, slots=True)
class BucketRule:
    """A rule that counts a bucket by itself. `tables` are those it reads; `by_names`: it resolves links."""

    tables: tuple[TableName, ...]
    count: Callable[[Rows], CheckReport]
    by_names: bool = False


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


def _every_chunk_has_its_vector(rows: Rows) -> CheckReport:
    embedder, chunks, vectors = rows.vault.pipeline.embedder, rows.chunks, rows.vectors
    made = set(zip(vectors["chunk_id"], vectors["window_hash"], vectors["model_key"], strict=True))
    windows = zip(chunks["chunk_id"], chunks["window_hash"], strict=True)
    wanted = {(chunk, window, embedder.model_key) for chunk, window in windows} if embedder.dimension else set()
    violations = [
        *(Violation(chunk, "has no vector of its present window.") for chunk, *_ in wanted - made),
        *(Violation(chunk, "has a vector of another window or model.") for chunk, *_ in made - wanted),
    ]
    remedy = "Sync these notes again." if violations else ""
    return CheckReport("every_chunk_has_its_vector", "", len(wanted), len(made), tuple(violations), remedy)


def _no_window_is_truncated(rows: Rows) -> CheckReport:
    """Only windows that may be longer than the model reads are counted; their parts must hold every token."""
    embedder = rows.vault.pipeline.embedder
    if embedder.dimension == 0:
        return invariants.no_window_is_truncated([], [], [])
    limit = embedder.max_tokens
    chunks = chunks_from(rows.read("chunks"))
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
    return CheckReport(name, "", total, total - len(violations), tuple(violations), remedy if violations else "")


WHOLE_RULES: Mapping[str, Callable[[Rows], CheckReport]] = {
    "note_ids_are_unique": lambda rows: invariants.note_ids_are_unique(rows.notes),
    "note_paths_are_unique": lambda rows: invariants.note_paths_are_unique(rows.notes),
    "chunk_ids_are_unique": lambda rows: invariants.chunk_ids_are_unique(rows.chunks),
    "every_edge_source_exists": lambda rows: invariants.every_edge_source_exists(rows.notes, rows.chunks, rows.ends),
    "every_resolved_target_exists": lambda rows: invariants.every_resolved_target_exists(
        rows.notes, rows.chunks, rows.ends
    ),
    "edge_keys_are_unique": lambda rows: invariants.edge_keys_are_unique(rows.ends),
    "point_ids_are_unique": lambda rows: invariants.point_ids_are_unique(rows.logical_ids),
}
"""Rules that compare rows of different notes."""

BUCKET_RULES: Mapping[str, BucketRule] = {
    "note_ids_are_declared_once": BucketRule(
        ("notes",), lambda rows: invariants.note_ids_are_declared_once(rows.notes)
    ),
    "frontmatter_is_readable": BucketRule(("notes",), lambda rows: _frontmatter_is_readable(rows.warnings)),
    "every_chunk_note_exists": BucketRule(
        ("notes", "chunks"), lambda rows: invariants.every_chunk_note_exists(rows.notes, rows.chunks)
    ),
    "chunks_join_to_fulltext": BucketRule(
        ("notes", "chunks"), lambda rows: invariants.chunks_join_to_fulltext(rows.bodies, rows.texts)
    ),
    "belongs_to_edges_match_chunks": BucketRule(
        ("chunks", "edges"), lambda rows: invariants.belongs_to_edges_match_chunks(rows.chunks, rows.edges)
    ),
    "next_and_prev_edges_match_neighbours": BucketRule(
        ("chunks", "edges"), lambda rows: invariants.next_and_prev_edges_match_neighbours(rows.chunks, rows.edges)
    ),
    "references_match_distinct_targets_per_chunk": BucketRule(
        ("notes", "chunks", "edges"),
        lambda rows: invariants.references_match_distinct_targets_per_chunk(rows.edges, rows.recount),
        by_names=True,
    ),
    "explicit_edges_match_written_links": BucketRule(
        ("notes", "chunks", "edges"),
        lambda rows: invariants.explicit_edges_match_written_links(rows.edges, rows.recount),
        by_names=True,
    ),
    "backlinks_match_distinct_explicit_targets": BucketRule(
        ("notes", "chunks", "edges"),
        lambda rows: invariants.backlinks_match_distinct_explicit_targets(rows.edges, rows.recount),
        by_names=True,
    ),
    "every_default_edge_has_a_written_link": BucketRule(
        ("notes", "chunks", "edges"),
        lambda rows: invariants.every_default_edge_has_a_written_link(rows.edges, rows.recount),
        by_names=True,
    ),
    "every_edge_owner_exists": BucketRule(
        ("notes", "edges"), lambda rows: invariants.every_edge_owner_exists(rows.notes, rows.edges)
    ),
    "every_unresolved_target_is_missing": BucketRule(
        ("notes", "edges"),
        lambda rows: invariants.every_unresolved_target_is_missing(rows.notes, rows.edges, rows.vault.index),
        by_names=True,
    ),
    "confidences_are_probabilities": BucketRule(
        ("edges",), lambda rows: invariants.confidences_are_probabilities(rows.edges)
    ),
    "every_link_resolves": BucketRule(("edges",), lambda rows: _every_link_resolves(rows.edges)),
    "every_link_is_unambiguous": BucketRule(("edges",), lambda rows: _every_link_is_unambiguous(rows.edges)),
    "every_chunk_has_its_vector": BucketRule(("chunks", "embeddings"), _every_chunk_has_its_vector),
    "no_window_is_truncated": BucketRule(("chunks",), _no_window_is_truncated),
}
"""Rules whose every row can be judged by the rows of its own bucket (and the names of all notes)."""
