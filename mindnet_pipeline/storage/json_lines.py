"""Append-only files of JSON lines that many processes may write: feedback, history.

A record is one line, written by one call under a brief lock, so that writers never mix. A writer that was killed in the
middle leaves a torn line: it costs that line and no other, because the next writer begins a new one, and readers pass
over what they cannot read and say where. A file that reached its size is kept under a name with the time; readers read
the old ones first. Local folders only: object stores cannot append.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar

from mindnet_pipeline.core.errors import StoreError, StoreLockedError

_Record = TypeVar("_Record")

_WAIT_S = 5.0
_POLL_S = 0.005


@dataclass(frozen=True, slots=True)
class Records(Generic[_Record]):
    """What was read, oldest first, and the lines that could not be: `situations.jsonl:17`."""

    values: tuple[_Record, ...]
    unreadable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonLines:
    """The records called `name` in a local folder; `rotate_bytes` is the size at which a new file is begun."""

    folder: Path
    name: str
    rotate_bytes: int

    @property
    def path(self) -> Path:
        """The file that is written to now."""
        return self.folder / f"{self.name}.jsonl"

    def append(self, record: str) -> None:
        """Write one record, a JSON object on one line.

        Raises:
            StoreError: the disk does not take it.
            StoreLockedError: another process holds the lock for seconds: it must have been stopped in the middle.
        """
        line = record.encode(errors="replace") + b"\n"
        try:
            with self._locked():
                self._rotate_before(len(line))
                _append(self.path, line)
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be written ({error.strerror or error}).") from error

    def read(self, parse: Callable[[bytes], _Record]) -> Records[_Record]:
        """All records, oldest first. `parse` raises ValueError for what is none; such lines are passed over.

        Raises:
            StoreError: a file cannot be read.
        """
        values: list[_Record] = []
        unreadable: list[str] = []
        try:
            for name, number, line in self._lines():
                try:
                    values.append(parse(line))
                except ValueError:
                    unreadable.append(f"{name}:{number}")
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read ({error.strerror or error}).") from error
        return Records(tuple(values), tuple(unreadable))

    def _lines(self) -> Iterator[tuple[str, int, bytes]]:
        """Every line with its file and number. All files are opened under the lock: none can be renamed in between."""
        if not self.folder.is_dir():
            return
        with ExitStack() as opened:
            with self._locked():
                places = [*sorted(self.folder.glob(f"{self.name}-*.jsonl")), self.path]
                files = [opened.enter_context(place.open("rb")) for place in places if place.exists()]
            for file in files:
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        yield Path(file.name).name, number, line

    def _rotate_before(self, coming: int) -> None:
        size = self.path.stat().st_size if self.path.exists() else 0
        if size and size + coming > self.rotate_bytes:
            now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
            self.path.rename(self.folder / f"{self.name}-{now}.jsonl")

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        self.folder.mkdir(parents=True, exist_ok=True)
        with brief_lock(self.folder / f"{self.name}.lock"):
            yield


def _append(path: Path, line: bytes) -> None:
    """One write at the end of the file, on a line of its own even if the last writer did not finish his."""
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
    try:
        size = os.fstat(descriptor).st_size
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                line = b"\n" + line
        written = os.write(descriptor, line)
        while written < len(line):
            written += os.write(descriptor, line[written:])
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def brief_lock(path: Path) -> Iterator[None]:
    """Hold a lock file for the moment of a write; the operating system lets go of it when its process dies.

    The system's own lock where there is one: loading the library would take longer than all else that logging needs.

    Raises:
        StoreLockedError: nobody let go of it for seconds.
    """
    try:
        import fcntl  # noqa: PLC0415 - not there on Windows
    except ImportError:
        from filelock import FileLock  # noqa: PLC0415 - 60 ms, only where it is needed

        with FileLock(path, timeout=_WAIT_S):
            yield
        return
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        until = time.monotonic() + _WAIT_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise StoreLockedError(
                        f"{path} is held by another process, which must have been stopped."
                    ) from None
                time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)
