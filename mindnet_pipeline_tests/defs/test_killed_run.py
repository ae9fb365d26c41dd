"""A sync from the command line that is killed in the middle of its Dagster run, as a machine that stops would do it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from mindnet_pipeline.defs import sensors
from mindnet_pipeline_tests.engine.vaults import assert_same_as_rebuild, pipeline_of, write_vault

NOTES = {f"n{n}.md": f"# Notiz {n}\n\n## Teil\n\n[[n{n + 1}]] und [[n{n - 1}]].\n" for n in range(200)}


@pytest.mark.slow
@pytest.mark.parametrize("after_s", [0.0, 0.1, 0.2])
def test_the_next_sync_repairs_what_it_left_and_its_run_counts_as_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after_s: float
) -> None:
    vault, data = tmp_path / "vault", tmp_path / "data"
    write_vault(vault, NOTES)
    environment = {name: value for name, value in os.environ.items() if name != "DAGSTER_HOME"}
    environment |= {"MINDNET_EMBEDDER": "none", "MINDNET_VAULT": str(vault), "MINDNET_DATA": str(data)}
    command = [sys.executable, "-m", "mindnet_pipeline.sync", "--json"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not (data / "pending.json").exists():
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(after_s)
        process.kill()

    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    pipeline = pipeline_of(vault, data)
    assert_same_as_rebuild(pipeline, pipeline_of(vault, tmp_path / "rebuilt"))
    monkeypatch.setattr(sensors, "ORPHANED_AFTER_S", 0.0)
    with dg.DagsterInstance.from_config(str(data / "dagster")) as instance:
        assert sensors.unfinished_run(instance, pipeline) is None
        statuses = sorted(run.status.value for run in instance.get_runs())
    assert statuses == ["FAILURE", "SUCCESS"]
