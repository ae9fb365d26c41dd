"""The columns of every Parquet table, one pyarrow schema a table. Names are the fields of core/model.py."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pyarrow as pa

TableName = Literal["notes", "chunks", "edges", "embeddings"]

TABLES_VERSION = 2
"""Raise it with every change of a schema: older data folders are then refused with a sentence, not a traceback."""

_STRING = pa.string()
_TEXT = pa.large_string()
_STRINGS = pa.list_(pa.string())
_SPANS = pa.list_(pa.list_(pa.int32()))
_FINDING = pa.struct([("code", _STRING), ("message", _STRING), ("line", pa.int32())])
_BLOCK = pa.struct(
    [
        ("kind", _STRING),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("level", pa.int32()),
        ("title", _STRING),
        ("language", _STRING),
        ("items", _SPANS),
    ]
)
_LINK = pa.struct(
    [
        ("syntax", _STRING),
        ("target", _STRING),
        ("start", pa.int32()),
        ("end", pa.int32()),
        ("subpath", _STRING),
        ("display", _STRING),
        ("kind", _STRING),
        ("destination", _STRING),
    ]
)

NOTES_SCHEMA = pa.schema(
    [
        ("note_id", _STRING),
        ("path", _STRING),
        ("title", _STRING),
        ("type", _STRING),
        ("status", _STRING),
        ("created", _STRING),
        ("updated", _STRING),
        ("tags", _STRINGS),
        ("aliases", _STRINGS),
        ("area", _STRING),
        ("project", _STRING),
        ("priority", _STRING),
        ("people", _STRINGS),
        ("lang", _STRING),
        ("hash_fulltext", _STRING),
        ("hash_frontmatter", _STRING),
        ("fulltext", _TEXT),
        ("frontmatter_raw", _TEXT),
        ("frontmatter", _TEXT),  # the mapping as JSON
        ("bom", pa.bool_()),
        ("newline", _STRING),
        ("encoding", _STRING),
        ("retriever_weight", pa.float64()),
        ("chunk_profile", _STRING),
        ("warnings", pa.list_(_FINDING)),
        ("blocks", pa.list_(_BLOCK)),
        ("links", pa.list_(_LINK)),
        ("nested", pa.list_(_BLOCK)),
        ("hidden", _SPANS),
        ("unbroken", _SPANS),
        # facts of the file, for the manifest
        ("declared_id", _STRING),
        ("size", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("file_hash", _STRING),
        ("content_hash", _STRING),
        ("state_key", _STRING),
        ("model_key", _STRING),
    ]
)
CHUNKS_SCHEMA = pa.schema(
    [
        ("chunk_id", _STRING),
        ("stable_id", _STRING),
        ("note_id", _STRING),
        ("note_title", _STRING),
        ("path", _STRING),
        ("type", _STRING),
        ("area", _STRING),
        ("project", _STRING),
        ("tags", _STRINGS),
        ("chunk_index", pa.int32()),
        ("char_start", pa.int32()),
        ("char_end", pa.int32()),
        ("token_count", pa.int32()),
        ("section_title", _STRING),
        ("section_path", _STRINGS),
        ("kind", _STRING),
        ("lang", _STRING),
        ("text", _TEXT),
        ("overlap_chars", pa.int32()),
        ("summary", _TEXT),
        ("wikilinks", _STRINGS),
        ("external_links", _STRINGS),
        ("retriever_weight", pa.float64()),
        ("chunk_profile", _STRING),
        ("created_at", _STRING),
        ("hard_split", pa.bool_()),
        ("window_hash", _STRING),
        ("context", _STRING),
        ("hidden", _SPANS),
    ]
)
EDGES_SCHEMA = pa.schema(
    [
        ("edge_id", _STRING),
        ("kind", _STRING),
        ("scope", _STRING),
        ("source_id", _STRING),
        ("target_id", _STRING),
        ("note_id", _STRING),
        ("status", _STRING),
        ("provenance", _STRING),
        ("rule_id", _STRING),
        ("confidence", pa.float64()),
        ("target_raw", _STRING),
        ("target_section", _STRING),
        ("resolved_by", _STRING),
        ("ambiguous", pa.bool_()),
        ("also_by", _STRINGS),
        ("display", _STRING),
        ("char_start", pa.int32()),
    ]
)
EMBEDDINGS_SCHEMA = pa.schema(
    [
        ("note_id", _STRING),
        ("chunk_id", _STRING),
        ("chunk_index", pa.int32()),
        ("window_hash", _STRING),
        ("model_key", _STRING),
        ("vector", pa.list_(pa.float32())),
    ]
)
MANIFEST_SCHEMA = pa.schema(
    [
        NOTES_SCHEMA.field(name)
        for name in (
            "path",
            "note_id",
            "declared_id",
            "title",
            "aliases",
            "size",
            "mtime_ns",
            "file_hash",
            "content_hash",
            "state_key",
            "model_key",
        )
    ]
)
_RATED = [
    ("chunk_id", _STRING),
    ("rating", pa.int8()),
    ("semantic", pa.float64()),
    ("lexical", pa.float64()),
    ("edge", pa.float64()),
    ("centrality", pa.float64()),
    ("retriever_weight", pa.float64()),
    ("link_list", pa.bool_()),
    ("intent", pa.float64()),
]
TRAINING_PAIRS_SCHEMA = pa.schema(
    [
        ("query_id", _STRING),
        ("question", _STRING),  # the same for the same words; the words themselves are in the log only
        ("language", _STRING),
        ("intent", _STRING),
        ("model_key", _STRING),
        ("better", pa.struct(_RATED)),
        ("worse", pa.struct(_RATED)),
        ("difference", pa.int8()),
    ]
)
SCHEMAS: Mapping[TableName, pa.Schema] = {
    "notes": NOTES_SCHEMA,
    "chunks": CHUNKS_SCHEMA,
    "edges": EDGES_SCHEMA,
    "embeddings": EMBEDDINGS_SCHEMA,
}
ROW_ORDER: Mapping[TableName, tuple[str, ...]] = {
    "notes": ("note_id",),
    "chunks": ("note_id", "chunk_index"),
    "edges": ("note_id", "char_start", "edge_id"),
    "embeddings": ("note_id", "chunk_index"),
}
"""The total order of a table's rows, which makes equal content equal tables, however it came about."""
