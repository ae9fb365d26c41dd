"""Weights in eight bits, and what keeps outliers among the activations from spoiling the products. Pure arithmetic.

A product in eight bits reads its whole input by one scale. In this family of models a few channels are twenty times as
large as the rest, so the rest would be left with a handful of steps. Two remedies, both changing nothing in exact
arithmetic:

- **smoothing**: what a norm makes is divided by a factor per channel, and the weights that read it are multiplied by
  it (Xiao et al., SmoothQuant, 2022);
- **apart**: the few largest channels inside the feed-forward half are multiplied in float32 beside the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.storage.embedders.e5_file import Floats
from mindnet_pipeline.storage.embedders.encoder_weights import Layer, Linear

_AFTER_NORM = 0.6
_INSIDE = 0.5
"""How much of the spread between channels moves from activations into weights; measured, see docs/decisions."""
_STEPS = 4
_APART = 4
_LARGEST = 127

Bytes = npt.NDArray[np.int8]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Largest:
    """The largest absolute value of each channel that a layer's products read, over some texts."""

    attention: Floats
    inner: Floats
    outer: Floats


@dataclass(frozen=True, slots=True)
class LayerPlan:
    """What each channel is divided by before it is read, and which inner channels stay in float32."""

    attention: Floats
    inner: Floats
    outer: Floats
    apart: Indices


def plan_layers(layers: Iterator[Layer], measured: Sequence[Largest]) -> Iterator[LayerPlan]:
    """The plan of each layer."""
    for layer, largest in zip(layers, measured, strict=True):
        attention = np.concatenate([layer.query.weight, layer.key.weight, layer.value.weight])
        yield LayerPlan(
            attention=divisors(largest.attention, attention, _AFTER_NORM),
            inner=divisors(largest.inner, layer.inner.weight, _AFTER_NORM),
            outer=divisors(largest.outer, layer.outer.weight, _INSIDE),
            apart=np.sort(np.argsort(largest.outer)[-_APART:]),
        )


def divisors(largest: Floats, weight: Floats, share: float) -> Floats:
    """Factors that move this share of the spread between channels into the weight, shape (outputs, channels).

    They are powers of two in quarter steps, so that another machine's last digits change none of them.
    """
    spread = np.maximum(largest, 1e-6) ** share / np.maximum(np.abs(weight).max(axis=0), 1e-6) ** (1 - share)
    exponents = np.log2(spread)
    steps = np.round((exponents - exponents.mean()) * _STEPS)
    powers: Floats = np.exp2(steps / _STEPS).astype(np.float32)
    return powers


def scaled(linear: Linear, factors: Floats) -> Linear:
    """The same product for an input that is divided by the factors."""
    return Linear(linear.weight * factors, linear.bias)


def without(linear: Linear, channels: Indices) -> Linear:
    """The same product with these channels of its input left out."""
    weight = linear.weight.copy()
    weight[:, channels] = 0
    return Linear(weight, linear.bias)


def quantise(weight: Floats) -> tuple[Bytes, Floats]:
    """A weight of shape (outputs, inputs) in eight bits, shape (inputs, outputs), and the scale of each output."""
    scales = np.maximum(np.abs(weight).max(axis=1) / _LARGEST, 1e-12).astype(np.float32)
    steps = np.round(weight / scales[:, None])
    return np.ascontiguousarray(steps.T).astype(np.int8), scales
