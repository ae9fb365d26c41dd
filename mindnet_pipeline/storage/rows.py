"""Values of core/model.py ↔ rows of the tables, column by column (a row at a time would be many times slower).

Every column is a field of the same name. The exceptions: a note's `frontmatter` is JSON, and the notes table also holds
the facts of the file that a note was read from.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mindnet_pipeline.core.model import Block, Chunk, Edge, Finding, Link, Note
from mindnet_pipeline.storage.schemas import CHUNKS_SCHEMA, EDGES_SCHEMA, EMBEDDINGS_SCHEMA, NOTES_SCHEMA

_T = TypeVar("_T")

_NESTED: Mapping[str, type[Any]] = {"warnings": Finding, "blocks": Block, "links": Link, "nested": Block}
"""Columns of lists of values, and the type of the values."""
_SPAN_LISTS = frozenset({"items", "hidden", "unbroken"})
"""Columns and fields of lists of spans."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The file that a note was read from and what its rows were made under.

    `file_hash` is of the bytes, `content_hash` of what the hash mode regards, `state_key` of all that rows depend
    on. `declared_id` is the id that the note's frontmatter gives, `""` if none.
    """

    size: int
    mtime_ns: int
    file_hash: str
    content_hash: str
    state_key: str
    model_key: str
    declared_id: str = ""


def notes_table(notes: Sequence[Note], facts: Sequence[FileFacts]) -> pa.Table:
    """One row per note, with the facts of its file (parallel to `notes`)."""
    columns = _columns(notes, Note, NOTES_SCHEMA) | _columns(facts, FileFacts, NOTES_SCHEMA)
    return pa.table([columns[name] for name in NOTES_SCHEMA.names], schema=NOTES_SCHEMA)


def notes_from(table: pa.Table) -> list[Note]:
    """The notes of rows that have all columns."""
    return _values(table, Note)


def facts_from(table: pa.Table) -> list[FileFacts]:
    """The file facts of rows of the notes table."""
    return _values(table, FileFacts)


def chunks_table(chunks: Sequence[Chunk]) -> pa.Table:
    """One row per chunk."""
    return pa.table(_columns(chunks, Chunk, CHUNKS_SCHEMA), schema=CHUNKS_SCHEMA)


def chunks_from(table: pa.Table) -> list[Chunk]:
    """The chunks of rows that have all columns."""
    return _values(table, Chunk)


def edges_table(edges: Sequence[Edge]) -> pa.Table:
    """One row per edge."""
    return pa.table(_columns(edges, Edge, EDGES_SCHEMA), schema=EDGES_SCHEMA)


def edges_from(table: pa.Table) -> list[Edge]:
    """The edges of rows that have all columns."""
    return _values(table, Edge)


def embeddings_table(
    chunks: Sequence[Chunk], vectors: Mapping[str, npt.NDArray[np.float32]], model_key: str
) -> pa.Table:
    """One row per chunk: its vector, looked up in `vectors` by window hash.

    Raises:
        KeyError: a chunk's window has no vector.
    """
    columns = _columns(chunks, Chunk, pa.schema([field for field in EMBEDDINGS_SCHEMA if field.name in _CHUNK_FIELDS]))
    columns["model_key"] = pa.repeat(pa.scalar(model_key, pa.string()), len(chunks))
    columns["vector"] = _vector_column([vectors[chunk.window_hash] for chunk in chunks])
    return pa.table([columns[name] for name in EMBEDDINGS_SCHEMA.names], schema=EMBEDDINGS_SCHEMA)


def vectors_from(table: pa.Table) -> npt.NDArray[np.float32]:
    """The vectors of rows of the embeddings table, shape (rows, dimension)."""
    flat = table["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return np.asarray(flat, dtype=np.float32).reshape(table.num_rows, -1 if table.num_rows else 0)


_CHUNK_FIELDS = {field.name for field in dataclasses.fields(Chunk)}


def _vector_column(vectors: Sequence[npt.NDArray[np.float32]]) -> pa.Array:
    lengths = np.fromiter((len(vector) for vector in vectors), np.int32, len(vectors))
    offsets = np.concatenate([np.zeros(1, np.int32), np.cumsum(lengths, dtype=np.int32)])
    flat = np.concatenate(vectors, dtype=np.float32) if vectors else np.empty(0, np.float32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat))


def _columns(values: Sequence[Any], kind: type[Any], schema: pa.Schema) -> dict[str, pa.Array]:
    """The columns of `schema` that are fields of `kind`."""
    fields = {field.name for field in dataclasses.fields(kind)}
    return {
        column.name: _column(list(map(attrgetter(column.name), values)), column)
        for column in schema
        if column.name in fields
    }


def _column(values: list[Any], column: pa.Field) -> pa.Array:
    if column.name in _NESTED:
        return _struct_lists(values, column.type)
    if column.name == "frontmatter":
        values = [json.dumps(value, ensure_ascii=False, default=str) for value in values]
    return _array(values, column.type)


def _array(values: list[Any], arrow_type: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, arrow_type)
    except UnicodeEncodeError:  # a lone surrogate, written as an escape in YAML: not text that any file format can hold
        return pa.array([_without_surrogates(value) for value in values], arrow_type)


def _without_surrogates(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return [_without_surrogates(item) for item in value] if isinstance(value, (list, tuple)) else value


def _struct_lists(lists: Sequence[Sequence[Any]], list_type: pa.ListType) -> pa.Array:
    """Lists of dataclasses as list<struct>: the structs' fields are built flat, then cut by offsets."""
    flat = list(chain.from_iterable(lists))
    fields = list(list_type.value_type)
    arrays = [_array(list(map(attrgetter(field.name), flat)), field.type) for field in fields]
    offsets = np.zeros(len(lists) + 1, np.int32)
    np.cumsum([len(items) for items in lists], out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), pa.StructArray.from_arrays(arrays, fields=fields))


def _values(table: pa.Table, kind: Callable[..., _T]) -> list[_T]:
    """One value of a dataclass per row."""
    names = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    return list(map(kind, *(_items(table[name].combine_chunks(), name) for name in names)))


def _items(column: pa.Array, name: str) -> Iterable[Any]:
    if name in _NESTED:
        return _nested_items(column, _NESTED[name])
    if name == "frontmatter":
        return map(json.loads, column.to_pylist())
    if name in _SPAN_LISTS:
        return _spans(column)
    if pa.types.is_list(column.type):
        return _tuples(column, column.flatten().to_pylist())
    return column.to_pylist()  # type: ignore[no-any-return]


def _nested_items(column: pa.Array, kind: type[Any]) -> Iterable[tuple[Any, ...]]:
    structs = column.flatten()
    names = [field.name for field in dataclasses.fields(kind)]
    fields = [_spans(structs.field(name)) if name in _SPAN_LISTS else structs.field(name).to_pylist() for name in names]
    return _tuples(column, list(map(kind, *fields)))


def _spans(column: pa.Array) -> list[tuple[tuple[int, int], ...]]:
    return [tuple((start, end) for start, end in spans) for spans in column.to_pylist()]


def _tuples(column: pa.Array, flat: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
    """Cut flat values into the column's lists."""
    ends = np.concatenate([[0], np.cumsum(column.value_lengths().to_numpy(zero_copy_only=False))]).astype(int).tolist()
    return (tuple(flat[start:end]) for start, end in pairwise(ends))
