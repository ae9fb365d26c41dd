"""How fast this machine could embed at best: the operations of multilingual-e5-small over measured matrix products."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from mindnet_pipeline.storage.embedders.batching import cores

LAYERS, HIDDEN, INNER = 12, 384, 1536
_ROWS = 1024
_SECONDS = 0.3


def limits(tokens: Sequence[int]) -> tuple[float, float]:
    """Texts per second of one core, in eight bits and in float32, if only matrix products took time, at full rate."""
    weights = sum(2.0 * count * LAYERS * (4 * HIDDEN * HIDDEN + 2 * HIDDEN * INNER) for count in tokens)
    attention = sum(4.0 * count * count * LAYERS * HIDDEN for count in tokens)
    floats, integers = rate(np.float32), rate(np.int8)
    print(f"matrix products: {integers / 1e9:.0f} Gop/s a core in int8, {floats / 1e9:.0f} in float32", flush=True)
    return (
        len(tokens) / (weights / integers + attention / floats),
        len(tokens) / ((weights + attention) / floats),
    )


def rate(kind: type[np.generic]) -> float:
    """Operations of ONNX Runtime's matrix product, in the model's largest shape, per second of a core, at best.

    All cores are busy with it, as they are when texts are embedded; seconds are those of the processor, so that other
    work on the machine counts little.
    """
    multiply = _product(kind)
    with ThreadPoolExecutor(cores()) as pool:
        return max(rate for _ in range(5) for rate in pool.map(lambda _: _measured(multiply), range(cores())))


def _measured(multiply: Callable[[], object]) -> float:
    multiply()
    start, done = time.thread_time(), 0
    while time.thread_time() - start < _SECONDS:
        multiply()
        done += 1
    return done * 2.0 * _ROWS * HIDDEN * INNER / (time.thread_time() - start)


def _product(kind: type[np.generic]) -> Callable[[], object]:
    left = np.ones((_ROWS, HIDDEN), np.uint8 if kind is np.int8 else np.float32)
    right = numpy_helper.from_array(np.ones((HIDDEN, INNER), kind), "right")
    operator = "MatMulInteger" if kind is np.int8 else "MatMul"
    element = TensorProto.UINT8 if kind is np.int8 else TensorProto.FLOAT
    made = TensorProto.INT32 if kind is np.int8 else TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node(operator, ["left", "right"], ["product"])],
        "product",
        [helper.make_tensor_value_info("left", element, left.shape)],
        [helper.make_tensor_value_info("product", made, (_ROWS, INNER))],
        [right],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"left": left})
