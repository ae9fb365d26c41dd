"""An event log in SQLite for thousands of events: batches in one transaction, connections that stay open.

Configured in dagster.yaml. The stock storage opens a connection and a transaction per event. Same tables on disk: the
stock class can open the folder afterwards. Postgres does this by itself.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from dagster._core.events import DagsterEventType
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster._core.storage.event_log.sqlite.sqlite_event_log import (
    INDEX_SHARD_NAME,
    SQLITE_BUSY_TIMEOUT_SECONDS,
    SqliteEventLogStorage,
)
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.pool import StaticPool

_BATCHED = frozenset(
    {
        DagsterEventType.ASSET_MATERIALIZATION,
        DagsterEventType.ASSET_OBSERVATION,
        DagsterEventType.ASSET_MATERIALIZATION_PLANNED,
    }
)

_OPEN_SHARDS = 2
"""Connections kept: the index of all runs, and the run at hand."""


class BatchedSqliteEventLogStorage(SqliteEventLogStorage):
    """SqliteEventLogStorage whose `store_event_batch` is one transaction for events of one run.

    Its connections stay open: closing the last one makes SQLite empty its log into the database, which the stock
    storage does several times per event.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As the stock storage."""
        self._engines: dict[tuple[str, int, int], Engine] = {}
        super().__init__(*args, **kwargs)

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Any) -> "BatchedSqliteEventLogStorage":
        """Made by Dagster from dagster.yaml."""
        return cls(inst_data=inst_data, **config_value)

    def run_connection(self, run_id: str | None = None) -> AbstractContextManager[Connection]:
        """A transaction on the database of one run."""
        return self._transaction(str(run_id)) if run_id in self._initialized_dbs else super().run_connection(run_id)

    def index_connection(self) -> AbstractContextManager[Connection]:
        """A transaction on the database of all runs."""
        is_ready = INDEX_SHARD_NAME in self._initialized_dbs
        return self._transaction(INDEX_SHARD_NAME) if is_ready else super().index_connection()

    def dispose(self) -> None:
        """Close the connections."""
        self._keep_open(0)
        super().dispose()

    @contextmanager
    def _transaction(self, shard: str) -> Iterator[Connection]:
        with self._db_lock, self._engine(shard).begin() as connection:
            yield connection

    def _engine(self, shard: str) -> Engine:
        """The open engine of a shard; a new one in a forked process, and when the file was deleted or replaced."""
        file = Path(self.path_for_shard(shard))
        key = (shard, os.getpid(), file.stat().st_ino if file.exists() else 0)
        engine = self._engines.pop(key, None) or create_engine(
            self.conn_string_for_shard(shard),
            poolclass=StaticPool,
            connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "check_same_thread": False},
        )
        self._keep_open(_OPEN_SHARDS - 1)
        self._engines[key] = engine
        return engine

    def _keep_open(self, count: int) -> None:
        """Close the connections that were not used for longest."""
        for key in list(self._engines)[: max(0, len(self._engines) - count)]:
            self._engines.pop(key).dispose()

    def store_event_batch(self, events: Sequence[EventLogEntry]) -> None:
        """Write the events into the index and the run's own file, each in one transaction."""
        types = {event.get_dagster_event().event_type for event in events}
        runs = {event.run_id for event in events}
        if not events or not types <= _BATCHED or len(runs) != 1:
            super().store_event_batch(events)
            return
        rows = [self._event_to_row(event) for event in events]
        with self.index_transaction() as connection:
            # The first insert takes the write lock, so the ids that follow are ours.
            first_id = connection.execute(SqlEventLogStorageTable.insert().values(rows[0])).inserted_primary_key[0]
            ids = [first_id + offset for offset in range(len(rows))]
            if len(rows) > 1:
                numbered = [dict(row, id=row_id) for row, row_id in zip(rows[1:], ids[1:], strict=True)]
                connection.execute(SqlEventLogStorageTable.insert(), numbered)
            self._store_asset_event_tags(connection, events, ids)
            latest = {
                (event.get_dagster_event().asset_key, event.get_dagster_event().event_type): (event, event_id)
                for event, event_id in zip(events, ids, strict=True)
            }
            for event, event_id in latest.values():
                self._store_asset_event(connection, event, event_id)
        with self.run_connection(runs.pop()) as connection:
            connection.execute(SqlEventLogStorageTable.insert(), rows)
