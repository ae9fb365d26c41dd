"""Figures of the run in progress, kept beside the data so that steps in different processes add to one account."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.report import StepReport
from mindnet_pipeline.storage.files import data_path, write_atomically

_FILE = "run_figures.json"


def begin(pipeline: Pipeline, counts: Mapping[str, int], *, clock: Callable[[], float] = time.time) -> None:
    """Start the account of a run. `counts` are the plan's: added, changed, moved, removed, unchanged."""
    _write(pipeline, {"started": clock(), "counts": dict(counts), "totals": {}, "seconds": {}})


def add(pipeline: Pipeline, step: str, report: StepReport, seconds: float) -> None:
    """Add what a step did."""
    account = read(pipeline)
    account["totals"].update(report.totals)
    account["seconds"][step] = round(seconds, 3)
    _write(pipeline, account)


def read(pipeline: Pipeline) -> dict[str, Any]:
    """The account of the latest run: `started`, `counts`, `totals`, `seconds`; empty if there was none."""
    path = data_path(pipeline.settings.data, _FILE)
    empty: dict[str, Any] = {"started": 0.0, "counts": {}, "totals": {}, "seconds": {}}
    return empty | json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty


def _write(pipeline: Pipeline, account: Mapping[str, Any]) -> None:
    write_atomically(data_path(pipeline.settings.data, _FILE), json.dumps(account).encode())
