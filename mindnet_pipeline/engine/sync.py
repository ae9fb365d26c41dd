"""A whole sync without Dagster: plan, five steps, commit. The library beneath the assets and the tests."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mindnet_pipeline.engine.commit import commit, note_touched
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import Look, asks_for_another, look_at_vault
from mindnet_pipeline.engine.report import StepReport
from mindnet_pipeline.engine.run_set import RunSet, run_set_of
from mindnet_pipeline.engine.steps import chunk_notes, embed_chunks, link_notes, parse_notes, write_points
from mindnet_pipeline.storage.locks import writer_lock

Step = Callable[[Pipeline, RunSet], StepReport]

STEPS: Mapping[str, Step] = {
    "parsed_notes": parse_notes,
    "chunks": chunk_notes,
    "edges": link_notes,
    "embeddings": embed_chunks,
    "qdrant_collections": write_points,
}
"""The steps in order, by the name of the asset that each makes."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What a sync did: sums over its runs, and seconds by step."""

    look: Look
    totals: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    notices: tuple[tuple[str, str], ...] = ()


def sync_once(pipeline: Pipeline, *, allow_mass_delete: bool = False, verify: bool = False) -> SyncReport:
    """Bring tables and collections up to the vault, in as many runs as `max_notes_per_run` asks for."""
    totals: dict[str, int] = {}
    seconds: dict[str, float] = {}
    notices: list[tuple[str, str]] = []
    with writer_lock(pipeline.settings.data, pipeline.settings.store.wait_seconds, "sync"):
        while True:
            look = look_at_vault(pipeline, allow_mass_delete=allow_mass_delete, verify=verify)
            run_set = run_set_of(pipeline, look.plan)
            if look.plan.is_empty:
                note_touched(pipeline, run_set)
                return SyncReport(look, totals, seconds, tuple(notices))
            for report in _run(pipeline, run_set, seconds):
                notices.extend(report.notices)
                for name, count in report.totals.items():
                    totals[name] = totals.get(name, 0) + count
            if not asks_for_another(look, pipeline):
                return SyncReport(look, totals, seconds, tuple(notices))
            verify = False


def _run(pipeline: Pipeline, run_set: RunSet, seconds: dict[str, float]) -> list[StepReport]:
    reports = []
    for name, step in STEPS.items():
        started = time.perf_counter()
        reports.append(step(pipeline, run_set))
        seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - started
    commit(pipeline, run_set)
    return reports
