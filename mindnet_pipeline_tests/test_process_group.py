"""A program that ends takes the processes that it started with it, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="/proc says what has ended")

_SLEEPER = "import time; time.sleep(600)"
STARTS_ANOTHER = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {_SLEEPER!r}])
print(child.pid, flush=True)
"""
_MAIN = """
import sys
from mindnet_pipeline import cli
from mindnet_pipeline.process_group import run_as_group
import typer
app = typer.Typer()
@app.command()
def main(script: str) -> None:
    raise typer.Exit(run_as_group([sys.executable, "-c", script]))
sys.exit(cli.run(app, sys.argv[1:], name="test"))
"""


@contextmanager
def running(script: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that runs the script as a group, and the id of what the script started."""
    command = [sys.executable, "-c", _MAIN, script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def assert_gone(pid: int) -> None:
    deadline = time.monotonic() + 10
    while is_running(pid):
        assert time.monotonic() < deadline, f"process {pid} was left behind"
        time.sleep(0.02)


@pytest.mark.parametrize(("ending", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_told_to_end_it_leaves_nothing_behind(ending: int, code: int) -> None:
    with running(f"{STARTS_ANOTHER}\n{_SLEEPER}") as (process, child):
        process.send_signal(ending)
        assert process.wait(30) == code
    assert_gone(child)


def test_a_program_that_fails_leaves_nothing_behind() -> None:
    with running(f"{STARTS_ANOTHER}\nsys.exit(3)") as (process, child):
        assert process.wait(30) == 3
    assert_gone(child)


def test_a_program_that_will_not_end_is_killed_when_told_again() -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    with running(f"{deaf}\n{STARTS_ANOTHER}\n{_SLEEPER}") as (process, child):
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        assert is_running(child)
        process.send_signal(signal.SIGINT)
        process.wait(30)
    assert_gone(child)
