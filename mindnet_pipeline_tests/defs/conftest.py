"""A vault, a data folder and a Dagster instance for each test, without an embedding model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from mindnet_pipeline.definitions import build_defs
from mindnet_pipeline.defs.launching import sync_runs
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import look_at_vault
from mindnet_pipeline_tests.engine.vaults import write_vault


@dataclass
class World:
    """What a test of the Dagster layer works with."""

    vault: Path
    resource: MindnetResource
    definitions: dg.Definitions
    instance: dg.DagsterInstance

    @property
    def pipeline(self) -> Pipeline:
        return self.resource.fresh_pipeline()

    def write(self, files: dict[str, str]) -> None:
        write_vault(self.vault, files)

    def sync(self, *, allow_mass_delete: bool = False, rebuild: bool = False) -> list[dict]:
        pipeline = self.pipeline
        remake = (lambda _note_id: True) if rebuild else None
        look = look_at_vault(pipeline, allow_mass_delete=allow_mass_delete, remake=remake)
        runs = sync_runs(self.definitions, self.instance, pipeline, look, allow_mass_delete=allow_mass_delete)
        return [dict(row) for row in runs]

    def partitions(self) -> set[str]:
        return set(self.instance.get_dynamic_partitions("notes"))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("MINDNET_EMBEDDER", "none")
    vault = tmp_path / "vault"
    vault.mkdir()
    (tmp_path / "dagster").mkdir()
    resource = MindnetResource(vault=str(vault), data=str(tmp_path / "data"))
    with dg.DagsterInstance.local_temp(str(tmp_path / "dagster"), {"telemetry": {"enabled": False}}) as instance:
        yield World(vault, resource, build_defs(resource_overrides={"mindnet": resource}), instance)
