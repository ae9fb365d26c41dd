"""Files of the data folder: where they are and how they are written so that a crash never tears one.

The data folder is a path or an fsspec URL; everything here works on both. What the files hold is none of this module's
business.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from upath import UPath

_TEMPORARY = ".tmp-"
"""Readers of Parquet folders ignore names that start with a dot."""


def data_path(data: str, *parts: str) -> UPath:
    """A place below the data folder (a path or an fsspec URL)."""
    from upath import UPath  # noqa: PLC0415 - a question needs none of it, and it takes as long as all else of ours

    return UPath(data.removeprefix("file://"), *parts)


def local_folder(data: str) -> Path | None:
    """The data folder as a local path; None if it is a remote URL."""
    if "://" not in data:
        return Path(data)
    place = data_path(data)
    return Path(str(place)) if _is_local(place) else None


def read_if_there(path: UPath) -> bytes | None:
    """A file's bytes; None if there is no such file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write_atomically(path: UPath, data: bytes | memoryview) -> None:
    """Write a whole file; other readers, and those after a crash, see the old content or the new, never a part.

    Local files go to a temporary file beside the target, are flushed to the disk and then take the target's name.
    Object stores replace a whole object by themselves.
    """
    if _is_local(path):
        _write_local(Path(str(path)), data)
    else:
        path.fs.pipe_file(path.path, bytes(data))


def remove(path: UPath) -> None:
    """Remove a file; nothing happens if it is not there."""
    path.unlink(missing_ok=True)


def remove_leftovers(folder: UPath, *, older_than_s: float = 0.0) -> int:
    """Remove the temporary files that killed writers left in a folder; returns how many.

    With `older_than_s=0` no other process may be writing there.
    """
    if not _is_local(folder):
        return 0
    removed = 0
    for leftover in Path(str(folder)).glob(f"{_TEMPORARY}*"):
        with contextlib.suppress(FileNotFoundError):
            if older_than_s <= 0 or time.time() - leftover.stat().st_mtime > older_than_s:
                leftover.unlink()
                removed += 1
    return removed


def _is_local(path: UPath) -> bool:
    return path.protocol in {"", "file", "local"}


def _write_local(target: Path, data: bytes | memoryview) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.parent / f"{_TEMPORARY}{uuid.uuid4().hex}"
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable. Not every platform can open a folder; there the rename is durable by itself."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
