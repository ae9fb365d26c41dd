"""The asset `vault_verification`: every file hashed, and the index's health over time."""

import dagster as dg

from mindnet_pipeline.defs.assets import POOL, TREND_COLUMNS
from mindnet_pipeline.defs.metadata import trend
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.engine.planning import look_at_vault, mark_for_remake


@dg.asset(group_name="health", owners=["team:mindnet"], kinds={"markdown"}, pool=POOL)
def vault_verification(mindnet: MindnetResource) -> dg.MaterializeResult:
    """One look at the whole vault: are the indexed files still what they were when they were read?

    What differs though its size and time did not is made anew at the sensor's next look.
    """
    pipeline = mindnet.pipeline_for_writing()
    look = look_at_vault(pipeline, verify=True)
    mark_for_remake(pipeline, look.plan)
    return dg.MaterializeResult(
        metadata={
            "notes": look.notes,
            "differing": len(look.plan.upserts),
            "gone": look.plan.counts["removed"],
            "unreadable": len(look.problems),
            "trend": trend(pipeline.tables.read_history().to_pylist(), TREND_COLUMNS),
        }
    )
