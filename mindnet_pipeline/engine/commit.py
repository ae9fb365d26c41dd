"""The end of a sync: the manifest is written last, so that a crash anywhere before is repaired by the next sync."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mindnet_pipeline.core.sync import state_key
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.run_set import RunSet
from mindnet_pipeline.engine.steps.points import relinked_of
from mindnet_pipeline.storage import changesets
from mindnet_pipeline.storage.tables import MANIFEST_SCHEMA


def commit(pipeline: Pipeline, run_set: RunSet) -> None:
    """Record the run set as done: manifest, then the store's switch if a new generation is whole, then the journal."""
    _write_manifest(pipeline, run_set)
    if pipeline.store.current() != pipeline.facts and _generation_is_usable(pipeline):
        pipeline.store.switch(pipeline.facts)
    changesets.clear_confirmation(pipeline.settings.data)
    changesets.clear_pending(pipeline.settings.data, run_set.all_ids, relinked_of(pipeline, run_set))


def note_touched(pipeline: Pipeline, run_set: RunSet) -> None:
    """Record new sizes and times of files whose rows stand. Nothing else is written."""
    if run_set.touched:
        _write_manifest(pipeline, RunSet(touched=run_set.touched))


def append_history(pipeline: Pipeline, row: Mapping[str, Any]) -> None:
    """Add one row about this run to the history table."""
    pipeline.tables.append_history(row)


def _write_manifest(pipeline: Pipeline, run_set: RunSet) -> None:
    manifest = pipeline.tables.read_manifest()
    if run_set.all_ids:
        stale = pc.is_in(manifest["note_id"], pa.array(run_set.all_ids, pa.string()))
        fresh = pipeline.tables.read("notes", run_set.note_ids, MANIFEST_SCHEMA.names)
        manifest = pa.concat_tables([manifest.filter(pc.invert(stale)), fresh.cast(MANIFEST_SCHEMA)])
    if run_set.touched:
        manifest = _with_new_times(manifest, run_set)
    pipeline.tables.write_manifest(manifest.sort_by("path"))


def _with_new_times(manifest: pa.Table, run_set: RunSet) -> pa.Table:
    touched = {seen.path: seen for seen in run_set.touched}
    columns = manifest.to_pydict()
    for row, path in enumerate(columns["path"]):
        if path in touched and columns["content_hash"][row] == touched[path].content_hash:
            seen = touched[path]
            columns["size"][row], columns["mtime_ns"][row] = seen.size, seen.mtime_ns
            columns["file_hash"][row] = seen.file_hash
    return pa.table(columns, schema=manifest.schema)


def _generation_is_usable(pipeline: Pipeline) -> bool:
    """True for the first generation there ever is, and for one that holds every note under the present rules."""
    if pipeline.store.current() is None:
        return True
    manifest = pipeline.tables.read_manifest(["path", "content_hash", "state_key"]).to_pydict()
    return all(
        key == state_key(content, path, pipeline.fingerprint)
        for path, content, key in zip(manifest["path"], manifest["content_hash"], manifest["state_key"], strict=True)
    )
