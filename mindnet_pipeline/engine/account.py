"""The figures of the whole index and of the run that just ended: for history, metadata and command lines."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mindnet_pipeline.core.ids import contested_id
from mindnet_pipeline.core.notes import LINT_ONLY
from mindnet_pipeline.engine import journal
from mindnet_pipeline.engine.commit import append_history, commit
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.run_set import RunSet
from mindnet_pipeline.storage.tables import TableName, Tables

_BY_KIND = "edges_by_kind"
"""The one figure that is a mapping. In the history it is JSON: other vaults, and later versions, have other kinds."""


def finish_run(
    pipeline: Pipeline, run_set: RunSet, *, run_id: str = "", clock: Callable[[], float] = time.time
) -> dict[str, Any]:
    """Commit the run set and append its row to the history; returns the row."""
    commit(pipeline, run_set)
    account = journal.read(pipeline)
    done = {name: account["totals"].get(name, 0) for name in ("relinked", "embedded", "reused", "points")}
    row = {
        "finished_at": datetime.fromtimestamp(clock(), UTC).isoformat(timespec="seconds"),
        "run_id": run_id,
        **index_figures(pipeline.tables),
        **{name: account["counts"].get(name, 0) for name in ("added", "changed", "moved", "removed", "unchanged")},
        **done,
        "seconds": round(clock() - account["started"], 3) if account["started"] else 0.0,
    }
    append_history(pipeline, {**row, _BY_KIND: json.dumps(row[_BY_KIND])})
    return row


def last_run(tables: Tables) -> dict[str, Any] | None:
    """The row of the run that ended last; None if there was none."""
    history = tables.read_history().to_pylist()
    return {**history[-1], _BY_KIND: json.loads(history[-1][_BY_KIND])} if history else None


def index_figures(tables: Tables) -> dict[str, Any]:
    """What is indexed: notes, chunks, edges, edges by kind, unresolved and ambiguous links, orphans, warnings."""
    edges = tables.read("edges", columns=("kind", "status", "ambiguous", "provenance", "note_id", "target_id"))
    notes = tables.read("notes", columns=("note_id", "path", "warnings"))
    explicit = edges.filter(pc.equal(edges["provenance"], "explicit"))
    linked = {note_id for end in ("note_id", "target_id") for note_id in pc.unique(explicit[end]).to_pylist()}
    return {
        "notes": notes.num_rows,
        "chunks": tables.count("chunks"),
        "edges": edges.num_rows,
        _BY_KIND: dict(sorted(_counts(edges["kind"]).items())),
        "unresolved": pc.sum(pc.equal(edges["status"], "unresolved")).as_py() or 0,
        "ambiguous": pc.sum(edges["ambiguous"]).as_py() or 0,
        "orphans": sum(note_id not in linked for note_id in notes["note_id"].to_pylist()),
        "warnings": _warnings(notes),
    }


def _warnings(notes: pa.Table) -> int:
    """How many findings and contested ids deserve a person's look; conventions are the linter's business."""
    codes = pc.struct_field(pc.list_flatten(notes["warnings"]), "code")
    contested = map(contested_id, notes["note_id"].to_pylist(), notes["path"].to_pylist())
    return sum(count for code, count in _counts(codes).items() if code not in LINT_ONLY) + sum(map(bool, contested))


def counts_by(tables: Tables, table: TableName, columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many rows have each value of these columns, by column, the most frequent first."""
    rows = tables.read(table, columns=columns)
    return {
        column: dict(sorted(_counts(rows[column]).items(), key=lambda item: (-item[1], item[0]))) for column in columns
    }


def _counts(column: pa.ChunkedArray) -> dict[str, int]:
    return {each["values"]: each["counts"] for each in pc.value_counts(column).to_pylist()}
