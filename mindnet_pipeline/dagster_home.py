"""The persistent Dagster instance of a data folder: where it lives, and its settings for thousands of partitions.

A user's own DAGSTER_HOME is respected and left as it is. Otherwise the home is `<data>/dagster`, and its
dagster.yaml is written anew at each start, so that a data folder can be moved.
"""

from __future__ import annotations

import os
from pathlib import Path
from textwrap import dedent

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.storage.files import local_folder


def use_dagster_home(settings: Settings) -> Path:
    """Make sure that there is a Dagster home, and point this process (and its children) at it.

    Raises:
        ConfigError: the data folder is remote, so that only the user can say where Dagster keeps its records.
    """
    if own := os.environ.get("DAGSTER_HOME"):
        return Path(own)
    data = local_folder(settings.data)
    if data is None:
        raise ConfigError(f"data is at {settings.data}: set DAGSTER_HOME to a folder with a dagster.yaml of your own.")
    home = data / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    (home / "dagster.yaml").write_text(dagster_yaml(home), encoding="utf-8")
    os.environ["DAGSTER_HOME"] = str(home)
    return home


def dagster_yaml(home: Path) -> str:
    """The settings of the home: batched events, one writer, a quick queue, runs watched, idle ticks kept for a day."""
    return dedent(
        f"""\
        # Written by mindnet at each start. To keep settings of your own, set DAGSTER_HOME to another folder.
        telemetry:
          enabled: false
        event_log_storage:
          module: mindnet_pipeline.defs.event_log
          class: BatchedSqliteEventLogStorage
          config:
            base_dir: "{(home / "history" / "runs").as_posix()}"
        run_coordinator:
          module: dagster._core.run_coordinator
          class: QueuedRunCoordinator
          config:
            dequeue_interval_seconds: 1
        concurrency:
          pools:
            default_limit: 1
            granularity: run
          runs:
            max_concurrent_runs: 4
        run_monitoring:
          enabled: true
          start_timeout_seconds: 180
          max_runtime_seconds: 86400
        retention:
          sensor:
            purge_after_days:
              skipped: 1
              failure: 30
              success: 90
              started: 30
        """
    )
