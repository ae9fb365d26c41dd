"""Any graph in float32 → the same with its products and its tables in eight bits. Needs the package `onnx`.

The remedies against outliers are those of eight_bits.py. Which product is which is not known of a graph of any kind,
so each gets the same: what it reads is smoothed, and its few largest channels are multiplied in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from mindnet_pipeline.storage.embedders.e5_file import Floats
from mindnet_pipeline.storage.embedders.eight_bits import divisors, quantise
from mindnet_pipeline.storage.embedders.onnx_file import CONTRIB, constant, save

_SHARE = 0.5
_APART = 4
_QUIET = 0.1
"""Of the mean over channels: one that was silent so far is not raised beyond, or it drowns the rest when it speaks."""
_SMALLEST = 32
"""Channels and outputs from which a product is worth it."""
Progress = Callable[[int, int], None]


def products_read(graph: Path) -> list[str]:
    """The names of the tensors that products with weights read."""
    return list(_products(onnx.load(str(graph))))


def write_in_bytes(exact: Path, graph: Path, data: str, largest: Mapping[str, Floats], on_product: Progress) -> None:
    """Write the graph in eight bits and, to a file `data` beside it, its weights.

    `largest` is the largest absolute value of each channel of what products read (`products_read`).
    """
    model = onnx.load(str(exact))
    products = _products(model)
    rewriting = _Rewriting(model)
    for number, (read, nodes) in enumerate(products.items()):
        rewriting.products(read, nodes, largest[read])
        on_product(number + 1, len(products))
    rewriting.tables()
    save(rewriting.model(), graph, data)


def _products(model: Any) -> dict[str, list[Any]]:
    """By what they read, the products of two with a weight."""
    weights = {tensor.name for tensor in model.graph.initializer if _is_large(tensor)}
    found: dict[str, list[Any]] = {}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in weights:
            found.setdefault(node.input[0], []).append(node)
    return found


def _is_large(tensor: Any) -> bool:
    return tensor.data_type == onnx.TensorProto.FLOAT and len(tensor.dims) == 2 and min(tensor.dims) >= _SMALLEST


class _Rewriting:
    """A graph whose nodes are replaced one after the other; `_instead` says by which."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._constants = {tensor.name: tensor for tensor in model.graph.initializer}
        self._instead: dict[str, list[Any]] = {}

    def products(self, read: str, nodes: Sequence[Any], largest: Floats) -> None:
        """Products that read the same tensor."""
        weights = [self._array(node.input[1]).T for node in nodes]
        largest = np.maximum(largest, largest.mean() * _QUIET)
        factors = divisors(largest, np.concatenate(weights), _SHARE)
        apart = np.sort(np.argsort(largest / factors)[-_APART:])
        inverse = 1 / factors
        inverse[apart] = 0
        bytes_, scale, zero = f"{read}.bytes", f"{read}.scale", f"{read}.zero"
        made = [
            helper.make_node("Mul", [read, self._constant(f"{read}.factors", inverse)], [f"{read}.smooth"]),
            helper.make_node("DynamicQuantizeLinear", [f"{read}.smooth"], [bytes_, scale, zero]),
            helper.make_node("Gather", [read, self._constant(f"{read}.apart", apart)], [f"{read}.few"], axis=-1),
        ]
        for node, weight in zip(nodes, weights, strict=True):
            name = node.output[0]
            steps, scales = quantise(weight * factors * (inverse != 0))
            inputs = [
                bytes_,
                self._constant(f"{name}.weight", steps),
                scale,
                self._constant(f"{name}.scales", scales),
                zero,
            ]
            few = self._constant(f"{name}.few_weight", weight[:, apart].T)
            made += [
                helper.make_node("MatMulIntegerToFloat", inputs, [f"{name}.most"], domain=CONTRIB),
                helper.make_node("MatMul", [f"{read}.few", few], [f"{name}.few"]),
                helper.make_node("Add", [f"{name}.most", f"{name}.few"], [name]),
            ]
            self._instead[name] = []
        self._instead[nodes[0].output[0]] = made

    def tables(self) -> None:
        """Rows of numbers that are looked up, as word vectors are: one scale a row."""
        for node in self._model.graph.node:
            tensor = self._constants.get(node.input[0]) if node.op_type == "Gather" else None
            if tensor is None or not _is_large(tensor) or _axis(node):
                continue
            name = node.output[0]
            steps, scales = quantise(self._array(tensor.name))
            rows = self._constant(f"{name}.table", steps.T)
            by_row = self._constant(f"{name}.table_scales", scales[:, None])
            self._instead[name] = [
                helper.make_node("Gather", [rows, node.input[1]], [f"{name}.row"]),
                helper.make_node("Gather", [by_row, node.input[1]], [f"{name}.row_scale"]),
                helper.make_node("Cast", [f"{name}.row"], [f"{name}.row_as_float"], to=onnx.TensorProto.FLOAT),
                helper.make_node("Mul", [f"{name}.row_as_float", f"{name}.row_scale"], [name]),
            ]

    def model(self) -> Any:
        """The model with the new nodes, without constants that are no longer read."""
        graph = self._model.graph
        nodes = [new for node in graph.node for new in self._instead.get(node.output[0], [node])]
        used = set(_names_read(nodes)) | {output.name for output in graph.output}
        constants = [tensor for name, tensor in self._constants.items() if name in used]
        for field, content in ((graph.node, nodes), (graph.initializer, constants)):
            del field[:]
            field.extend(content)
        if all(opset.domain != CONTRIB for opset in self._model.opset_import):
            self._model.opset_import.append(helper.make_opsetid(CONTRIB, 1))
        return self._model

    def _array(self, name: str) -> Floats:
        array: Floats = numpy_helper.to_array(self._constants[name])
        return array

    def _constant(self, name: str, value: Any) -> str:
        self._constants[name] = constant(name, value)
        return name


def _names_read(nodes: Iterable[Any]) -> Iterator[str]:
    """By nodes and by the graphs inside them, which read what is outside too."""
    for node in nodes:
        yield from node.input
        for attribute in node.attribute:
            yield from _names_read(attribute.g.node)


def _axis(gather: Any) -> int:
    return next((attribute.i for attribute in gather.attribute if attribute.name == "axis"), 0)
