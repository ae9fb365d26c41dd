"""The embedded store: generations of Qdrant shards in a local folder, no server.

    <data>/qdrant/CURRENT.json                     which generation is read
    <data>/qdrant/<digest>/facts.json              what the generation was made with
    <data>/qdrant/<digest>/{notes,chunks,edges}/   its shards
    <data>/qdrant/<digest>/holder.json             who holds it just now: for messages only, never a lock

One process at a time can hold a generation. Hold it briefly; others wait for it with a time limit.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mindnet_pipeline.core.errors import StoreError, StoreLockedError
from mindnet_pipeline.storage.vectors.access import Reader, Writer
from mindnet_pipeline.storage.vectors.edge_engine import EdgeBackend, ShardBusyError, create_shards
from mindnet_pipeline.storage.vectors.generations import (
    generation_name,
    list_generations,
    read_current,
    write_current,
    write_facts,
)
from mindnet_pipeline.storage.vectors.protocol import StoreFacts

_HOLDER = "holder.json"
_LONGEST_PAUSE_S = 0.25


class EmbeddedStore:
    """`VectorStore` in a folder."""

    def __init__(
        self,
        data: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Name the folder; nothing is opened.

        Raises:
            StoreError: the data folder is not on a local disk.
        """
        local = data.removeprefix("file://")
        if "://" in local:
            raise StoreError(
                f"{data}: the embedded store needs a local data folder. Set MINDNET_QDRANT_URL to use a Qdrant server."
            )
        self._root = Path(local) / "qdrant"
        self._clock = clock
        self._sleep = sleep
        self._keeps = False
        self._kept: tuple[StoreFacts, EdgeBackend] | None = None

    def describe(self) -> str:
        """`embedded, <folder>`."""
        return f"embedded, {self._root}"

    def current(self) -> StoreFacts | None:
        """The facts of the current generation; None if nothing was ever written. Takes no lock."""
        return read_current(self._root)

    def reader(self, wait_s: float = 10.0) -> Reader:
        """Open the current generation for reading."""

        def current() -> StoreFacts:
            facts = self.current()
            if facts is None:
                raise StoreError(f"{self._root}: nothing is indexed yet. Run `mindnet sync` first.")
            return facts

        backend, facts = self._hold(current, wait_s)
        return Reader(backend, facts)

    def writer(self, facts: StoreFacts, wait_s: float = 60.0) -> Writer:
        """Open the generation with these facts for writing, making it if it is not there."""
        if self._kept and self._kept[0] == facts:
            return Writer(self._kept[1], facts)
        self._let_go()
        self._make(facts)
        backend, _ = self._hold(lambda: facts, wait_s)
        if self._keeps:
            backend.is_kept = True
            self._kept = facts, backend
        return Writer(backend, facts)

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """What is opened for writing in the block stays open until its end or until another generation is written."""
        self._keeps = True
        try:
            yield
        finally:
            self._keeps = False
            self._let_go()

    def switch(self, facts: StoreFacts) -> None:
        """Make this generation the current one and drop the others (one that is held: at the next switch)."""
        if facts not in list_generations(self._root):
            raise StoreError(f"{self._root}: there is no generation made with {facts.model_key} to switch to.")
        write_current(self._root, facts)
        for folder in self._root.iterdir():
            if folder.is_dir() and folder.name != generation_name(facts) and not _is_in_use(folder):
                shutil.rmtree(folder, ignore_errors=True)

    def generations(self) -> list[StoreFacts]:
        """All generations that exist, the current one first."""
        current = self.current()
        return sorted(list_generations(self._root), key=lambda facts: facts != current)

    def _let_go(self) -> None:
        """Close what was kept open."""
        if self._kept:
            _, backend = self._kept
            self._kept = None
            backend.is_kept = False
            backend.close()

    def _folder(self, facts: StoreFacts) -> Path:
        return self._root / generation_name(facts)

    def _make(self, facts: StoreFacts) -> None:
        """Build the shards in a folder of our own, then rename it: a crash leaves no half-made generation."""
        folder = self._folder(facts)
        if folder.is_dir():
            return
        part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
        shutil.rmtree(part, ignore_errors=True)
        create_shards(part, facts.dimension)
        write_facts(part, facts)
        try:
            part.rename(folder)
        except OSError:  # another process made it first
            shutil.rmtree(part, ignore_errors=True)

    def _hold(self, which: Callable[[], StoreFacts], wait_s: float) -> tuple[EdgeBackend, StoreFacts]:
        """Hold the generation that `which` names, asked again at each try: it may have been replaced."""
        deadline, pause = self._clock() + wait_s, 0.01
        while True:
            facts = which()
            folder = self._folder(facts)
            try:
                backend = EdgeBackend(folder, on_close=lambda folder=folder: _forget_holder(folder))  # type: ignore[misc]
            except (ShardBusyError, FileNotFoundError) as error:
                if self._clock() >= deadline:
                    raise self._gave_up(folder, wait_s) from error
                self._sleep(min(pause, max(deadline - self._clock(), 0)))
                pause = min(pause * 2, _LONGEST_PAUSE_S)
            else:
                _write_holder(folder)
                return backend, facts

    def _gave_up(self, folder: Path, wait_s: float) -> StoreError:
        if not folder.is_dir():
            return StoreError(f"{folder}: the current generation is missing. Run `mindnet sync` to make it anew.")
        return StoreLockedError(
            f"{self._root} is in use by {_read_holder(folder)}; waited {wait_s:g} s. "
            "Let it finish, or use a Qdrant server (MINDNET_QDRANT_URL) for several processes at once."
        )


def _is_in_use(folder: Path) -> bool:
    """True for a generation that somebody holds and for the unfinished folder of a process that still runs."""
    parts = folder.name.split(".")
    if len(parts) == 3 and parts[1].isdigit():
        return _runs(int(parts[1]))
    try:
        EdgeBackend(folder, on_close=lambda: None).close()
    except ShardBusyError:
        return True
    except (StoreError, FileNotFoundError):
        return False
    return False


def _runs(pid: int) -> bool:
    if sys.platform == "win32":
        return True  # signal 0 would end the process there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _write_holder(folder: Path) -> None:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200] or "python"
    (folder / _HOLDER).write_text(json.dumps({"pid": os.getpid(), "command": command}), encoding="utf-8")


def _forget_holder(folder: Path) -> None:
    (folder / _HOLDER).unlink(missing_ok=True)


def _read_holder(folder: Path) -> str:
    try:
        holder = json.loads((folder / _HOLDER).read_text(encoding="utf-8"))
        return f"process {holder['pid']} ({holder['command']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
