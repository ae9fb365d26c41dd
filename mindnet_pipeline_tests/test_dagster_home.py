"""The settings of the Dagster home are ones that Dagster takes."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from mindnet_pipeline.dagster_home import dagster_yaml
from mindnet_pipeline.defs.event_log import BatchedSqliteEventLogStorage


@pytest.fixture(scope="module")
def instance(tmp_path_factory: pytest.TempPathFactory):
    home = tmp_path_factory.mktemp("home")
    (home / "dagster.yaml").write_text(dagster_yaml(Path(home)), encoding="utf-8")
    with dg.DagsterInstance.from_config(str(home)) as instance:
        yield instance


def test_one_run_at_a_time_holds_a_pool(instance: dg.DagsterInstance) -> None:
    pools = instance.get_concurrency_config().pool_config
    assert (pools.default_pool_limit, pools.pool_granularity.value) == (1, "run")


def test_the_queue_of_runs_is_looked_at_every_second(instance: dg.DagsterInstance) -> None:
    assert instance.run_coordinator.dequeue_interval_seconds == 1
    assert instance.get_concurrency_config().run_queue_config.max_concurrent_runs == 4


def test_events_are_written_in_batches(instance: dg.DagsterInstance) -> None:
    assert isinstance(instance.event_log_storage, BatchedSqliteEventLogStorage)
