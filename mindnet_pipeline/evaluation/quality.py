"""How good search is on this vault over time: which golden questions it can be asked, and whether the result will do.

Pure. Asking is `asking.py`; the history is a table (storage/tables.py); Dagster shows both (defs/quality.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mindnet_pipeline.core.ids import fold
from mindnet_pipeline.evaluation.evaluation import ALL, Report
from mindnet_pipeline.evaluation.golden import GoldenQuestion

HISTORY = "quality"
"""The name of the table with one row per evaluation and category."""


def answerable(questions: Iterable[GoldenQuestion], paths: Iterable[str]) -> list[GoldenQuestion]:
    """The questions of which this vault has at least one relevant note.

    Golden questions are about one vault; of another one's they say nothing, neither good nor bad.
    """
    there = {fold(path) for path in paths}
    return [question for question in questions if any(fold(place.path) in there for place in question.relevant)]


def history_rows(report: Report, *, finished_at: str, run_id: str, model_key: str) -> list[dict[str, Any]]:
    """One row per category, `all` first: when, by which run, with which model, how many questions, every measure."""
    stamp = {"finished_at": finished_at, "run_id": run_id, "model_key": model_key}
    speed = {"p50_ms": round(report.p50_ms, 1), "p95_ms": round(report.p95_ms, 1)}
    return [
        {
            **stamp,
            "category": category,
            "questions": report.counts[category],
            **{name: round(mean.value, 4) for name, mean in means.items()},
            **speed,
        }
        for category, means in report.means.items()
    ]


def overall(history: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows over all questions, oldest first."""
    return [row for row in history if row["category"] == ALL]


def latest(history: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows of the last evaluation, `all` first; none if there was none."""
    if not history:
        return []
    last = history[-1]["finished_at"], history[-1]["run_id"]
    return [row for row in history if (row["finished_at"], row["run_id"]) == last]


def below_floor(row: Mapping[str, Any], floor: Mapping[str, float]) -> list[str]:
    """What is too bad, each as a sentence; nothing if all will do.

    >>> below_floor({"MRR": 0.5, "hit@1": 0.9}, {"MRR": 0.65, "hit@1": 0.5})
    ['MRR is 0.500, below its floor of 0.65.']
    """
    return [
        f"{name} is {row[name]:.3f}, below its floor of {least:g}."
        for name, least in floor.items()
        if row[name] < least
    ]
