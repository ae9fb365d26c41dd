"""Everything Dagster sees, in one call, so that tests and command lines replace resources and never patch a global."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from mindnet_pipeline.defs.asking import ask
from mindnet_pipeline.defs.assets import ASSETS
from mindnet_pipeline.defs.checks import CHECK_DEFINITIONS
from mindnet_pipeline.defs.jobs import (
    confirm_deletions_job,
    evaluate_search,
    nightly_learning,
    nightly_verification,
    vault_forget,
    vault_sync,
)
from mindnet_pipeline.defs.learning import training_pairs, weights_proposal
from mindnet_pipeline.defs.quality import retrieval_quality, search_is_above_its_floor
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.defs.schedules import learning, nightly
from mindnet_pipeline.defs.sensors import vault_sensor
from mindnet_pipeline.defs.talking import chat
from mindnet_pipeline.defs.verification import vault_verification


def build_defs(*, resource_overrides: Mapping[str, Any] | None = None) -> dg.Definitions:
    """The definitions of one vault. No I/O: settings are read when something runs."""
    return dg.Definitions(
        assets=[*ASSETS, vault_verification, retrieval_quality, training_pairs, weights_proposal],
        asset_checks=[*CHECK_DEFINITIONS, search_is_above_its_floor],
        jobs=[
            vault_sync,
            vault_forget,
            confirm_deletions_job,
            nightly_verification,
            evaluate_search,
            nightly_learning,
            ask,
            chat,
        ],
        sensors=[vault_sensor],
        schedules=[nightly, learning],
        executor=dg.in_process_executor,
        resources={"mindnet": MindnetResource(), **(resource_overrides or {})},
    )


defs = build_defs()
