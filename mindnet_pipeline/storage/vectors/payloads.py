"""Payloads as every engine can take them: JSON values only."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

_INTEGERS = range(-(2**63), 2**63)


def plain(value: Any) -> Any:
    """The value in JSON types that every store takes.

    Tuples become lists, keys and integers beyond 64 bits strings, NaN and infinities None, lone surrogates `?`.

    >>> plain({"tags": ("a", "b"), 1: [float("nan"), 2**70]})
    {'tags': ['a', 'b'], '1': [None, '1180591620717411303424']}
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return _plain_number(value)
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return plain(value.item()) if hasattr(value, "item") else plain(str(value))


def _plain_number(value: float) -> int | float | str | None:
    if isinstance(value, int):
        return value if value in _INTEGERS else str(value)
    return value if math.isfinite(value) else None


def flags(payload: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """`path=true` or `path=false` for every boolean of a payload, lists included.

    >>> list(flags({"a": True, "b": {"c": [False, 1]}}))
    ['a=true', 'b.c=false']
    """
    for key, value in payload.items():
        path = f"{above}{key}"
        if isinstance(value, Mapping):
            yield from flags(value, f"{path}.")
            continue
        for item in value if isinstance(value, list) else (value,):
            if isinstance(item, bool):
                yield flag(path, item)


def flag(path: str, value: bool) -> str:
    """How `flags` writes one boolean."""
    return f"{path}={'true' if value else 'false'}"
