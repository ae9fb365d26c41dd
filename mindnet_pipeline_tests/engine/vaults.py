"""Small vaults and pipelines for tests, and how two pipelines are compared: by rows and points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mindnet_pipeline.engine.commit import commit
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import look_at_vault
from mindnet_pipeline.engine.run_set import run_set_for_keys, run_set_in_tables, run_set_of
from mindnet_pipeline.engine.steps import parse_notes
from mindnet_pipeline.engine.sync import STEPS, sync_once
from mindnet_pipeline.settings import load_settings
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline.storage.vectors.protocol import COLLECTIONS

TABLES = ("notes", "chunks", "edges", "embeddings")
NOT_CONTENT = ("mtime_ns", "mtime")
"""When a file was last touched is a fact of the file, not of the note: it may differ from a rebuild's."""


class Vector(list[float]):
    """A vector as it is compared: a model gives the same text slightly other numbers beside other texts."""

    __hash__ = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and len(self) == len(other) and np.allclose(self, other, atol=1e-5)


def pipeline_of(
    vault: Path,
    data: Path,
    *,
    environment: Mapping[str, str] | None = None,
    sync: Mapping[str, Any] | None = None,
    embedder: Embedder | None = None,
) -> Pipeline:
    """A pipeline without an embedding model, or with a given one; with few buckets, for speed."""
    variables = {"MINDNET_EMBEDDER": "none"} | dict(environment or {})
    settings = load_settings(variables, vault=str(vault), data=str(data))
    options = settings.sync.model_copy(update={"buckets": 4} | dict(sync or {}))
    pipeline = Pipeline(replace(settings, sync=options))
    if embedder is not None:
        object.__setattr__(pipeline, "embedder", embedder)
    return pipeline


def write_vault(vault: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files below the vault; text as it is, without translating line ends."""
    for path, content in files.items():
        target = vault / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())


def rows_of(pipeline: Pipeline) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables, as they are compared."""
    rows = {}
    for table in TABLES:
        content = pipeline.tables.read(table)
        rows[table] = content.drop_columns([name for name in NOT_CONTENT if name in content.column_names]).to_pylist()
    for row in rows["embeddings"]:
        row["vector"] = Vector(row["vector"])
    return rows


def points_of(pipeline: Pipeline) -> dict[str, dict[str, Any]]:
    """All points of all collections by logical id: payload and vectors."""
    if pipeline.store.current() is None:
        return {name: {} for name in COLLECTIONS}
    points: dict[str, dict[str, Any]] = {}
    with pipeline.store.reader() as reader:
        for name in COLLECTIONS:
            ids = sorted(found.logical_id for found in reader.scan(name))
            points[name] = {
                found.logical_id: {
                    key: Vector(value) if key == "_dense" else value
                    for key, value in found.payload.items()
                    if key not in NOT_CONTENT
                }
                for found in reader.get(name, ids, with_vectors=True)
            }
    return points


def half_write(pipeline: Pipeline) -> None:
    """A run of all that changed that is killed after its first step."""
    parse_notes(pipeline, run_set_of(pipeline, look_at_vault(pipeline).plan))


def run_partitions(pipeline: Pipeline, *keys: str) -> None:
    """A run that a person starts in the UI for some partitions: the steps after the first look at the tables."""
    run_set = run_set_for_keys(pipeline, keys)
    for name, step in STEPS.items():
        step(pipeline, run_set)
        if name == "parsed_notes":
            run_set = run_set_in_tables(pipeline, keys)
    commit(pipeline, run_set)


def assert_same_as_rebuild(pipeline: Pipeline, rebuilt: Pipeline) -> None:
    """The sync law: rows and points are those of a rebuild from scratch."""
    sync_once(rebuilt)
    assert rows_of(pipeline) == rows_of(rebuilt)
    assert points_of(pipeline) == points_of(rebuilt)
