"""Progress of long work: steps report, whoever listens (a bar in a terminal, a log line in the UI) shows it.

A context variable, so that steps need no parameter for it and two pipelines in one process do not mix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int, int], None]
"""Called with (step, done, total)."""

_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("mindnet_progress_listeners", default=())


def report(step: str, done: int, total: int) -> None:
    """Tell all listeners that `done` of `total` notes or texts of this step are finished."""
    for listener in _listeners.get():
        listener(step, done, total)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send all reports made inside the block to `listener` too."""
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)
