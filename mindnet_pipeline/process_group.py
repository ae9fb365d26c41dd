"""A program and all the processes that it starts, as one group that ends together.

For programs such as Dagster's, which start others and may end before they have told them to.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import NoReturn

import typer

_PATIENCE_S = 20.0
"""How long the program may take to end in order."""
_ENDINGS = ("SIGTERM", "SIGHUP")
"""What ends this process beside Ctrl-C; there is no SIGHUP on Windows."""


def run_as_group(command: Sequence[str]) -> int:
    """Run a command until it ends or this process is to end; then end whatever of its group is left.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
        typer.Exit: the process was told to end.
    """
    with _endings_raised(), _start(command) as program:
        try:
            return program.wait()
        finally:
            _end(program)


def _start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a group. In the background of a shell Ctrl-C is ignored; a Dagster that inherits this ignores every end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, start_new_session=True)  # noqa: S603 - our own interpreter and module
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _endings_raised() -> Iterator[None]:
    """Within the block, signals that would end this process at once end it by an exception; ignored ones stay so."""

    def end(number: int, _frame: object) -> NoReturn:
        raise typer.Exit(128 + number)

    numbers = [getattr(signal, name) for name in _ENDINGS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(program: subprocess.Popen[bytes]) -> None:
    """End the program, which may end what it started in order; then the rest; then (or when asked again) at once."""
    try:
        program.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(_PATIENCE_S)
        _send(program, signal.SIGTERM)
        deadline = time.monotonic() + _PATIENCE_S / 4
        while _send(program, 0) and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        _send(program, signal.SIGKILL if sys.platform != "win32" else 0)


def _send(program: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to the group; False if nothing of it is left, or where there are no groups."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(program.pid, number)
    except ProcessLookupError:
        return False
    return True
