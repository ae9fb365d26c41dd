"""The event log in batches: what it writes, the stock storage reads; the private names that it leans on exist."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.events import DagsterEvent, DagsterEventBatchMetadata, StepMaterializationData
from dagster._core.events.log import EventLogEntry
from dagster._core.execution.context.compute import AssetExecutionContext
from dagster._core.storage.event_log.schema import AssetEventTagsTable
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage
from sqlalchemy import event, select
from sqlalchemy.engine import Engine
from sqlalchemy.pool import Pool

from mindnet_pipeline.defs.event_log import BatchedSqliteEventLogStorage

KEY = dg.AssetKey("chunks")
COUNT = 1000


def materialization(partition: str, run_id: str = "run-1", tags: dict[str, str] | None = None) -> EventLogEntry:
    made = dg.AssetMaterialization(KEY, partition=partition, metadata={"chunks": 3}, tags=tags)
    happened = DagsterEvent(
        event_type_value=dg.DagsterEventType.ASSET_MATERIALIZATION.value,
        job_name="vault_sync",
        step_key="chunks",
        event_specific_data=StepMaterializationData(made),
    )
    return EventLogEntry(
        error_info=None,
        level=20,
        user_message="",
        run_id=run_id,
        timestamp=1_700_000_000.0,
        step_key="chunks",
        job_name="vault_sync",
        dagster_event=happened,
    )


BATCH = [materialization(f"n{number:04d}") for number in range(COUNT)]


@pytest.fixture
def written(tmp_path: Path) -> Iterator[BatchedSqliteEventLogStorage]:
    storage = BatchedSqliteEventLogStorage(str(tmp_path))
    storage.store_event_batch(BATCH)
    yield storage
    storage.dispose()


def latest(storage: SqliteEventLogStorage, limit: int) -> list[dg.EventLogRecord]:
    return list(storage.fetch_materializations(KEY, limit=limit).records)


@pytest.mark.usefixtures("written")
def test_the_stock_storage_reads_the_same_events(tmp_path: Path) -> None:
    stock = SqliteEventLogStorage(str(tmp_path))
    records = latest(stock, COUNT + 1)
    assert [record.partition_key for record in reversed(records)] == [f"n{number:04d}" for number in range(COUNT)]
    assert len(stock.get_logs_for_run("run-1")) == COUNT


@pytest.mark.usefixtures("written")
def test_the_stock_storage_knows_the_same_partitions(tmp_path: Path) -> None:
    assert len(SqliteEventLogStorage(str(tmp_path)).get_materialized_partitions(KEY)) == COUNT


def test_it_writes_what_the_stock_storage_writes(written: BatchedSqliteEventLogStorage, tmp_path: Path) -> None:
    stock = SqliteEventLogStorage(str(tmp_path / "stock"))
    for each in BATCH[:20]:
        stock.store_event(each)
    ours, theirs = latest(written, COUNT)[-20:], latest(stock, 20)
    assert [(r.storage_id, r.partition_key, r.event_log_entry) for r in ours] == [
        (r.storage_id, r.partition_key, r.event_log_entry) for r in theirs
    ]
    assert {r.asset_entry.asset_key for r in written.get_asset_records()} == {KEY}


def test_tags_of_events_are_kept_as_the_stock_storage_keeps_them(tmp_path: Path) -> None:
    tagged = [materialization("a", tags={"dagster/data_version": "7"}), materialization("b")]
    ours, stock = BatchedSqliteEventLogStorage(str(tmp_path / "a")), SqliteEventLogStorage(str(tmp_path / "b"))
    ours.store_event_batch(tagged)
    for each in tagged:
        stock.store_event(each)
    kept = []
    for storage in (ours, stock):
        with storage.index_connection() as connection:
            rows = connection.execute(select(AssetEventTagsTable.c.key, AssetEventTagsTable.c.value)).fetchall()
        kept.append([tuple(row) for row in rows])
    assert kept[0] == kept[1]


def test_a_batch_is_one_transaction_in_each_database(tmp_path: Path) -> None:
    storage = BatchedSqliteEventLogStorage(str(tmp_path))
    storage.store_event_batch([materialization("zuvor")])
    commits: list[object] = []

    def count(connection: object) -> None:
        commits.append(connection)

    event.listen(Engine, "commit", count)
    try:
        storage.store_event_batch(BATCH)
    finally:
        event.remove(Engine, "commit", count)
    assert len(commits) <= 2


def test_connections_stay_open_for_the_next_event(written: BatchedSqliteEventLogStorage) -> None:
    written.store_event(materialization("a"))
    opened: list[object] = []

    def count(connection: object, _record: object) -> None:
        opened.append(connection)

    event.listen(Pool, "connect", count)
    try:
        for number in range(5):
            written.store_event(materialization(f"b{number}"))
    finally:
        event.remove(Pool, "connect", count)
    assert opened == []


def test_only_the_index_and_the_latest_run_stay_open(written: BatchedSqliteEventLogStorage) -> None:
    for run in ("run-2", "run-3", "run-4"):
        for number in range(2):
            written.store_event(materialization(f"n{number}", run))
    assert {shard for shard, *_ in written._engines} == {"index", "run-4"}


def test_after_everything_was_wiped_it_writes_anew(written: BatchedSqliteEventLogStorage, tmp_path: Path) -> None:
    written.store_event(materialization("a"))
    written.wipe()
    written.store_event(materialization("b"))
    written.store_event(materialization("c"))
    assert SqliteEventLogStorage(str(tmp_path)).get_materialized_partitions(KEY) == {"b", "c"}


def test_a_failed_transaction_leaves_nothing(written: BatchedSqliteEventLogStorage) -> None:
    written.store_event(materialization("a"))
    tag = AssetEventTagsTable.insert().values(event_id=1, asset_key="x", key="k", value="v")

    def fail() -> None:
        with written.index_connection() as connection:
            connection.execute(tag)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with written.index_connection() as connection:
        assert connection.execute(select(AssetEventTagsTable.c.key)).fetchall() == []


def test_events_of_several_runs_are_left_to_the_stock_storage(tmp_path: Path) -> None:
    storage = BatchedSqliteEventLogStorage(str(tmp_path))
    storage.store_event_batch([materialization("a", "run-1"), materialization("b", "run-2")])
    assert [len(storage.get_logs_for_run(run)) for run in ("run-1", "run-2")] == [1, 1]


class TestPrivateNames:
    def test_the_storage_has_the_parts_that_a_batch_is_made_of(self) -> None:
        needed = (
            "_event_to_row", "_store_asset_event_tags", "_store_asset_event", "index_transaction", "run_connection",
            "index_connection", "path_for_shard", "conn_string_for_shard",
        )  # fmt: skip
        assert [name for name in needed if not callable(getattr(SqliteEventLogStorage, name, None))] == []

    def test_the_storage_keeps_a_lock_and_the_shards_it_has_made(self, tmp_path: Path) -> None:
        stock = SqliteEventLogStorage(str(tmp_path))
        assert stock._initialized_dbs == {"index"}
        assert not stock._db_lock.locked()

    def test_a_tag_batch_takes_connection_events_and_ids(self) -> None:
        parameters = list(inspect.signature(SqliteEventLogStorage._store_asset_event_tags).parameters)
        assert len(parameters) == 4

    def test_materialisations_can_be_recorded_in_a_batch(self) -> None:
        parameters = list(inspect.signature(DagsterEvent.asset_materialization).parameters)
        assert parameters == ["step_context", "materialization", "batch_metadata"]
        assert list(inspect.signature(DagsterEventBatchMetadata).parameters) == ["id", "is_end"]

    def test_the_step_of_a_context_can_be_reached(self) -> None:
        assert hasattr(dg.OpExecutionContext, "get_step_execution_context")
        assert hasattr(AssetExecutionContext, "op_execution_context")
