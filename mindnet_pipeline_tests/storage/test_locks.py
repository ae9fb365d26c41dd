"""One writer at a time: a second process is told who is writing, and a killed one holds nobody up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import StoreLockedError
from mindnet_pipeline.storage.locks import is_writer_gone, writer_lock, writer_of

HOLD = """
import sys
from mindnet_pipeline.storage.locks import writer_lock
with writer_lock(sys.argv[1], 0, "ein anderer sync"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(data: str) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until its input ends."""
    command = [sys.executable, "-c", HOLD, data]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "held\n"
            yield process
        finally:
            process.kill()


def test_a_second_process_is_told_who_is_writing(quick_folder: Path) -> None:
    data = str(quick_folder)
    with (
        held_elsewhere(data) as other,
        pytest.raises(StoreLockedError, match=f"ein anderer sync since .*process {other.pid}") as caught,
        writer_lock(data, 0, "sync"),
    ):
        pass
    assert "Wait until it is done" in str(caught.value)


def test_a_killed_process_lets_go(quick_folder: Path) -> None:
    data = str(quick_folder)
    with held_elsewhere(data) as other:
        assert not is_writer_gone(data)
        other.kill()
        other.wait()
        assert is_writer_gone(data)
        with writer_lock(data, 0, "sync"):
            assert "sync since" in writer_of(data)
            assert f"process {os.getpid()}" in writer_of(data)


def test_a_process_that_ends_well_lets_go(quick_folder: Path) -> None:
    data = str(quick_folder)
    with held_elsewhere(data) as other:
        other.communicate("")
        assert other.returncode == 0
        assert is_writer_gone(data)
        assert list((quick_folder / "locks").glob("*.json")) == []


def test_an_error_inside_lets_go(quick_folder: Path) -> None:
    data = str(quick_folder)
    with pytest.raises(ZeroDivisionError), writer_lock(data, 0, "sync"):
        1 / 0  # noqa: B018 - any error
    assert is_writer_gone(data)


def test_asking_whether_someone_writes_makes_no_folder(quick_folder: Path) -> None:
    assert is_writer_gone(str(quick_folder / "neu"))
    assert not (quick_folder / "neu").exists()


def test_the_writer_itself_is_not_gone(quick_folder: Path) -> None:
    with writer_lock(str(quick_folder), 0, "sync"):
        assert not is_writer_gone(str(quick_folder))


def test_a_remote_folder_has_no_lock_that_could_tell() -> None:
    with writer_lock("memory://gesperrt", 0, "sync"), writer_lock("memory://gesperrt", 0, "sync"):
        assert not is_writer_gone("memory://gesperrt")
