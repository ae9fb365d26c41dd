"""The asset `retrieval_quality`: golden questions asked of the collections, with history, and a check with a floor.

Nightly and on demand, never in a sync. Where the vault has none of the notes that the questions are about, nothing is
measured and the check is left out: not green, not red.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from mindnet_pipeline.defs.assets import POOL, qdrant_collections
from mindnet_pipeline.defs.metadata import preview, trend
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.evaluation.asking import ask_all, golden_file, questions_for
from mindnet_pipeline.evaluation.evaluation import summarise
from mindnet_pipeline.evaluation.golden import GoldenQuestion
from mindnet_pipeline.evaluation.measures import MEASURES
from mindnet_pipeline.evaluation.quality import HISTORY, below_floor, history_rows, latest, overall
from mindnet_pipeline.retrieval.retriever import open_retriever

_COLUMNS = ("questions", *MEASURES, "p95_ms")
_CHECK = "search_is_above_its_floor"


@dg.asset(deps=[qdrant_collections], group_name="health", owners=["team:mindnet"], kinds={"qdrant"}, pool=POOL)
def retrieval_quality(context: dg.AssetExecutionContext, mindnet: MindnetResource) -> dg.MaterializeResult:
    """One row per evaluation and category: how well search answers the golden questions of `evaluation.questions`.

    Measures are means over the questions; `mindnet evaluate` says which questions were missed and why.
    """
    pipeline = mindnet.pipeline()
    questions, skipped = _questions(pipeline)
    if skipped:
        context.log.warning(skipped)
        return dg.MaterializeResult(metadata={"status": f"skipped: {skipped}", "questions": 0})
    with open_retriever(pipeline.settings) as retriever:
        report = summarise(ask_all(questions, retriever))
    rows = history_rows(
        report,
        finished_at=datetime.now(UTC).isoformat(timespec="seconds"),
        run_id=context.run.run_id,
        model_key=pipeline.embedder.model_key,
    )
    for row in rows:
        pipeline.tables.append_history(row, HISTORY)
    return dg.MaterializeResult(metadata={"status": "measured", **_metadata(pipeline, rows, report.missed)})


def _metadata(pipeline: Pipeline, rows: list[dict[str, Any]], missed: Iterable[str]) -> dict[str, Any]:
    history = overall(pipeline.tables.read_history(HISTORY).to_pylist())
    return {
        **{name: rows[0][name] for name in _COLUMNS},
        "by_category": preview(rows, ("category", "questions", *MEASURES)),
        "missed": ", ".join(missed) or "none",
        "trend": trend(history, _COLUMNS),
    }


@dg.multi_asset_check(
    specs=[
        dg.AssetCheckSpec(
            _CHECK,
            asset="retrieval_quality",
            description="Search answers the golden questions at least as well as evaluation.floor asks.",
        )
    ],
    can_subset=True,
    name=_CHECK,
)
def search_is_above_its_floor(
    context: dg.AssetCheckExecutionContext, mindnet: MindnetResource
) -> Iterable[dg.AssetCheckResult]:
    """Compare the last evaluation with the floor; no result where nothing can be measured."""
    pipeline = mindnet.pipeline()
    _, skipped = _questions(pipeline)
    rows = latest(pipeline.tables.read_history(HISTORY).to_pylist())
    if skipped or not rows:
        context.log.warning(skipped or "Nothing was evaluated yet: materialize retrieval_quality.")
        return
    floor = pipeline.settings.evaluation.floor
    problems = below_floor(rows[0], floor)
    figures = {name: {"found": rows[0][name], "floor": least} for name, least in floor.items()}
    yield dg.AssetCheckResult(
        passed=not problems,
        check_name=_CHECK,
        asset_key="retrieval_quality",
        description=" ".join(problems) or None,
        metadata={
            "evaluated_at": rows[0]["finished_at"],
            "questions": rows[0]["questions"],
            "measures": preview(
                [{"measure": name, **each} for name, each in figures.items()], ("measure", "found", "floor")
            ),
            "by_category": preview(rows, ("category", "questions", *MEASURES)),
        },
    )


def _questions(pipeline: Pipeline) -> tuple[list[GoldenQuestion], str]:
    """The golden questions that this vault can be asked, or why there are none."""
    file = golden_file(pipeline.settings)
    if file is None:
        return [], "evaluation.questions is empty in pipeline.yaml."
    if pipeline.store.current() is None:
        return [], "nothing is indexed yet."
    questions = questions_for(pipeline.tables, file)
    if not questions:
        return [], f"the vault has none of the notes that the questions in {file} are about."
    return questions, ""
