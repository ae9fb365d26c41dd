"""Jobs: the sync, the end of an emptied vault, the nightly verification, an evaluation of search."""

import dagster as dg

from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.defs.assets import ASSETS, POOL
from mindnet_pipeline.defs.learning import training_pairs, weights_proposal
from mindnet_pipeline.defs.partitions import forget
from mindnet_pipeline.defs.quality import retrieval_quality
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.defs.runs import CHANGESET_TAG
from mindnet_pipeline.defs.verification import vault_verification
from mindnet_pipeline.engine import journal
from mindnet_pipeline.engine.account import finish_run
from mindnet_pipeline.engine.planning import confirm_deletions
from mindnet_pipeline.engine.run_set import load_run_set
from mindnet_pipeline.engine.sync import STEPS

SYNC_TAGS = {"mindnet/kind": "sync"}

vault_sync = dg.define_asset_job(
    "vault_sync",
    selection=dg.AssetSelection.assets(*ASSETS),
    executor_def=dg.in_process_executor,
    tags=SYNC_TAGS,
    description="Brings tables and collections up to the vault for the notes of a changeset (or of chosen partitions).",
)


@dg.op(pool=POOL)
def forget_all_notes(context: dg.OpExecutionContext, mindnet: MindnetResource) -> None:
    """Delete everything of a vault whose last note is gone: the one case with no note left to anchor a run on."""
    pipeline = mindnet.pipeline_for_writing()
    run_set = load_run_set(pipeline, context.run.tags[CHANGESET_TAG])
    journal.begin(pipeline, run_set.counts)
    for step in STEPS.values():
        step(pipeline, run_set)
    finish_run(pipeline, run_set, run_id=context.run.run_id)
    forget(context.instance, run_set.removed)


@dg.job(executor_def=dg.in_process_executor, tags=SYNC_TAGS)
def vault_forget() -> None:
    """Empties tables and collections after the last note was deleted."""
    forget_all_notes()


@dg.op(pool=POOL)
def confirm_mass_deletion(context: dg.OpExecutionContext, mindnet: MindnetResource) -> None:
    """Say that the notes which are gone now were deleted on purpose; the sensor then syncs."""
    removed = confirm_deletions(mindnet.pipeline_for_writing())
    context.log.info("%s may leave the index at the next look at the vault.", counted(len(removed), "note"))


@dg.job(executor_def=dg.in_process_executor)
def confirm_deletions_job() -> None:
    """Launch this when the sensor refuses to delete most of the index and you did delete those notes."""
    confirm_mass_deletion()


nightly_verification = dg.define_asset_job(
    "nightly_verification",
    selection=dg.AssetSelection.assets(vault_verification, retrieval_quality)
    | dg.AssetSelection.checks_for_assets(*ASSETS, retrieval_quality),
    executor_def=dg.in_process_executor,
    description="Hashes every file of the vault, runs every check over tables and collections, and measures search.",
)

evaluate_search = dg.define_asset_job(
    "evaluate_search",
    selection=dg.AssetSelection.assets(retrieval_quality) | dg.AssetSelection.checks_for_assets(retrieval_quality),
    executor_def=dg.in_process_executor,
    description="Asks the golden questions and compares what is found with the floor.",
)

nightly_learning = dg.define_asset_job(
    "nightly_learning",
    selection=dg.AssetSelection.assets(training_pairs, weights_proposal),
    executor_def=dg.in_process_executor,
    description="Makes training pairs from ratings and, if they warrant it, proposes weights. Changes none.",
)
