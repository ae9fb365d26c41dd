"""Names of generations, and the folder of the embedded store: which generations are there, which one is current.

Nothing here opens an engine. `CURRENT.json` is replaced in one step, so a reader sees the old or the new generation.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from mindnet_pipeline.storage.vectors.protocol import StoreFacts

_CURRENT = "CURRENT.json"
_FACTS = "facts.json"


def generation_name(facts: StoreFacts) -> str:
    """A digest of the facts: equal facts, equal name."""
    return hashlib.sha256(json.dumps(to_json(facts), sort_keys=True).encode()).hexdigest()[:12]


def to_json(facts: StoreFacts) -> dict[str, Any]:
    """The facts as a JSON object."""
    return dataclasses.asdict(facts)


def from_json(raw: Any) -> StoreFacts | None:
    """The facts from a JSON object; None if it is not one of ours."""
    try:
        return StoreFacts(str(raw["model_key"]), int(raw["dimension"]), int(raw["schema_version"]))
    except (KeyError, TypeError, ValueError):
        return None


def read_current(root: Path) -> StoreFacts | None:
    """The facts of the current generation."""
    return from_json(_read(root / _CURRENT))


def write_current(root: Path, facts: StoreFacts) -> None:
    """Point at a generation, in one step."""
    _write(root / _CURRENT, to_json(facts))


def write_facts(generation: Path, facts: StoreFacts) -> None:
    """Mark a folder as the generation with these facts."""
    _write(generation / _FACTS, to_json(facts))


def list_generations(root: Path) -> list[StoreFacts]:
    """The facts of all complete generations in the folder, in the order of their names."""
    found = (from_json(_read(path)) for path in sorted(root.glob(f"*/{_FACTS}")))
    return [facts for facts in found if facts is not None]


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
