"""A sync from a command line: the same job that the sensor asks for, run in this process against the same instance."""

from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from mindnet_pipeline.core.errors import MindnetError
from mindnet_pipeline.core.sync import SyncPlan
from mindnet_pipeline.defs.jobs import vault_forget, vault_sync
from mindnet_pipeline.defs.runs import request_run, tidy
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import Look, asks_for_another, look_at_vault

_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
_INTERRUPTIONS = {"DagsterExecutionInterruptedError", "KeyboardInterrupt"}
"""What a run that was told to end says it failed of."""


class SyncFailedError(MindnetError):
    """A run failed; the message names the step, the reason and the run."""


def sync_runs(
    definitions: dg.Definitions,
    instance: dg.DagsterInstance,
    pipeline: Pipeline,
    look: Look,
    *,
    allow_mass_delete: bool = False,
) -> Iterator[Mapping[str, Any]]:
    """Run what the look at the vault asks for until nothing is left; yields the history row of each run as it ends.

    Raises:
        VaultError: the vault cannot be synced as it has become meanwhile.
        SyncFailedError: a run failed.
        KeyboardInterrupt: Ctrl-C or SIGTERM ended a run.
    """
    plan = look.plan
    while not plan.is_empty:
        _run(definitions, instance, pipeline, plan)
        yield pipeline.tables.read_history().to_pylist()[-1]
        is_done = not asks_for_another(look, pipeline)
        look = look if is_done else look_at_vault(pipeline, allow_mass_delete=allow_mass_delete)
        plan = SyncPlan() if is_done else look.plan
    tidy(instance, pipeline, plan, wait_s=pipeline.settings.store.wait_seconds)


def _run(definitions: dg.Definitions, instance: dg.DagsterInstance, pipeline: Pipeline, plan: SyncPlan) -> None:
    """One run. Its result, which holds all its events, is let go before the next one."""
    anchor, tags = request_run(instance, pipeline, plan)
    job = definitions.resolve_job_def((vault_forget if anchor is None else vault_sync).name)
    result = job.execute_in_process(
        instance=instance, partition_key=anchor, tags=tags, run_config=_QUIET, raise_on_error=False
    )
    if not result.success:
        raise _failure(result)


def _failure(result: dg.ExecuteInProcessResult) -> BaseException:
    for event in result.all_events:
        error = getattr(event.event_specific_data, "error", None)
        if event.is_failure and error is not None:
            chain = [error]
            while chain[-1].cause is not None:
                chain.append(chain[-1].cause)
            if any(error.cls_name in _INTERRUPTIONS for error in chain):
                return KeyboardInterrupt()
            message = chain[-1].message.strip()
            reason = message.partition(": ")[2] or message
            return SyncFailedError(f"{event.step_key or 'run'}: {reason} (run {result.run_id[:8]})")
    return SyncFailedError(f"run {result.run_id} failed; see the Dagster UI")
