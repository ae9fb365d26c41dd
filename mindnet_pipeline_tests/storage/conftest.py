"""Fixtures of the storage tests. `store` is each backend: embedded, the client's imitation of a server, a server if
there is one."""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import Point, VectorStore
from mindnet_pipeline_tests.storage.points import FACTS

_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, made and removed by this fixture


@pytest.fixture
def quick_folder() -> Iterator[Path]:
    """A folder of its own, in memory where the system has that: the embedded store waits for the disk at each step."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        yield Path(folder)


def open_backend(name: str, folder: Path) -> VectorStore:
    if name == "embedded":
        return EmbeddedStore(str(folder))
    from mindnet_pipeline.storage.vectors.server import ServerStore  # noqa: PLC0415 - only where it is chosen

    if name == "memory":
        return ServerStore(":memory:", "test")
    url = os.environ["MINDNET_QDRANT_URL"]
    return ServerStore(url, f"test{uuid.uuid4().hex[:8]}", os.environ.get("MINDNET_QDRANT_API_KEY", ""))


def drop_everything(store: VectorStore) -> None:
    if isinstance(store, EmbeddedStore):
        return
    for name in store._names():
        store._client.delete_collection(name)
    store.close()


@pytest.fixture(params=["embedded", "memory", *(["server"] if os.environ.get("MINDNET_QDRANT_URL") else [])])
def store(request: pytest.FixtureRequest, quick_folder: Path) -> Iterator[VectorStore]:
    opened = open_backend(request.param, quick_folder)
    yield opened
    drop_everything(opened)


@pytest.fixture
def filled(store: VectorStore) -> Callable[..., VectorStore]:
    def fill(*chunks: Point, notes: tuple[Point, ...] = (), edges: tuple[Point, ...] = ()) -> VectorStore:
        with store.writer(FACTS) as writer:
            writer.upsert("chunks", chunks)
            writer.upsert("notes", notes)
            writer.upsert("edges", edges)
        store.switch(FACTS)
        return store

    return fill
