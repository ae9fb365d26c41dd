"""Encoder weights → an ONNX graph, in float32 or with its products in eight bits. Needs the package `onnx`.

The graph takes the word vectors of one text, shape (1, tokens, hidden), and gives its last hidden states. There is no
mask, since a text is never padded. The table of word vectors, most of a multilingual model, stays outside. The graph's
own weights lie in a file beside it, which ONNX Runtime maps into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import TensorProto, helper

from mindnet_pipeline.storage.embedders.e5_file import Floats
from mindnet_pipeline.storage.embedders.eight_bits import LayerPlan, quantise, scaled, without
from mindnet_pipeline.storage.embedders.encoder_weights import EncoderWeights, Layer, Linear, Norm
from mindnet_pipeline.storage.embedders.onnx_file import CONTRIB, constant, save

Progress = Callable[[int], None]


def write_graph(
    weights: EncoderWeights, path: Path, data: str, on_layer: Progress, plan: Sequence[LayerPlan] = ()
) -> None:
    """Build the graph, in eight bits if there is a plan, and write it and, to a file `data` beside it, its weights.

    `on_layer` is called with the number of layers done.
    """
    graph = _Graph(weights, plan)
    state = graph.embedded()
    for number, layer in enumerate(weights.layers):
        state = graph.layer(layer, number, state)
        on_layer(number + 1)
    graph.write(state.read, path, data)


def tensors_read(layer: int) -> tuple[str, str, str]:
    """The names of what a layer's products read: of attention, and of the two of the feed-forward half."""
    return f"layer{layer - 1}.out" if layer else "embedded", f"layer{layer}.attention", f"layer{layer}.active"


class _State:
    """A layer's input: `read` by its products, perhaps divided by channel, and `kept` to be added to what they make."""

    def __init__(self, read: str, kept: str) -> None:
        self.read, self.kept = read, kept


class _Graph:
    """The nodes and constants so far; each method adds a part and gives the name of its output."""

    def __init__(self, weights: EncoderWeights, plan: Sequence[LayerPlan]) -> None:
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._weights = weights
        self._plan = plan

    def embedded(self) -> _State:
        """Word vectors plus positions, normalised."""
        positions = self._constant("positions", self._weights.positions)
        start = self._constant("start", np.array([0], dtype=np.int64))
        tokens = self._node("Shape", ["words"], "tokens", start=1, end=2)
        used = self._node("Slice", [positions, start, tokens, start], "used_positions")
        summed = self._node("Add", ["words", used], "placed")
        return self._normalised(summed, self._weights.norm, "embedded", self._plan[0].attention if self._plan else None)

    def layer(self, layer: Layer, number: int, state: _State) -> _State:
        """One transformer layer."""
        at, plan = f"layer{number}", self._plan[number] if self._plan else None
        following = self._plan[number + 1].attention if number + 1 < len(self._plan) else None
        inputs = {"query": layer.query, "key": layer.key, "value": layer.value}
        if plan:
            inputs = {name: scaled(linear, plan.attention) for name, linear in inputs.items()}
        parts = self._products(inputs, f"{at}.", state.read)
        heads = self._weights.heads
        mixed = self._node("MultiHeadAttention", parts, f"{at}.mixed", domain=CONTRIB, num_heads=heads)
        (attended,) = self._products({"attended": layer.attention_out}, f"{at}.", mixed)
        norm = layer.attention_norm
        state = self._added(state, attended, norm, f"{at}.attention", plan.inner if plan else None)
        (inner,) = self._products(
            {"inner": scaled(layer.inner, plan.inner) if plan else layer.inner}, f"{at}.", state.read
        )
        active = self._node("Gelu", [inner], f"{at}.active", domain=CONTRIB)
        outer = self._outer(layer.outer, at, active, plan)
        return self._added(state, outer, layer.outer_norm, f"{at}.out", following)

    def write(self, output: str, path: Path, data: str) -> None:
        """The model file and its weights beside it."""
        shape = [1, "tokens", self._weights.positions.shape[1]]
        ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("words", output)]
        made = helper.make_graph(self._nodes, "encoder", ends[:1], ends[1:], self._constants)
        versions = [helper.make_opsetid("", 18), helper.make_opsetid(CONTRIB, 1)]
        save(helper.make_model(made, opset_imports=versions, ir_version=9), path, data)

    def _added(self, state: _State, change: str, norm: Norm, name: str, divisor: Floats | None) -> _State:
        summed = self._node("Add", [state.kept, change], f"{name}.sum")
        return self._normalised(summed, norm, name, divisor)

    def _normalised(self, summed: str, norm: Norm, name: str, divisor: Floats | None) -> _State:
        by = 1 if divisor is None else divisor
        scale = self._constant(f"{name}.norm_scale", norm.scale / by)
        bias = self._constant(f"{name}.norm_bias", norm.bias / by)
        made = self._node("LayerNormalization", [summed, scale, bias], name, epsilon=self._weights.epsilon)
        if divisor is None:
            return _State(made, made)
        return _State(made, self._node("Mul", [made, self._constant(f"{name}.divisor", divisor)], f"{name}.kept"))

    def _outer(self, linear: Linear, at: str, active: str, plan: LayerPlan | None) -> str:
        """The second product of the feed-forward half, its few largest channels apart."""
        if not plan:
            return self._products({"outer": linear}, f"{at}.", active)[0]
        factors = 1 / plan.outer
        factors[plan.apart] = 0
        smooth = self._node("Mul", [active, self._constant(f"{at}.factors", factors)], f"{at}.smooth")
        rest = without(scaled(linear, plan.outer), plan.apart)
        (most,) = self._products({"most": rest}, f"{at}.", smooth)
        few = self._node("Gather", [active, self._constant(f"{at}.apart", plan.apart)], f"{at}.few", axis=2)
        weight = self._constant(f"{at}.few_weight", linear.weight[:, plan.apart].T)
        product = self._node("MatMul", [few, weight], f"{at}.few_product")
        return self._node("Add", [most, product], f"{at}.outer")

    def _products(self, linears: Mapping[str, Linear], at: str, read: str) -> list[str]:
        """Products that read the same tensor."""
        if not self._plan:
            return [self._float_product(linear, at + name, read) for name, linear in linears.items()]
        bytes_, scale, zero = f"{read}.bytes", f"{read}.scale", f"{read}.zero"
        self._nodes.append(helper.make_node("DynamicQuantizeLinear", [read], [bytes_, scale, zero]))
        return [self._byte_product(linear, at + name, (bytes_, scale, zero)) for name, linear in linears.items()]

    def _float_product(self, linear: Linear, name: str, read: str) -> str:
        product = self._node("MatMul", [read, self._constant(f"{name}.weight", linear.weight.T)], f"{name}.product")
        return self._node("Add", [product, self._constant(f"{name}.bias", linear.bias)], name)

    def _byte_product(self, linear: Linear, name: str, quantised: tuple[str, str, str]) -> str:
        weight, scales = quantise(linear.weight)
        bytes_, scale, zero = quantised
        inputs = [
            bytes_,
            self._constant(f"{name}.weight", weight),
            scale,
            self._constant(f"{name}.scales", scales),
            zero,
            "",
            self._constant(f"{name}.bias", linear.bias),
        ]
        return self._node("MatMulIntegerToFloat", inputs, name, domain=CONTRIB)

    def _constant(self, name: str, value: Any) -> str:
        self._constants.append(constant(name, value))
        return name

    def _node(self, operator: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self._nodes.append(helper.make_node(operator, inputs, [output], domain=domain, **attributes))
        return output
