"""What a run works on, and how it is recorded.

A run asked for by the sensor or the command line carries the id of a changeset in a tag and one *anchor* partition;
its bodies work on the whole changeset and record one event per note. A run that a person starts in the UI has no
changeset: its bodies work on the partitions chosen there.
"""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

import dagster as dg

from mindnet_pipeline.core.ids import partition_key
from mindnet_pipeline.core.sync import SyncPlan
from mindnet_pipeline.defs.events import record_materializations
from mindnet_pipeline.defs.partitions import NOTES, forget_strangers, register
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.engine import journal
from mindnet_pipeline.engine.commit import note_touched
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.progress import listening
from mindnet_pipeline.engine.report import StepReport
from mindnet_pipeline.engine.run_set import (
    RunSet,
    load_run_set,
    run_set_for_keys,
    run_set_in_tables,
    run_set_of,
    save_run_set,
)
from mindnet_pipeline.storage.locks import writer_lock

CHANGESET_TAG = "mindnet/changeset"
FIRST_STEP = "parsed_notes"
MAX_NOTICES = 50
_METADATA_FOR_OWN_KEYS = 20
"""Above this many partitions of its own a run records no per-note figures for them: each call lists the range anew."""

Step = Callable[[Pipeline, RunSet], StepReport]
Extra = Mapping[str, Any]


def run_step(context: dg.AssetExecutionContext, mindnet: MindnetResource, step: Step) -> tuple[RunSet, StepReport]:
    """Do one step for the run's notes, with progress in the log, and record an event for every note of it."""
    pipeline = mindnet.pipeline_for_writing(keep_store_open=CHANGESET_TAG in context.run.tags)
    run_set = run_set_of_run(context, pipeline)
    name = context.asset_key.path[-1]
    started = time.perf_counter()
    if name == FIRST_STEP:
        journal.begin(pipeline, run_set.counts)
        for notice in pipeline.settings.notices:
            context.log.warning(notice)
    with listening(log_progress(context)):
        report = step(pipeline, run_set)
    journal.add(pipeline, name, report, time.perf_counter() - started)
    for subject, sentence in report.notices[:MAX_NOTICES]:
        context.log.warning("%s: %s", subject, sentence)
    return run_set, report


def finish_step(
    context: dg.AssetExecutionContext, run_set: RunSet, report: StepReport, extra: Extra
) -> dg.MaterializeResult[Any]:
    """Record the events and give the run's own metadata: sums, and whatever is worth looking at."""
    figures = {partition_key(note_id): dict(values) for note_id, values in report.per_note.items()}
    own = list(context.partition_keys)
    others = ({partition_key(note_id) for note_id in run_set.note_ids} | figures.keys()) - set(own)
    record_materializations(context, figures, sorted(others))
    if len(own) <= _METADATA_FOR_OWN_KEYS:
        for key in own:
            if key in figures:
                context.add_asset_metadata(figures[key], asset_key=context.asset_key, partition_key=key)
    sums = {f"run_{name}": value for name, value in report.totals.items()}
    return dg.MaterializeResult(metadata={"run_notes": len(run_set.upserts), **sums, **extra})


def run_set_of_run(context: dg.AssetExecutionContext, pipeline: Pipeline) -> RunSet:
    """The run's changeset, or else the notes of its partitions."""
    if changeset_id := context.run.tags.get(CHANGESET_TAG):
        return load_run_set(pipeline, changeset_id)
    keys: Collection[str] = context.partition_keys
    if not keys:
        raise dg.Failure("This run's partition range is empty: notes were added or deleted since it was requested.")
    if context.asset_key.path[-1] == FIRST_STEP:
        return run_set_for_keys(pipeline, keys)
    return run_set_in_tables(pipeline, keys)


def log_progress(context: dg.AssetExecutionContext) -> Callable[[str, int, int], None]:
    """A progress listener that writes a log line every ten seconds, so that long steps are seen to move in the UI."""
    last = time.monotonic()

    def listener(step: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > 10:
            last = time.monotonic()
            context.log.info("%s: %d of %d", step, done, total)

    return listener


def request_run(instance: dg.DagsterInstance, pipeline: Pipeline, plan: SyncPlan) -> tuple[str | None, dict[str, str]]:
    """Write the changeset down and register new partitions; returns (anchor partition or None, the run's tags).

    The anchor is None if no note is left to anchor a run on: then the job for an emptied vault must run.
    """
    run_set = run_set_of(pipeline, plan)
    changeset_id = save_run_set(pipeline, run_set)
    register(instance, run_set.note_ids)
    tags = {CHANGESET_TAG: changeset_id, "mindnet/notes": str(len(run_set.upserts))}
    if removed := run_set.counts["removed"]:
        tags["mindnet/removed"] = str(removed)
    if run_set.upserts:
        return partition_key(run_set.upserts[0].note_id), tags
    gone = {partition_key(note_id) for note_id in run_set.removed}
    return next((key for key in instance.get_dynamic_partitions(NOTES.name) if key not in gone), None), tags


def tidy(instance: dg.DagsterInstance, pipeline: Pipeline, plan: SyncPlan, *, wait_s: float) -> None:
    """What needs no run: new times of files that only were touched, partitions that a crash left over.

    Raises:
        StoreLockedError: someone else still writes after `wait_s`.
    """
    if plan.touched:
        with writer_lock(pipeline.settings.data, wait_s, "a look at the vault"):
            note_touched(pipeline, run_set_of(pipeline, plan))
    forget_strangers(instance, pipeline.tables.read_manifest(["note_id"])["note_id"].to_pylist())
