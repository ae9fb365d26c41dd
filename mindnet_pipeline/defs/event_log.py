"""An event log in SQLite that writes a batch of asset events in one transaction (configured in dagster.yaml).

The stock storage opens a connection and a transaction per event. Same tables on disk: the stock class can open the
folder afterwards. Postgres does this by itself.
"""

from collections.abc import Sequence
from typing import Any

from dagster._core.events import DagsterEventType
from dagster._core.events.log import EventLogEntry
from dagster._core.storage.event_log.schema import SqlEventLogStorageTable
from dagster._core.storage.event_log.sqlite.sqlite_event_log import SqliteEventLogStorage

_BATCHED = frozenset(
    {
        DagsterEventType.ASSET_MATERIALIZATION,
        DagsterEventType.ASSET_OBSERVATION,
        DagsterEventType.ASSET_MATERIALIZATION_PLANNED,
    }
)


class BatchedSqliteEventLogStorage(SqliteEventLogStorage):
    """SqliteEventLogStorage whose `store_event_batch` is one transaction for events of one run."""

    @classmethod
    def from_config_value(cls, inst_data: Any, config_value: Any) -> "BatchedSqliteEventLogStorage":
        """Made by Dagster from dagster.yaml."""
        return cls(inst_data=inst_data, **config_value)

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
