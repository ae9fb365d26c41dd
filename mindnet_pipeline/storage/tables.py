"""The Parquet tables: files as buckets by hash of the note id, whole notes replaced at once.

`pandas.read_parquet("<data>/chunks")` reads what `Tables.read("chunks")` reads, in another order. The columns are in
storage/schemas.py, the conversion from and to the values of core/model.py is in storage/rows.py.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from upath import UPath

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.core.ids import sha256, sha256_of_bytes
from mindnet_pipeline.storage.arrow import do_without_pandas
from mindnet_pipeline.storage.files import data_path, read_if_there, remove, remove_leftovers, write_atomically
from mindnet_pipeline.storage.schemas import MANIFEST_SCHEMA, ROW_ORDER, SCHEMAS, TABLES_VERSION, TableName

__all__ = ["MANIFEST_SCHEMA", "SCHEMAS", "TableName", "Tables"]

_THREADS = 4
_HISTORY_ROWS = 10_000
_RUNS = "history"
_VECTOR_OPTIONS: Mapping[str, Any] = {
    "use_dictionary": ["note_id", "window_hash", "model_key"],
    "column_encoding": {"vector.list.element": "BYTE_STREAM_SPLIT"},
}
"""Numbers of vectors never repeat: a dictionary of them (Parquet's default) took eight times as long and more space."""


class Tables:
    """The tables below one data folder. Many may read; one process at a time writes (storage/locks.py)."""

    def __init__(self, data: str, buckets: int = 64) -> None:
        """`buckets` is for a new data folder; one that has tables keeps the number it was made with."""
        do_without_pandas()
        self._data = data
        self._wanted_buckets = buckets

    @cached_property
    def buckets(self) -> int:
        """Parquet files per table.

        Raises:
            StoreError: the folder was written by another version of the schemas.
        """
        place = data_path(self._data, "tables.json")
        facts = json.loads(read_if_there(place) or b"{}")
        version = facts.get("version", TABLES_VERSION)
        if version != TABLES_VERSION:
            raise StoreError(
                f"{self._data} holds tables of version {version}, this program writes {TABLES_VERSION}. "
                "Set MINDNET_DATA to a new folder and sync (the old cache/ can be copied into it)."
            )
        return int(facts.get("buckets", self._wanted_buckets))

    def read(
        self, table: TableName, note_ids: Collection[str] | None = None, columns: Sequence[str] | None = None
    ) -> pa.Table:
        """The rows of a table, or of some notes, ordered by note id and then by position in the note.

        Args:
            table: which table.
            note_ids: only rows of these notes; only their buckets are read.
            columns: only these columns, in this order.
        """
        schema = SCHEMAS[table]
        names = list(columns) if columns is not None else schema.names
        read_names = [*names, *(["note_id"] if "note_id" not in names else [])]
        wanted = None if note_ids is None else pa.array(sorted(note_ids), pa.string())
        with ThreadPoolExecutor(_THREADS) as pool:
            parts = pool.map(lambda file: _read_bucket(file, read_names, wanted), self._files(table, note_ids))
            rows = pa.concat_tables([_empty(schema, read_names), *(part for part in parts if part is not None)])
        return _by_note(rows).select(names)

    def read_bucket(self, table: TableName, bucket: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of one bucket, as they stand in its file: by note id and position in the note."""
        names = list(columns) if columns is not None else SCHEMAS[table].names
        rows = _read_file(self._file(table, bucket), names)
        return _empty(SCHEMAS[table], names) if rows is None else rows

    def bucket_digest(self, table: TableName, bucket: int) -> str:
        """Hex sha256 of a bucket's file; empty if there is none."""
        data = read_if_there(self._file(table, bucket))
        return "" if data is None else sha256_of_bytes(data)

    def count(self, table: TableName) -> int:
        """The number of rows of a table, from the files' footers alone."""
        return sum(_row_count(file) for file in self._files(table, None))

    def replace(self, table: TableName, note_ids: Collection[str], rows: pa.Table) -> int:
        """Delete all rows of these notes, then write `rows`, which must belong to them; returns the number written.

        Bucket by bucket: each file is the old or the new one at any time, also after a crash or a failed write.
        """
        rows = rows.select(SCHEMAS[table].names).cast(SCHEMAS[table])
        strangers = set(pc.unique(rows["note_id"]).to_pylist()) - set(note_ids)
        if strangers:
            raise ValueError(f"{table}: rows of notes that are not replaced: {sorted(strangers)[:3]}")
        self._record_layout()
        ids_of: dict[int, list[str]] = {}
        for note_id in note_ids:
            ids_of.setdefault(self._bucket(note_id), []).append(note_id)
        remove_leftovers(data_path(self._data, table))
        parts = dict(self._split(rows, ids_of))
        with ThreadPoolExecutor(_THREADS) as pool:
            list(
                pool.map(
                    lambda item: self._replace_in_bucket(table, item[0], item[1], parts.get(item[0])), ids_of.items()
                )
            )
        return int(rows.num_rows)

    def read_manifest(self, columns: Sequence[str] | None = None) -> pa.Table:
        """The committed state: one row per note (MANIFEST_SCHEMA), ordered by path; empty before the first sync."""
        names = list(columns) if columns is not None else MANIFEST_SCHEMA.names
        rows = _read_file(data_path(self._data, "manifest.parquet"), names)
        return _empty(MANIFEST_SCHEMA, names) if rows is None else rows

    def write_manifest(self, manifest: pa.Table) -> None:
        """Replace the manifest."""
        rows = manifest.select(MANIFEST_SCHEMA.names).cast(MANIFEST_SCHEMA).sort_by("path")
        write_atomically(data_path(self._data, "manifest.parquet"), _parquet(rows))

    def read_history(self, name: str = _RUNS) -> pa.Table:
        """One row per run (or what else a history of its own is about), oldest first.

        The columns are those that rows were appended with.
        """
        rows = _read_file(data_path(self._data, f"{name}.parquet"), None)
        return pa.table({}) if rows is None else rows

    def append_history(self, row: Mapping[str, Any], name: str = _RUNS) -> None:
        """Add a row about a run: plain values by column. New columns may come at any time; only 10,000 rows stay."""
        history = self.read_history(name)
        added = pa.Table.from_pylist([dict(row)])
        rows = pa.concat_tables([history, added], promote_options="permissive") if history.num_rows else added
        write_atomically(
            data_path(self._data, f"{name}.parquet"), _parquet(rows.slice(max(0, rows.num_rows - _HISTORY_ROWS)))
        )

    def _bucket(self, note_id: str) -> int:
        return int(sha256(note_id)[:8], 16) % self.buckets

    def _file(self, table: TableName, bucket: int) -> UPath:
        return data_path(self._data, table, f"{bucket:04d}.parquet")

    def _files(self, table: TableName, note_ids: Collection[str] | None) -> list[UPath]:
        buckets = range(self.buckets) if note_ids is None else sorted({self._bucket(note_id) for note_id in note_ids})
        return [self._file(table, bucket) for bucket in buckets]

    def _record_layout(self) -> None:
        place = data_path(self._data, "tables.json")
        if read_if_there(place) is None:
            write_atomically(place, json.dumps({"version": TABLES_VERSION, "buckets": self.buckets}).encode())

    def _split(self, rows: pa.Table, buckets: Iterable[int]) -> Iterator[tuple[int, pa.Table]]:
        """The rows of each bucket."""
        numbers = np.fromiter(
            (self._bucket(note_id) for note_id in rows["note_id"].to_pylist()), np.int64, rows.num_rows
        )
        for bucket in buckets:
            yield bucket, rows.take(pa.array(np.flatnonzero(numbers == bucket)))

    def _replace_in_bucket(self, table: TableName, bucket: int, note_ids: Sequence[str], rows: pa.Table) -> None:
        file = self._file(table, bucket)
        old = _read_file(file, SCHEMAS[table].names)
        if old is not None:
            stale = pc.is_in(old["note_id"], pa.array(note_ids, pa.string()))
            rows = pa.concat_tables([old.filter(pc.invert(stale)), rows])
        if rows.num_rows:
            write_atomically(file, _parquet(rows.sort_by([(name, "ascending") for name in ROW_ORDER[table]])))
        elif old is not None:
            remove(file)


def _read_bucket(file: UPath, columns: Sequence[str], note_ids: pa.Array | None) -> pa.Table | None:
    """A bucket's rows of these notes, in order; None if there is no such file."""
    rows = _read_file(file, columns)
    if rows is None or note_ids is None:
        return rows
    return rows.filter(pc.is_in(rows["note_id"], note_ids))


def _read_file(file: UPath, columns: Sequence[str] | None) -> pa.Table | None:
    """A Parquet file's rows; None if it is not there."""
    data = read_if_there(file)
    if data is None:
        return None
    try:
        return pq.ParquetFile(pa.BufferReader(data)).read(columns)
    except (pa.ArrowInvalid, OSError) as error:
        raise StoreError(
            f"{file} is damaged ({error}). Delete the data folder's tables and sync to make them anew."
        ) from error


def _row_count(file: UPath) -> int:
    try:
        with file.open("rb") as opened:
            return int(pq.ParquetFile(opened).metadata.num_rows)
    except FileNotFoundError:
        return 0


def _parquet(rows: pa.Table) -> memoryview:
    sink = pa.BufferOutputStream()
    pq.write_table(rows, sink, compression="zstd", **(_VECTOR_OPTIONS if "vector" in rows.column_names else {}))
    return memoryview(sink.getvalue())


def _empty(schema: pa.Schema, names: Sequence[str]) -> pa.Table:
    return pa.schema([schema.field(name) for name in names]).empty_table()


def _by_note(rows: pa.Table) -> pa.Table:
    """Order rows by note id. Each bucket is in order already, so that a stable sort of the ids is enough."""
    ids = rows["note_id"].combine_chunks().dictionary_encode()
    ranks = pc.sort_indices(pc.sort_indices(ids.dictionary))
    order = np.argsort(ranks.take(ids.indices).to_numpy(), kind="stable")
    return rows.take(pa.array(order))
