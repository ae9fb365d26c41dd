"""The five assets: parsed_notes → chunks → edges → embeddings → qdrant_collections, one partition per note.

A body does one step of the engine for the run's notes and says what came of it. The grain of each table is the first
line of its description.
"""

import dagster as dg
import pyarrow.compute as pc

from mindnet_pipeline.core.chunking import CHUNKER_VERSION
from mindnet_pipeline.core.edges import EDGE_RULES_VERSION
from mindnet_pipeline.core.notes import READER_VERSION
from mindnet_pipeline.defs.metadata import bars, column_schema, histogram, preview, trend
from mindnet_pipeline.defs.partitions import NOTES, forget
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.defs.runs import finish_step, run_step
from mindnet_pipeline.engine.account import counts_by, finish_run
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.steps import chunk_notes, embed_chunks, link_notes, parse_notes, write_points
from mindnet_pipeline.storage.tables import SCHEMAS
from mindnet_pipeline.storage.vectors.protocol import SCHEMA_VERSION

POOL = "vault_writer"
GROUP = "vault"
TREND_COLUMNS = ("notes", "chunks", "edges", "unresolved", "ambiguous", "warnings", "embedded", "seconds")

_COMMON = {
    "partitions_def": NOTES,
    "backfill_policy": dg.BackfillPolicy.single_run(),
    "group_name": GROUP,
    "owners": ["team:mindnet"],
    "pool": POOL,
}
_PREVIEW_ROWS = 10


def _columns(table: str) -> dict[str, dg.TableSchema]:
    return {"dagster/column_schema": column_schema(SCHEMAS[table])}


@dg.asset(**_COMMON, kinds={"markdown", "parquet"}, code_version=str(READER_VERSION), metadata=_columns("notes"))
def parsed_notes(context: dg.AssetExecutionContext, mindnet: MindnetResource) -> dg.MaterializeResult:
    """One row per note: identity, frontmatter, body, blocks and written links, as read from the vault.

    Nothing is lost: frontmatter as written, BOM and encoding are kept, so that the file can be given back byte for
    byte.
    """
    run_set, report = run_step(context, mindnet, parse_notes)
    tables = mindnet.pipeline().tables
    rows = tables.read("notes", run_set.note_ids[:_PREVIEW_ROWS], ("path", "title", "type", "lang")).to_pylist()
    extra = {
        "dagster/row_count": tables.count("notes"),
        "preview": preview(rows, ("path", "title", "type", "lang")),
        "notes_by_type": bars(counts_by(tables, "notes", ("type",))["type"], ("type", "notes")),
    }
    return finish_step(context, run_set, report, extra)


@dg.asset(
    **_COMMON, deps=[parsed_notes], kinds={"parquet"}, code_version=str(CHUNKER_VERSION), metadata=_columns("chunks")
)
def chunks(context: dg.AssetExecutionContext, mindnet: MindnetResource) -> dg.MaterializeResult:
    """One row per chunk: a run of whole blocks of one note, the unit of search.

    Joined in order, a note's chunks are its body, character for character.
    """
    run_set, report = run_step(context, mindnet, chunk_notes)
    tables = mindnet.pipeline().tables
    shown = ("chunk_id", "section_title", "kind", "token_count", "text")
    rows = tables.read("chunks", run_set.note_ids[:_PREVIEW_ROWS], shown).slice(0, _PREVIEW_ROWS).to_pylist()
    sizes = tables.read("chunks", columns=("token_count",))["token_count"].to_pylist()
    extra = {
        "dagster/row_count": len(sizes),
        "preview": preview(rows, shown),
        "chunk_sizes": histogram(sizes, 50, ("tokens", "chunks")),
    }
    return finish_step(context, run_set, report, extra)


@dg.asset(
    **_COMMON,
    deps=[parsed_notes, chunks],
    kinds={"parquet"},
    code_version=str(EDGE_RULES_VERSION),
    metadata=_columns("edges"),
)
def edges(context: dg.AssetExecutionContext, mindnet: MindnetResource) -> dg.MaterializeResult:
    """One row per edge: a typed relation with rule, provenance and confidence, resolved as Obsidian resolves links.

    Notes that did not change are linked anew when the change of another lets one of their links lead elsewhere.
    """
    run_set, report = run_step(context, mindnet, link_notes)
    tables = mindnet.pipeline().tables
    shown = ("source_id", "kind", "target_id", "rule_id", "confidence", "status")
    explicit = pc.field("provenance") != "structure"
    rows = tables.read("edges", run_set.note_ids[:_PREVIEW_ROWS]).filter(explicit).slice(0, _PREVIEW_ROWS).to_pylist()
    counts = counts_by(tables, "edges", ("kind", "rule_id", "status"))
    extra = {
        "dagster/row_count": tables.count("edges"),
        "preview": preview(rows, shown),
        "edges_by_kind": bars(counts["kind"], ("kind", "edges")),
        "edges_by_rule": bars(counts["rule_id"], ("rule", "edges")),
        "edges_by_status": bars(counts["status"], ("status", "edges")),
    }
    return finish_step(context, run_set, report, extra)


@dg.asset(**_COMMON, deps=[chunks], kinds={"parquet"}, metadata=_columns("embeddings"))
def embeddings(context: dg.AssetExecutionContext, mindnet: MindnetResource) -> dg.MaterializeResult:
    """One row per embedded chunk: the vector of its window. A window that was embedded once is never embedded again."""
    run_set, report = run_step(context, mindnet, embed_chunks)
    pipeline = mindnet.pipeline()
    extra = {
        "dagster/row_count": pipeline.tables.count("embeddings"),
        "model": pipeline.embedder.model_key,
        "dimension": pipeline.embedder.dimension,
    }
    return finish_step(context, run_set, report, extra)


@dg.asset(
    **_COMMON,
    deps=[parsed_notes, edges, embeddings],
    kinds={"qdrant"},
    code_version=str(SCHEMA_VERSION),
)
def qdrant_collections(context: dg.AssetExecutionContext, mindnet: MindnetResource) -> dg.MaterializeResult:
    """One point per note, chunk and edge in three Qdrant collections; then the manifest: the sync is done.

    A change of the embedding model is written beside the old collections, which answer questions until all is there.
    """
    run_set, report = run_step(context, mindnet, write_points)
    pipeline = mindnet.pipeline()
    row = finish_run(pipeline, run_set, run_id=context.run.run_id)
    forget(context.instance, run_set.removed)
    return finish_step(context, run_set, report, _store_metadata(pipeline, row))


def _store_metadata(pipeline: Pipeline, row: dict[str, object]) -> dict[str, object]:
    history = pipeline.tables.read_history().to_pylist()
    return {
        "dagster/row_count": sum(int(str(row[name])) for name in ("notes", "chunks", "edges")),
        **{f"run_{name}": row[name] for name in ("added", "changed", "moved", "removed", "relinked")},
        "store": pipeline.store.describe(),
        "seconds": row["seconds"],
        "trend": trend(history, TREND_COLUMNS),
    }


ASSETS = [parsed_notes, chunks, edges, embeddings, qdrant_collections]
