"""Fixtures of the storage tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, made and removed by this fixture


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """A folder of its own, in memory where the system has that: the embedded store waits for the disk at each step."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        yield Path(folder)
