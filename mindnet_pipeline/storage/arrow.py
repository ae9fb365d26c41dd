"""pyarrow without pandas: at its first value it imports pandas, if that is installed, only to ask what the value is.

That is half a second and 40 MB of every process. None of our values is of pandas, and whoever asks pyarrow for a pandas
table still gets it: pyarrow then looks for pandas again.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import pyarrow as pa


class _Hidden(MetaPathFinder):
    """Says of pandas that it is not installed."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:  # noqa: ARG002 - the import system's signature
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def do_without_pandas() -> None:
    """Let pyarrow look for pandas once, in vain. Nothing happens where pandas is imported already."""
    if "pandas" in sys.modules:
        return
    hidden = _Hidden()
    sys.meta_path.insert(0, hidden)
    try:
        pa.array([""])
    finally:
        sys.meta_path.remove(hidden)
