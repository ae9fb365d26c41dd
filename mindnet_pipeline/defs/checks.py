"""Asset checks: every invariant of core/invariants.py over the whole tables, once per run.

Those that guard the store are blocking: `qdrant_collections` is not written while one is broken. What is only worth
knowing (unresolved links, contested ids) is a warning. Checks on partitioned assets share one time line, so each
looks at the whole graph, never at one partition.
"""

from collections.abc import Iterable, Iterator

import dagster as dg

from mindnet_pipeline.core.model import CheckReport
from mindnet_pipeline.defs.metadata import check_metadata
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.defs.runs import CHANGESET_TAG
from mindnet_pipeline.engine.checking import CHECKS, STORE_CHECK, check_store, check_tables

_SPECS = {
    name: dg.AssetCheckSpec(name, asset=check.asset, description=check.claim, blocking=check.blocking)
    for name, check in CHECKS.items()
}


@dg.multi_asset_check(specs=list(_SPECS.values()), can_subset=True, name="graph_invariants")
def graph_invariants(context: dg.AssetCheckExecutionContext, mindnet: MindnetResource) -> Iterable[dg.AssetCheckResult]:
    """The invariants over notes, chunks, edges and embeddings; Dagster asks for each table's when it is written.

    In the run of a changeset, what was counted before stands for every file that is the same byte for byte. All other
    runs (nightly, by hand) count everything anew.
    """
    names = {key.name for key in context.selected_asset_check_keys}
    yield from _results(check_tables(mindnet.pipeline(), names, anew=_counts_anew(context)))


@dg.asset_check(
    asset="qdrant_collections", name=STORE_CHECK, description="The collections hold exactly the tables' points."
)
def store_matches_tables(context: dg.AssetCheckExecutionContext, mindnet: MindnetResource) -> dg.AssetCheckResult:
    """Compare the three collections with the tables: in the run of a changeset how many points every note has.

    All other runs compare every id.
    """
    report = check_store(mindnet.pipeline(), anew=_counts_anew(context))
    return dg.AssetCheckResult(passed=report.passed, metadata=check_metadata(report))


def _counts_anew(context: dg.AssetCheckExecutionContext) -> bool:
    return CHANGESET_TAG not in context.run.tags


def _results(reports: Iterable[CheckReport]) -> Iterator[dg.AssetCheckResult]:
    for report in reports:
        check = CHECKS[report.name]
        yield dg.AssetCheckResult(
            passed=report.passed,
            check_name=report.name,
            asset_key=check.asset,
            severity=dg.AssetCheckSeverity.ERROR if check.severe else dg.AssetCheckSeverity.WARN,
            description=report.description,
            metadata=check_metadata(report),
        )


CHECK_DEFINITIONS = [graph_invariants, store_matches_tables]
