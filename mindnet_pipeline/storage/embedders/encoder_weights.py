"""The weights of a BERT-like text encoder as float32 arrays, and how they are read from the bundled file.

Not here: how they are read from a model folder (transformers_folder.py), what is done with them (encoder_graph.py).
Matrices have the shape (outputs, inputs), as both sources keep them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mindnet_pipeline.storage.embedders.e5_file import E5File, Floats


@dataclass(frozen=True, slots=True)
class Linear:
    """`x · weightᵀ + bias`."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Norm:
    """Layer normalisation."""

    scale: Floats
    bias: Floats


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer layer, normalised after each half."""

    query: Linear
    key: Linear
    value: Linear
    attention_out: Linear
    attention_norm: Norm
    inner: Linear
    outer: Linear
    outer_norm: Norm


@dataclass(frozen=True, slots=True)
class EncoderWeights:
    """All but the word vectors. `positions` (n, hidden) already holds the vector of the token type."""

    heads: int
    epsilon: float
    positions: Floats
    norm: Norm
    layers: Iterator[Layer]


def from_e5_file(file: E5File) -> EncoderWeights:
    """The bundled multilingual-e5-small, its 4-bit weights as float32."""

    def linear(name: str, width: int) -> Linear:
        return Linear(file.weights(f"{name}.w", width), file.floats(f"{name}.b"))

    def norm(name: str) -> Norm:
        return Norm(file.floats(f"{name}.w"), file.floats(f"{name}.b"))

    def layer(at: str) -> Layer:
        query, key, value, out = (linear(f"{at}.{part}", file.hidden) for part in ("q", "k", "v", "ao"))
        inner, outer = linear(f"{at}.fi", file.hidden), linear(f"{at}.fo", file.inner)
        return Layer(query, key, value, out, norm(f"{at}.aln"), inner, outer, norm(f"{at}.oln"))

    positions = file.floats("emb.pos").reshape(-1, file.hidden) + file.floats("emb.type")[: file.hidden]
    layers = (layer(f"l{number}") for number in range(file.layers))
    return EncoderWeights(file.heads, file.epsilon, positions, norm("emb.ln"), layers)
