"""The table `training_pairs.parquet` in the data folder: training pairs as rows and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from upath import UPath

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.learning.pairs import RatedHit, TrainingPair
from mindnet_pipeline.retrieval.scoring import Signals
from mindnet_pipeline.storage.files import data_path, read_if_there, write_atomically
from mindnet_pipeline.storage.schemas import TRAINING_PAIRS_SCHEMA


def write_pairs(data: str, pairs: Sequence[TrainingPair]) -> None:
    """Replace the table."""
    sink = pa.BufferOutputStream()
    pq.write_table(rows_of(pairs), sink, compression="zstd")
    write_atomically(_place(data), memoryview(sink.getvalue()))


def read_pairs(data: str) -> list[TrainingPair]:
    """The pairs of the table; none if it was not made yet.

    Raises:
        StoreError: the file is damaged or of another version.
    """
    stored = read_if_there(_place(data))
    if stored is None:
        return []
    try:
        rows = pq.read_table(pa.BufferReader(stored), schema=TRAINING_PAIRS_SCHEMA).to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise StoreError(f"{_place(data)} cannot be read ({error}). Make `training_pairs` anew.") from error
    return [_pair(row) for row in rows]


def rows_of(pairs: Sequence[TrainingPair]) -> pa.Table:
    """The pairs as a table."""
    rows = [
        {
            "query_id": pair.query_id,
            "question": pair.question,
            "language": pair.language,
            "intent": pair.intent,
            "model_key": pair.model_key,
            "better": _rated_row(pair.better),
            "worse": _rated_row(pair.worse),
            "difference": pair.difference,
        }
        for pair in pairs
    ]
    return pa.Table.from_pylist(rows, schema=TRAINING_PAIRS_SCHEMA)


def _rated_row(hit: RatedHit) -> dict[str, Any]:
    return {"chunk_id": hit.chunk_id, "rating": hit.rating, **asdict(hit.signals)}


def _pair(row: Mapping[str, Any]) -> TrainingPair:
    plain = {name: row[name] for name in ("query_id", "question", "language", "intent", "model_key")}
    return TrainingPair(**plain, better=_rated(row["better"]), worse=_rated(row["worse"]))


def _rated(row: Mapping[str, Any]) -> RatedHit:
    signals = {name: value for name, value in row.items() if name not in {"chunk_id", "rating"}}
    return RatedHit(row["chunk_id"], row["rating"], Signals(**signals))


def _place(data: str) -> UPath:
    return data_path(data, "training_pairs.parquet")
