"""A vault that lives: files are written, moved and deleted, and synced step by step, in memory where there is some."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.sync import SyncReport, sync_once
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline_tests.engine.vaults import assert_same_as_rebuild, pipeline_of, points_of, write_vault

_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, made and removed by this fixture


@dataclass
class World:
    """A vault, its data folder, and the options that the next sync works under."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def vault(self) -> Path:
        return self.folder / "vault"

    def pipeline(self, data: str = "data", *, embedder: Embedder | None = None) -> Pipeline:
        return pipeline_of(
            self.vault, self.folder / data, environment=self.environment, sync=self.options, embedder=embedder
        )

    def write(self, path: str, content: str | bytes) -> None:
        write_vault(self.vault, {path: content})

    def move(self, old: str, new: str) -> None:
        (self.vault / new).parent.mkdir(parents=True, exist_ok=True)
        (self.vault / old).rename(self.vault / new)

    def delete(self, path: str) -> None:
        (self.vault / path).unlink()

    def evict(self, path: str) -> None:
        """Leave a note in the cloud only: a placeholder is in its place."""
        self.delete(path)
        self.placeholder(path).write_text("bplist")

    def download(self, path: str, content: str | bytes) -> None:
        """Bring a note back from the cloud."""
        self.placeholder(path).unlink()
        self.write(path, content)

    def placeholder(self, path: str) -> Path:
        """What iCloud leaves in a note's place."""
        return self.vault / Path(path).with_name(f".{Path(path).name}.icloud")

    def touch(self, path: str) -> None:
        stat = (self.vault / path).stat()
        os.utime(self.vault / path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 5_000_000_000))

    def sync(self, **options: bool) -> SyncReport:
        return sync_once(self.pipeline(), **options)

    def paths(self) -> dict[str, str]:
        """Paths of the indexed notes by note id."""
        rows = self.pipeline().tables.read("notes", columns=("note_id", "path")).to_pylist()
        return {row["note_id"]: row["path"] for row in rows}

    def texts(self) -> set[str]:
        """What can be found: the texts of the chunks in the collections."""
        return {str(payload["text"]) for payload in points_of(self.pipeline())["chunks"].values()}

    def links(self, note_id: str) -> dict[str, tuple[str, str]]:
        """Where a note's written links lead: (target id, status) by link text. Backlinks are not written."""
        rows = self.pipeline().tables.read("edges", [note_id]).to_pylist()
        written = [row for row in rows if row["provenance"] == "explicit" and row["kind"] != "backlink"]
        return {row["target_raw"]: (row["target_id"], row["status"]) for row in written}

    def assert_same_as_rebuild(self) -> None:
        shutil.rmtree(self.folder / "rebuilt", ignore_errors=True)
        assert_same_as_rebuild(self.pipeline(), self.pipeline("rebuilt"))


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mindnet-", dir=_MEMORY if _MEMORY.is_dir() else None) as made:
        yield Path(made)


@pytest.fixture
def world(folder: Path) -> World:
    (folder / "vault").mkdir()
    return World(folder)
