"""What is learned from ratings, once a night: the assets `training_pairs` and `weights_proposal`.

Nothing here changes how search weighs: a proposal waits for `mindnet tune --adopt`. No question's words are recorded in
metadata; they stay in the log.
"""

from typing import Any

import dagster as dg

from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.defs.assets import POOL
from mindnet_pipeline.defs.metadata import bars, column_schema, preview
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.learning.feedback_log import open_log, utc_now
from mindnet_pipeline.learning.pair_table import read_pairs
from mindnet_pipeline.learning.tuning import Outcome, gather_pairs, tune
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.storage.schemas import TRAINING_PAIRS_SCHEMA

_COMMON = {"group_name": "learning", "owners": ["team:mindnet"], "pool": POOL}


@dg.asset(**_COMMON, kinds={"parquet"}, metadata={"dagster/column_schema": column_schema(TRAINING_PAIRS_SCHEMA)})
def training_pairs(context: dg.AssetExecutionContext, mindnet: MindnetResource) -> dg.MaterializeResult:
    """One row per pair: a hit that was rated good (4, 5) beside a poor one (1, 2) of the same question, with signals.

    Made anew from the feedback log, which is what cannot be made anew.
    """
    settings = mindnet.pipeline().settings
    if skipped := _why_not(settings):
        context.log.warning(skipped)
        return dg.MaterializeResult(metadata={"status": f"skipped: {skipped}"})
    gathered = gather_pairs(settings)
    counts = gathered.counts
    if gathered.unreadable:
        context.log.warning("Passed over %s of the log.", counted(len(gathered.unreadable), "unreadable line"))
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": counts.pairs,
            "status": "made",
            "questions": counts.questions,
            "rated_questions": counts.rated_questions,
            "paired_questions": counts.paired_questions,
            "labels": counts.labels,
            "unreadable_lines": len(gathered.unreadable),
            "by_rating": bars({str(rating): number for rating, number in counts.by_rating.items()}, ("rating", "hits")),
        }
    )


@dg.asset(**_COMMON, deps=[training_pairs], kinds={"yaml"})
def weights_proposal(context: dg.AssetExecutionContext, mindnet: MindnetResource) -> dg.MaterializeResult:
    """One file per proposal: weights of search that held-out ratings and the golden questions bear out.

    Where they do not, there is none, and the metadata says why. Take one over with `mindnet tune --adopt`.
    """
    settings = mindnet.pipeline().settings
    if skipped := _why_not(settings):
        context.log.warning(skipped)
        return dg.MaterializeResult(metadata={"status": f"skipped: {skipped}"})
    outcome = tune(settings, read_pairs(settings.data), utc_now())
    context.log.info(outcome.reason or "There is a new proposal.")
    return dg.MaterializeResult(metadata=_metadata(settings, outcome))


def _why_not(settings: Settings) -> str:
    """Why nothing can be learned here, as a sentence; empty if it can."""
    try:
        open_log(settings)
    except StoreError as error:
        return str(error)
    return ""


def _metadata(settings: Settings, outcome: Outcome) -> dict[str, Any]:
    made: dict[str, Any] = {"status": outcome.reason or "new proposal"}
    if outcome.proposal:
        made["proposal"] = outcome.proposal.id
        made["take_over"] = f"python -m mindnet_pipeline.tune --adopt {outcome.proposal.id}"
    if outcome.measures:
        rows = [row.model_dump() for row in outcome.measures]
        made["measures"] = preview(rows, ("measure", "before", "after", "gain", "low", "high"))
    if outcome.learned:
        learned = outcome.learned.model_dump()
        weights = [
            {"weight": name, "now": value, "learned": learned[name]}
            for name, value in settings.retriever.weights.model_dump().items()
        ]
        made["weights"] = preview(weights, ("weight", "now", "learned"))
    if outcome.golden:
        found = (
            " ".join(outcome.golden.problems)
            or f"{counted(outcome.golden.questions, 'question')}, none of the bounds broken"
        )
        made["golden"] = outcome.golden.not_checked or found
    return made
