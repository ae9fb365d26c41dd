"""The state of an index in plain values, for the status command: figures, warnings with reasons, links to mend."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pyarrow.compute as pc

from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.core.ids import contested_id
from mindnet_pipeline.core.notes import LINT_ONLY
from mindnet_pipeline.engine.account import index_figures, last_run
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.storage import changesets
from mindnet_pipeline.storage.tables import Tables
from mindnet_pipeline.storage.vault import scan_vault


def overview(pipeline: Pipeline) -> dict[str, Any]:
    """Everything that the status command shows. Reads tables and lists the vault; opens neither model nor store.

    What is indexed can be told without the vault; `vault_problem` says why it cannot be read (else None).
    """
    settings, tables = pipeline.settings, pipeline.tables
    current = pipeline.store.current()
    shown = ("note_id", "kind", "target_raw", "target_id", "status", "ambiguous", "provenance")
    edges = tables.read("edges", columns=shown)
    paths = _paths(tables)
    written = edges.filter(pc.equal(edges["provenance"], "explicit"))
    unreadable, vault_problem = _unreadable(pipeline, paths.values())
    return {
        "vault": str(settings.vault),
        "vault_problem": vault_problem,
        "data": settings.data,
        "store": pipeline.store.describe(),
        "model": pipeline.embedder.model_key,
        "collections_made_with": current.model_key if current else None,
        "index": index_figures(tables),
        "last_run": last_run(tables),
        "warnings": [*unreadable, *_warnings(tables)],
        "unresolved": [
            {"path": paths[row["note_id"]], "target": row["target_raw"], "kind": row["kind"]}
            for row in written.filter(pc.equal(written["status"], "unresolved")).to_pylist()
        ],
        "ambiguous": [
            {"path": paths[row["note_id"]], "target": row["target_raw"], "taken": paths.get(row["target_id"], "")}
            for row in written.filter(written["ambiguous"]).to_pylist()
        ],
        "unfinished": [{"note_id": note_id} for note_id in sorted(changesets.read_pending(settings.data).unfinished)],
    }


def _paths(tables: Tables) -> dict[str, str]:
    table = tables.read("notes", columns=("note_id", "path"))
    return dict(zip(table["note_id"].to_pylist(), table["path"].to_pylist(), strict=True))


def _warnings(tables: Tables) -> list[dict[str, Any]]:
    table = tables.read("notes", columns=("note_id", "path", "warnings"))
    contested = [
        {
            "path": path,
            "line": None,
            "code": "duplicate_id",
            "message": f"The id `{wanted}` belongs to another note. Give this note an id of its own.",
        }
        for note_id, path in zip(table["note_id"].to_pylist(), table["path"].to_pylist(), strict=True)
        if (wanted := contested_id(note_id, path))
    ]
    return contested + [
        {"path": path, "line": finding["line"], "code": finding["code"], "message": finding["message"]}
        for path, findings in zip(table["path"].to_pylist(), table["warnings"].to_pylist(), strict=True)
        for finding in findings
        if finding["code"] not in LINT_ONLY
    ]


def _unreadable(pipeline: Pipeline, indexed: Collection[str]) -> tuple[list[dict[str, Any]], str | None]:
    """The files that cannot be read, and why the whole vault cannot or is none of what is indexed."""
    try:
        scan = scan_vault(pipeline.settings.vault, pipeline.settings.sync.exclude)
    except VaultError as error:
        return [], str(error)
    rows = [
        {"path": path, "line": None, "code": "file.unreadable", "message": sentence} for path, sentence in scan.problems
    ]
    if indexed and not any(path in scan.files or scan.may_hide(path) for path in indexed):
        return rows, (
            f"{pipeline.settings.vault} has nothing of what is indexed ({counted(len(indexed), 'note')}). "
            "If it is another vault, give it a data folder of its own (MINDNET_DATA)."
        )
    return rows, None
