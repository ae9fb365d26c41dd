"""Materialisation events in bulk: the one module that leans on private names of Dagster.

`context.log_event` writes one database transaction per event, which is minutes for ten thousand notes. The call that
Dagster itself uses for partition ranges carries batch metadata, so that a storage can write a thousand events at once.
Where a private name is missing, the public call is used: slower, never wrong. Tests hold the assumptions.
"""

import os
from collections.abc import Iterable, Mapping
from typing import Any

import dagster as dg

BULK_ENVIRONMENT = {
    "DAGSTER_EVENT_BATCH_SIZE": "1000",
    "DAGSTER_EMIT_PARTITION_SUBSET_IN_PLANNED_EVENTS": "1",
}
"""What the processes of Dagster need so that events come in batches."""


def use_bulk_events() -> None:
    """Set the environment for bulk events, where the user has not."""
    for name, value in BULK_ENVIRONMENT.items():
        os.environ.setdefault(name, value)


def record_materializations(
    context: dg.AssetExecutionContext, figures: Mapping[str, Mapping[str, Any]], keys: Iterable[str]
) -> None:
    """One event per partition key, with its note's figures as metadata."""
    events = [
        dg.AssetMaterialization(context.asset_key, partition=key, metadata=dict(figures.get(key, {}))) for key in keys
    ]
    try:
        from dagster._core.events import DagsterEvent, DagsterEventBatchMetadata, generate_event_batch_id

        step = context.op_execution_context.get_step_execution_context()
        record = DagsterEvent.asset_materialization
    except (ImportError, AttributeError):
        for event in events:
            context.log_event(event)
        return
    batch = generate_event_batch_id()
    for index, event in enumerate(events):
        record(step, event, DagsterEventBatchMetadata(batch, index == len(events) - 1))
