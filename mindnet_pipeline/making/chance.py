"""Chance that repeats: the one place where random numbers for made-up vaults are seeded."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

_T = TypeVar("_T")


def chance(purpose: str, *seeds: int) -> Random:
    """A generator for one purpose. The same arguments give the same numbers on every machine.

    >>> chance("text", 1, 2).random() == chance("text", 1, 2).random()
    True
    """
    return Random(":".join([purpose, *map(str, seeds)]))  # noqa: S311  (texts, not secrets)


def pick(rng: Random, choices: Sequence[_T]) -> _T:
    """One of the choices."""
    return choices[rng.randrange(len(choices))]
