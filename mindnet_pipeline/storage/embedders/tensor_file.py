"""The directory at the head of a safetensors file: which tensors it holds, and where. Nothing of their numbers."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """A tensor's type (`F32`, `F16`, …), its shape, and its bytes in the file."""

    type: str
    shape: tuple[int, ...]
    start: int
    end: int


def tensors_in(file: Any) -> Mapping[str, Place]:
    """The tensors of a mapped file, by name.

    Raises:
        ValueError: it is no such file, or does not end where its last tensor does.
    """
    try:
        (size,) = struct.unpack_from("<Q", file, 0)
        directory = json.loads(bytes(file[8 : 8 + size]))
        directory.pop("__metadata__", None)
        places = {name: _place(tensor, 8 + size) for name, tensor in directory.items()}
    except (struct.error, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError("no safetensors file, perhaps a pointer to one") from error
    if max((place.end for place in places.values()), default=0) != len(file):
        raise ValueError("it is cut off, or has more than its directory says")
    return places


def _place(tensor: Mapping[str, Any], data_at: int) -> Place:
    start, end = tensor["data_offsets"]
    return Place(tensor["dtype"], tuple(tensor["shape"]), data_at + start, data_at + end)
