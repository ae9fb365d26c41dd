"""The JSON Schemas of the payloads, for readers in other languages: made from storage/payloads.py, kept in schemas/.

`python -m mindnet_pipeline.storage.payload_schemas` writes them anew; a test holds them current.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from mindnet_pipeline.storage.payloads import ChunkPayload, EdgePayload, NotePayload

SCHEMA_FOLDER = Path(__file__).resolve().parent.parent / "schemas"
PAYLOADS: Mapping[str, Any] = {"note": NotePayload, "chunk": ChunkPayload, "edge": EdgePayload}


def schema_texts() -> dict[str, str]:
    """The schemas as they are written, by file name."""
    return {
        f"{name}.schema.json": json.dumps(TypeAdapter(payload).json_schema(), indent=2, ensure_ascii=False) + "\n"
        for name, payload in PAYLOADS.items()
    }


def write_schemas(folder: Path = SCHEMA_FOLDER) -> None:
    """Write the three schemas."""
    for name, text in schema_texts().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_schemas()
