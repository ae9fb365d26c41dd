"""The weights of a BERT-like text encoder as float32 arrays, from the bundled file or from a transformers model folder.

Not here: what is done with them (encoder_graph.py). Matrices have the shape (outputs, inputs), as both sources keep
them.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.e5_file import E5File, Floats

_FIRST_POSITION = {"bert": 0, "roberta": 2, "xlm-roberta": 2}
"""Where a text's positions start in the table: RoBERTa keeps the first two rows for padding."""
_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


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


class ModelFolder:
    """A model folder in the layout of transformers: config.json and model.safetensors."""

    def __init__(self, folder: Path) -> None:
        """Read the configuration and the directory of the weights.

        Raises:
            EmbedderError: a file is missing, or the architecture is not one of those that this engine builds.
        """
        try:
            self.config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
            self._bytes = np.memmap(folder / "model.safetensors", dtype=np.uint8, mode="r").data
        except (OSError, ValueError) as error:
            raise EmbedderError(
                f"{folder}: not a model folder with config.json and model.safetensors ({error})."
            ) from error
        self.kind = str(self.config.get("model_type"))
        plain = self.config.get("position_embedding_type", "absolute") == "absolute"
        if self.kind not in _FIRST_POSITION or self.config.get("hidden_act") != "gelu" or not plain:
            raise EmbedderError(
                f"{folder}: the onnx engine does not build models of the type `{self.kind}`. "
                "Use the engine sentence-transformers for it."
            )
        (size,) = struct.unpack_from("<Q", self._bytes, 0)
        self._tensors: dict[str, Any] = json.loads(self._bytes[8 : 8 + size].tobytes())
        self._data_at = 8 + size
        self._prefix = "" if "embeddings.word_embeddings.weight" in self._tensors else f"{self.kind.split('-')[-1]}."

    def tensor(self, name: str) -> Floats:
        """A tensor as float32."""
        found = self._tensors.get(self._prefix + name)
        if found is None or found["dtype"] not in _TYPES:
            raise EmbedderError(
                f"model.safetensors: no tensor `{name}` of float32 or float16. Use another engine for it."
            )
        start, end = found["data_offsets"]
        raw = np.frombuffer(self._bytes[self._data_at + start : self._data_at + end], _TYPES[found["dtype"]])
        tensor: Floats = raw.reshape(found["shape"]).astype(np.float32)
        return tensor

    def word_vectors(self) -> Floats:
        """The table of word vectors."""
        return self.tensor("embeddings.word_embeddings.weight")

    def weights(self) -> EncoderWeights:
        """The rest of the encoder."""
        first = _FIRST_POSITION[self.kind]
        positions = self.tensor("embeddings.position_embeddings.weight")[first:]
        positions = positions + self.tensor("embeddings.token_type_embeddings.weight")[0]
        layers = (_layer(self.tensor, f"encoder.layer.{number}") for number in range(self.config["num_hidden_layers"]))
        return EncoderWeights(
            self.config["num_attention_heads"],
            self.config["layer_norm_eps"],
            positions,
            _norm(self.tensor, "embeddings.LayerNorm"),
            layers,
        )


def _layer(tensor: Callable[[str], Floats], at: str) -> Layer:
    def linear(name: str) -> Linear:
        return Linear(tensor(f"{at}.{name}.weight"), tensor(f"{at}.{name}.bias"))

    return Layer(
        linear("attention.self.query"),
        linear("attention.self.key"),
        linear("attention.self.value"),
        linear("attention.output.dense"),
        _norm(tensor, f"{at}.attention.output.LayerNorm"),
        linear("intermediate.dense"),
        linear("output.dense"),
        _norm(tensor, f"{at}.output.LayerNorm"),
    )


def _norm(tensor: Callable[[str], Floats], name: str) -> Norm:
    return Norm(tensor(f"{name}.weight"), tensor(f"{name}.bias"))
