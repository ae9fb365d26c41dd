"""One writer at a time: a lock file below the data folder, held by a process until it lets go or dies.

The operating system holds the lock (no pid file that a crash could leave behind); a side file says who has it, for
people. A data folder that is a remote URL has no lock: there, the scheduler's limit of one run is what keeps writers
apart (Dagster's pool `vault_writer`).
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from mindnet_pipeline.core.errors import StoreLockedError
from mindnet_pipeline.storage.files import data_path, local_folder, read_if_there, remove, write_atomically

_SHORTEST_WAIT_S = 0.3
"""`is_writer_gone` holds the lock for a moment; nobody must be turned away for that."""


@contextmanager
def writer_lock(data: str, wait_s: float, purpose: str) -> Iterator[None]:
    """Hold the data folder's writer lock. `purpose` is for people: `sync`, `a Dagster run`.

    Raises:
        StoreLockedError: another process still had it after `wait_s` seconds; the message says which and since when.
    """
    folder = local_folder(data)
    if folder is None:
        yield
        return
    lock = _lock(folder)
    try:
        lock.acquire(timeout=max(wait_s, _SHORTEST_WAIT_S), poll_interval=0.05)
    except Timeout:
        raise StoreLockedError(
            f"Another process is writing to {folder}: {writer_of(data)}. Wait until it is done, or stop it."
        ) from None
    try:
        _say_who(data, purpose)
        yield
    finally:
        remove(data_path(data, "locks", "writer.json"))
        lock.release()


def is_writer_gone(data: str) -> bool:
    """True if certainly no process is writing. Of a remote data folder, which has no lock, nobody can say so."""
    folder = local_folder(data)
    if folder is None:
        return False
    if not (folder / "locks").is_dir():
        return True
    lock = _lock(folder)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    lock.release()
    return True


def writer_of(data: str) -> str:
    """Who holds the writer lock, in words, as far as is known."""
    stored = read_if_there(data_path(data, "locks", "writer.json"))
    if stored is None:
        return "it has not said yet which it is"
    holder = json.loads(stored)
    return "{purpose} since {since}, process {pid} on {host} ({command})".format(**holder)


def _lock(folder: Path) -> FileLock:
    (folder / "locks").mkdir(parents=True, exist_ok=True)
    return FileLock(folder / "locks" / "writer.lock")


def _say_who(data: str, purpose: str) -> None:
    holder = {
        "purpose": purpose,
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "command": " ".join(sys.argv)[:200],
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_atomically(data_path(data, "locks", "writer.json"), json.dumps(holder).encode())
