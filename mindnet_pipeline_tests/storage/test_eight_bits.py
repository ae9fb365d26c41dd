"""Smoothing and splitting change no product; eight bits come near it, outliers or not."""

from __future__ import annotations

import numpy as np
import pytest

from mindnet_pipeline.storage.embedders.eight_bits import Largest, divisors, plan_layers, quantise, scaled, without
from mindnet_pipeline.storage.embedders.encoder_weights import Layer, Linear, Norm

WIDTH = 16
RANDOM = np.random.default_rng(7)


def linear(outputs: int = WIDTH) -> Linear:
    return Linear(RANDOM.standard_normal((outputs, WIDTH)).astype(np.float32), np.zeros(outputs, np.float32))


def inputs() -> np.ndarray:
    """Rows with one channel far outside the rest."""
    made = RANDOM.standard_normal((50, WIDTH)).astype(np.float32)
    made[:, 3] *= 40
    return made


def in_eight_bits(read: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The product as it is computed: one scale and one zero for all that is read, one scale for each output."""
    steps, scales = quantise(weight)
    low, high = min(read.min(), 0), max(read.max(), 0)
    scale = (high - low) / 255
    zero = np.round(-low / scale)
    quantised = np.clip(np.round(read / scale) + zero, 0, 255) - zero
    return (quantised @ steps.astype(np.float64)) * scale * scales


def error(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def test_a_weight_in_eight_bits_is_near_the_weight() -> None:
    weight = linear().weight
    steps, scales = quantise(weight)
    assert (steps.T * scales[:, None]) == pytest.approx(weight, abs=float(scales.max()) / 2 + 1e-6)


def test_an_output_without_weights_is_no_error() -> None:
    steps, scales = quantise(np.zeros((2, 3), np.float32))
    assert not steps.any()
    assert np.isfinite(scales).all()


def test_dividing_and_multiplying_by_the_same_factors_changes_no_product() -> None:
    read, product = inputs(), linear()
    factors = divisors(np.abs(read).max(axis=0), product.weight, 0.6)
    assert (read / factors) @ scaled(product, factors).weight.T == pytest.approx(read @ product.weight.T, rel=1e-3)


def test_smoothing_lessens_what_an_outlier_spoils() -> None:
    read, product = inputs(), linear()
    quiet = [channel for channel in range(WIDTH) if channel != 3]
    product.weight[:, 3] *= 0.02  # as models do: a channel that is large is weighed little
    wanted = read @ product.weight.T
    factors = divisors(np.abs(read).max(axis=0), product.weight, 0.6)
    plain = in_eight_bits(read, product.weight)
    smooth = in_eight_bits(read / factors, scaled(product, factors).weight)
    assert factors[3] > max(factors[quiet])
    assert error(smooth, wanted) < 0.5 * error(plain, wanted)


def test_channels_apart_and_the_rest_make_the_whole_product() -> None:
    read, product, apart = inputs(), linear(), np.array([3, 5])
    rest = read @ without(product, apart).weight.T
    assert rest + read[:, apart] @ product.weight[:, apart].T == pytest.approx(read @ product.weight.T, rel=1e-3)


def test_the_largest_inner_channels_are_put_apart() -> None:
    norm = Norm(np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32))
    layer = Layer(linear(), linear(), linear(), linear(), norm, linear(), linear(), norm)
    inner = np.ones(WIDTH, np.float32)
    inner[[2, 7, 11, 13]] = 30
    ones = np.ones(WIDTH, np.float32)
    (plan,) = plan_layers(iter([layer]), [Largest(ones, ones, inner)])
    assert plan.apart.tolist() == [2, 7, 11, 13]
