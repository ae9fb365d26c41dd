"""Notes, chunks and edges to store: short to write, every field can be given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, get_type_hints

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.model import Chunk, Edge, Note
from mindnet_pipeline.storage.rows import FileFacts
from mindnet_pipeline.storage.vectors.protocol import Found, Search, SparseVector, StoreReader, Where

_EMPTY = {"str": "", "int": 0, "float": 0.0, "bool": False}


def _made(kind: type[Any], /, **given: Any) -> Any:
    hints = get_type_hints(kind)
    empty = {}
    for field in fields(kind):
        name = getattr(hints[field.name], "__name__", "")
        if name == "Mapping":
            empty[field.name] = {}
        elif name == "tuple":
            empty[field.name] = ()
        else:
            empty[field.name] = _EMPTY.get(name, "")
    return kind(**(empty | given))


def note(note_id: str = "n", **given: Any) -> Note:
    return _made(Note, **{"note_id": note_id, "path": f"{note_id}.md", "newline": "lf", "encoding": "utf-8"} | given)


def chunk(note_id: str = "n", index: int = 1, **given: Any) -> Chunk:
    own = {"note_id": note_id, "chunk_id": f"{note_id}#c{index:02d}", "chunk_index": index, "kind": "text"}
    return _made(Chunk, **own | {"window_hash": f"{note_id}-{index}"} | given)


def edge(note_id: str = "n", target_id: str = "t", **given: Any) -> Edge:
    own = {"note_id": note_id, "source_id": f"{note_id}#c01", "target_id": target_id, "kind": "references"}
    own |= {"edge_id": f"{note_id}>{target_id}", "scope": "chunk", "status": "ok", "provenance": "explicit"}
    return _made(Edge, **own | given)


def facts(**given: Any) -> FileFacts:
    return _made(FileFacts, **given)


def search(
    reader: StoreReader,
    vector: npt.NDArray[np.float32] | SparseVector,
    limit: int,
    where: Where | None = None,
    fields: Sequence[str] | None = None,
) -> list[Found]:
    """What one search finds."""
    (found,) = reader.search([Search(vector, limit, where)], fields)
    return found
