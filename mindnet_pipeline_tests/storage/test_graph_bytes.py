"""A graph of any kind in eight bits: near the exact one, also for what it was not measured on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from mindnet_pipeline.storage.embedders.calibration import largest_activations
from mindnet_pipeline.storage.embedders.graph_bytes import products_read, write_in_bytes
from mindnet_pipeline.storage.embedders.session import open_session

WIDTH, WORDS = 64, 500
RANDOM = np.random.default_rng(3)
TABLE = RANDOM.standard_normal((WORDS, WIDTH)).astype(np.float32)
TABLE[:, 5] *= 30
TABLE[:, 9] = 0
TABLE[400:, 9] = 3
WEIGHTS = {name: RANDOM.standard_normal((WIDTH, WIDTH)).astype(np.float32) for name in ("first", "second", "third")}
Nodes = Sequence[onnx.NodeProto]
LOOKED_UP = [
    helper.make_node("Gather", ["table", "ids"], ["words"]),
    helper.make_node("MatMul", ["words", "first"], ["one"]),
    helper.make_node("MatMul", ["words", "second"], ["two"]),
    helper.make_node("Tanh", ["one"], ["active"]),
    helper.make_node("MatMul", ["active", "third"], ["three"]),
    helper.make_node("Add", ["two", "three"], ["made"]),
]


def write(path: Path, nodes: Nodes) -> Path:
    constants = [numpy_helper.from_array(array, name) for name, array in {"table": TABLE, **WEIGHTS}.items()]
    graph = helper.make_graph(
        nodes,
        "some",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "tokens"])],
        [helper.make_tensor_value_info("made", TensorProto.FLOAT, [1, "tokens", WIDTH])],
        constants,
    )
    onnx.save_model(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), str(path))
    return path


def in_bytes(exact: Path, ids: np.ndarray) -> Path:
    small = exact.with_name("small.onnx")
    largest = largest_activations(exact, products_read(exact), [{"ids": ids}])
    write_in_bytes(exact, small, "small.bin", largest, lambda _done, _of: None)
    return small


def cosine(exact: Path, small: Path, ids: np.ndarray) -> float:
    first, second = (open_session(path).run(None, {"ids": ids})[0].ravel() for path in (exact, small))
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def test_products_and_tables_in_eight_bits_give_nearly_the_same(tmp_path: Path) -> None:
    exact, ids = write(tmp_path / "exact.onnx", LOOKED_UP), np.arange(50)[None]
    small = in_bytes(exact, ids)
    operators = {node.op_type for node in onnx.load(str(small)).graph.node}
    assert "MatMulIntegerToFloat" in operators
    assert (tmp_path / "small.bin").stat().st_size < exact.stat().st_size / 3
    assert cosine(exact, small, ids) > 0.9995


def test_a_channel_that_was_silent_when_it_was_measured_drowns_nothing(tmp_path: Path) -> None:
    exact = write(tmp_path / "exact.onnx", LOOKED_UP)
    small = in_bytes(exact, np.arange(50)[None])
    assert cosine(exact, small, np.arange(410, 460)[None]) > 0.999


def test_what_a_graph_inside_a_node_reads_is_kept(tmp_path: Path) -> None:
    inner = helper.make_graph(
        [helper.make_node("MatMul", ["two", "third"], ["inside"])],
        "inner",
        [],
        [helper.make_tensor_value_info("inside", TensorProto.FLOAT, None)],
    )
    nodes = [
        *LOOKED_UP[:3],
        helper.make_node("Constant", [], ["yes"], value=numpy_helper.from_array(np.array(True))),
        helper.make_node("If", ["yes"], ["made"], then_branch=inner, else_branch=inner),
    ]
    exact, ids = write(tmp_path / "exact.onnx", nodes), np.arange(50)[None]
    assert cosine(exact, in_bytes(exact, ids), ids) > 0.999


def test_a_graph_without_products_keeps_its_other_nodes(tmp_path: Path) -> None:
    nodes = [LOOKED_UP[0], helper.make_node("Tanh", ["words"], ["made"])]
    exact = write(tmp_path / "exact.onnx", nodes)
    assert products_read(exact) == []
    write_in_bytes(exact, tmp_path / "small.onnx", "small.bin", {}, lambda _done, _of: None)
    assert cosine(exact, tmp_path / "small.onnx", np.arange(50)[None]) == pytest.approx(1, abs=1e-2)
