"""How people name a question or a proposal: `last`, its id, or a beginning that no other has. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

_Named = TypeVar("_Named")

LAST = "last"
"""What may stand for the id of the latest one."""


def meant(known: Mapping[str, _Named], written: str) -> list[_Named]:
    """What has this id, else all whose id begins so.

    >>> meant({"ab": 1, "abc": 2, "b": 3}, "ab"), meant({"abc": 1, "abd": 2}, "ab"), meant({"ab": 1}, "")
    ([1], [1, 2], [])
    """
    if written in known:
        return [known[written]]
    return [each for name, each in known.items() if written and name.startswith(written)]
