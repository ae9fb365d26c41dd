"""An ONNX model on disk: its graph, and beside it its weights, which ONNX Runtime maps. Needs the package `onnx`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

CONTRIB = "com.microsoft"
"""The domain of ONNX Runtime's own operators."""
_INLINE_BYTES = 1024


def save(model: Any, graph: Path, data: str) -> None:
    """Write the graph and, to a file `data` in its folder, its weights."""
    onnx.save_model(model, str(graph), save_as_external_data=True, location=data, size_threshold=_INLINE_BYTES)


def constant(name: str, value: Any) -> Any:
    """An array as a graph holds it."""
    return numpy_helper.from_array(np.ascontiguousarray(value), name)
