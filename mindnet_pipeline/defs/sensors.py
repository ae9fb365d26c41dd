"""The vault sensor: looks at the vault every few seconds and asks for one run for all that changed.

It asks for nothing while a run of ours is unfinished, waits (a moment in the tick, then for the next one) until nobody
writes to the vault, and tries a changeset at most three times. Its cursor is when the change was first seen.
"""

import time
from collections.abc import Iterable

import dagster as dg

from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.errors import MindnetError
from mindnet_pipeline.defs.assets import ASSETS
from mindnet_pipeline.defs.jobs import vault_forget, vault_sync
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.defs.runs import CHANGESET_TAG, request_run, tidy
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import Look, look_at_vault
from mindnet_pipeline.storage.locks import is_writer_gone

TICK_BUDGET_S = 40.0
"""A tick must end before Dagster's limit of 60 seconds for a call; what is left waits for the next tick."""

ATTEMPTS = 3
ORPHANED_AFTER_S = 60.0
_said: set[str] = set()

_OURS = frozenset(asset.key for asset in ASSETS)
_UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


@dg.sensor(
    jobs=[vault_sync, vault_forget],
    minimum_interval_seconds=5,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Looks at the vault and syncs what changed.",
)
def vault_sensor(context: dg.SensorEvaluationContext, mindnet: MindnetResource) -> dg.RunRequest | dg.SkipReason:
    """One tick: look, wait for quiet, ask for a run."""
    try:
        return _tick(context, mindnet)
    except MindnetError as error:  # for a person to mend, such as a vault that is not mounted; until then, every tick
        _say_once(context, [str(error)])
        return dg.SkipReason(str(error))


def _tick(context: dg.SensorEvaluationContext, mindnet: MindnetResource) -> dg.RunRequest | dg.SkipReason:
    started = time.monotonic()
    pipeline = mindnet.fresh_pipeline()
    _say_once(context, pipeline.settings.notices)
    if busy := unfinished_run(context.instance, pipeline):
        return dg.SkipReason(f"run {busy.run_id[:8]} is {busy.status.value.lower()}")
    look = _look_at_rest(pipeline)
    if look.plan.is_empty:
        tidy(context.instance, pipeline, look.plan, wait_s=0.0)
        context.update_cursor("")
        unreadable = f", {len(look.problems)} unreadable" if look.problems else ""
        return dg.SkipReason(
            f"{counted(look.notes, 'note')}, nothing changed{unreadable} ({time.monotonic() - started:.2f} s)"
        )
    return _request(context, pipeline, look)


def _say_once(context: dg.SensorEvaluationContext, sentences: Iterable[str]) -> None:
    """Write to the tick's log what this process has not said yet: there is a tick every few seconds."""
    for sentence in sentences:
        if sentence not in _said:
            _said.add(sentence)
            context.log.warning(sentence)


def _look_at_rest(pipeline: Pipeline) -> Look:
    """A look at the vault; if someone wrote to it just now, a second one when it may have come to rest."""
    started = time.monotonic()
    look = look_at_vault(pipeline, budget_s=TICK_BUDGET_S)
    missing = pipeline.settings.sync.quiet_seconds - (time.time() - look.newest_mtime_ns / 1e9)
    left = TICK_BUDGET_S - (time.monotonic() - started)
    if look.plan.is_empty or not 0 < missing <= min(pipeline.settings.sync.quiet_seconds, left / 2):
        return look
    time.sleep(missing)
    return look_at_vault(pipeline, budget_s=left - missing)


def _request(context: dg.SensorEvaluationContext, pipeline: Pipeline, look: Look) -> dg.RunRequest | dg.SkipReason:
    first_seen = float(context.cursor or 0) or time.time()
    sync = pipeline.settings.sync
    is_quiet = time.time() - look.newest_mtime_ns / 1e9 >= sync.quiet_seconds
    if not is_quiet and time.time() - first_seen < sync.max_wait_seconds:
        context.update_cursor(str(first_seen))
        return dg.SkipReason(f"{counted(len(look.plan.upserts), 'note')} changed, but someone is still writing")
    anchor, tags = request_run(context.instance, pipeline, look.plan)
    past = context.instance.get_runs(dg.RunsFilter(tags={CHANGESET_TAG: tags[CHANGESET_TAG]}))
    failed = sum(run.status == dg.DagsterRunStatus.FAILURE for run in past)
    if failed >= ATTEMPTS:
        return dg.SkipReason(f"this change failed {failed} times; waiting for the vault or the configuration to change")
    context.update_cursor("")
    run_key = f"{tags[CHANGESET_TAG]}:{len(past)}"
    if anchor is None:
        return dg.RunRequest(run_key=run_key, job_name=vault_forget.name, tags=tags)
    return dg.RunRequest(run_key=run_key, job_name=vault_sync.name, partition_key=anchor, tags=tags)


def unfinished_run(instance: dg.DagsterInstance, pipeline: Pipeline) -> dg.DagsterRun | None:
    """A run of ours that has not ended, whoever started it; one whose process was killed is reported failed.

    Runs started in the UI carry no tags of ours, so the assets they select are looked at. With a remote data folder
    only Dagster's own monitoring of runs can tell that a process was killed.
    """
    for run in instance.get_runs(dg.RunsFilter(statuses=_UNFINISHED), limit=100):
        is_ours = run.job_name in {vault_sync.name, vault_forget.name} or _OURS & (run.asset_selection or set())
        if not is_ours:
            continue
        if _is_orphaned(instance, run, pipeline):
            instance.report_run_failed(run, "The process of this run is gone (killed, or the machine stopped).")
            continue
        return run
    return None


def _is_orphaned(instance: dg.DagsterInstance, run: dg.DagsterRun, pipeline: Pipeline) -> bool:
    if run.status != dg.DagsterRunStatus.STARTED or not is_writer_gone(pipeline.settings.data):
        return False
    record = instance.get_run_record_by_id(run.run_id)
    return record is not None and time.time() - (record.start_time or time.time()) > ORPHANED_AFTER_S
