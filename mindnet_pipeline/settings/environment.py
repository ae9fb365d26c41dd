"""Environment variables as settings read them, with a memory of what was asked for.

A name of ours that is set and that nobody asked for is a slip of whoever wrote it. The known names are those that were
asked for, so there is no list of them to keep.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

PREFIX = "MINDNET_"
_READ_ELSEWHERE = frozenset({"MINDNET_SHARED"})
"""By tests and benchmarks."""


class Environment(Mapping[str, str]):
    """Variables by name; those that are asked for are remembered, whether they are set or not."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._asked: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self._asked.add(name)
        return self._variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def unknown(self) -> tuple[str, ...]:
        """A sentence for each variable of ours that is set and was not asked for, with the nearest name that was."""
        known = {name.removeprefix(PREFIX): name for name in self._asked}
        strangers = {name for name, value in self._variables.items() if name.startswith(PREFIX) and value}
        return tuple(_unknown(name, known) for name in sorted(strangers - self._asked - _READ_ELSEWHERE))


def _unknown(name: str, known: Mapping[str, str]) -> str:
    near = difflib.get_close_matches(name.removeprefix(PREFIX), known, n=1)
    advice = f"Did you mean {known[near[0]]}?" if near else f"Known: {', '.join(sorted(known.values()))}."
    return f"the variable {name} is not known and changes nothing. {advice}"
