"""A model folder in the layout of transformers and sentence-transformers, read without either of them.

Of the kinds whose graph is built here; every other is exported (exporting.py).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.e5_file import Floats
from mindnet_pipeline.storage.embedders.encoder_weights import EncoderWeights, Layer, Linear, Norm
from mindnet_pipeline.storage.embedders.sources import CONFIG, OWN_SETTINGS, WEIGHTS_FILE, modules_of, read_json


@dataclass(frozen=True, slots=True)
class _Architecture:
    """What one family of encoders calls its settings and its tensors; `first_position` of a text in the table.

    RoBERTa keeps the first two rows of positions for padding. `prefix` stands before all names where the weights were
    saved with a head.
    """

    prefix: str
    first_position: int = 0
    hidden: str = "hidden_size"
    layers: str = "num_hidden_layers"
    heads: str = "num_attention_heads"
    activation: str = "hidden_act"
    layer: str = "encoder.layer"
    attention: tuple[str, str, str, str] = (
        "attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
    )  # fmt: skip
    feed_forward: tuple[str, str] = ("intermediate.dense", "output.dense")
    norms: tuple[str, str] = ("attention.output.LayerNorm", "output.LayerNorm")


_ARCHITECTURES = {
    "bert": _Architecture("bert."),
    "roberta": _Architecture("roberta.", first_position=2),
    "xlm-roberta": _Architecture("roberta.", first_position=2),
    "camembert": _Architecture("roberta.", first_position=2),
    "distilbert": _Architecture(
        "distilbert.",
        hidden="dim",
        layers="n_layers",
        heads="n_heads",
        activation="activation",
        layer="transformer.layer",
        attention=("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"),
        feed_forward=("ffn.lin1", "ffn.lin2"),
        norms=("sa_layer_norm", "output_layer_norm"),
    ),
}
_EPSILON = 1e-12
"""Of DistilBERT's norms, which no setting says."""
_WORDS = "embeddings.word_embeddings.weight"
_SEGMENTS = "embeddings.token_type_embeddings.weight"
_BUILT_MODULES = {"Transformer", "Pooling", "Normalize"}
_POOLING = {"mean": "mean", "mean_tokens": "mean", "cls": "cls", "cls_token": "cls"}
_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}


class OtherKindError(EmbedderError):
    """The folder is of a kind that is not built here."""


class TransformersFolder:
    """config.json, model.safetensors and what sentence-transformers puts beside them."""

    def __init__(self, folder: Path) -> None:
        """Read the configuration and the directory of the weights.

        Raises:
            OtherKindError: a file is missing, or the model is not one of those that are built here.
        """
        try:
            self.config: dict[str, Any] = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
            self._bytes = np.memmap(folder / WEIGHTS_FILE, dtype=np.uint8, mode="r").data
        except (OSError, ValueError) as error:
            raise OtherKindError(f"{folder}: no config.json and model.safetensors ({error}).") from error
        kind = str(self.config.get("model_type"))
        plain = self.config.get("position_embedding_type", "absolute") == "absolute"
        found = _ARCHITECTURES.get(kind)
        if found is None or self.config.get(found.activation) != "gelu" or not plain:
            raise OtherKindError(f"{folder}: models of the type `{kind}` are not built here.")
        self._named = found
        (size,) = struct.unpack_from("<Q", self._bytes, 0)
        self._tensors: dict[str, Any] = json.loads(self._bytes[8 : 8 + size].tobytes())
        self._data_at = 8 + size
        self._folder = folder
        self.layers = int(self.config[found.layers])
        self.dimension = int(self.config[found.hidden])
        self._prefix = "" if _WORDS in self._tensors else found.prefix
        if self._tensors.get(self._prefix + _WORDS, {}).get("dtype") not in _TYPES:
            raise OtherKindError(f"{folder}: no word vectors in float32 or float16 in model.safetensors.")
        self._settings = read_json(folder / "sentence_bert_config.json")
        self._own_settings = read_json(folder / OWN_SETTINGS)
        if self._settings.get("do_lower_case") or self._own_settings.get("truncate_dim"):
            raise OtherKindError(f"{folder}: lower-casing and shortened vectors are not built here.")

    def tensor(self, name: str) -> Floats:
        """A tensor as float32."""
        found = self._tensors.get(self._prefix + name)
        if found is None or found["dtype"] not in _TYPES:
            raise OtherKindError(f"{self._folder}: no tensor `{name}` of float32 or float16 in model.safetensors.")
        start, end = found["data_offsets"]
        raw = np.frombuffer(self._bytes[self._data_at + start : self._data_at + end], _TYPES[found["dtype"]])
        tensor: Floats = raw.reshape(found["shape"]).astype(np.float32)
        return tensor

    def word_vectors(self) -> Floats:
        """The table of word vectors."""
        return self.tensor(_WORDS)

    def weights(self) -> EncoderWeights:
        """The rest of the encoder."""
        named = self._named
        positions = self.tensor("embeddings.position_embeddings.weight")[named.first_position :]
        if self._prefix + _SEGMENTS in self._tensors:
            positions = positions + self.tensor(_SEGMENTS)[0]
        layers = (_layer(self.tensor, named, f"{named.layer}.{number}") for number in range(self.layers))
        return EncoderWeights(
            self.config[named.heads],
            self.config.get("layer_norm_eps", _EPSILON),
            positions,
            _norm(self.tensor, "embeddings.LayerNorm"),
            layers,
        )

    def max_sequence(self) -> int:
        """Tokens that it reads at once, special ones included."""
        positions = len(self.tensor("embeddings.position_embeddings.weight")) - self._named.first_position
        tokenizer = read_json(self._folder / "tokenizer_config.json")
        said = self._settings.get("max_seq_length") or tokenizer.get("model_max_length") or positions
        return min(int(said), positions)

    def prompts(self) -> Mapping[str, str]:
        """What its configuration puts before texts, by name."""
        return self._own_settings.get("prompts") or {}

    def pooling(self) -> str:
        """`mean` or `cls`.

        Raises:
            OtherKindError: it is another or several, prompts are left out of it, or more is done after it.
        """
        modules = [module["type"].rsplit(".", 1)[-1] for module in modules_of(self._folder)]
        config = read_json(self._folder / "1_Pooling" / "config.json")
        said = config.get("pooling_mode") or _modes_on(config) or ["mean"]
        mode = said if isinstance(said, str) else "+".join(said)
        is_built = mode in _POOLING and config.get("include_prompt", True) and _BUILT_MODULES.issuperset(modules)
        if not is_built:
            raise OtherKindError(f"{self._folder}: its pooling ({mode}, {modules}) is not built here.")
        return _POOLING[mode]


def _modes_on(pooling: Mapping[str, Any]) -> list[str]:
    prefix = "pooling_mode_"
    return [key.removeprefix(prefix) for key, is_on in pooling.items() if key.startswith(prefix) and is_on]


def _layer(tensor: Callable[[str], Floats], named: _Architecture, at: str) -> Layer:
    query, key, value, output, widen, narrow = (
        Linear(tensor(f"{at}.{name}.weight"), tensor(f"{at}.{name}.bias"))
        for name in (*named.attention, *named.feed_forward)
    )
    after_attention, after_feed_forward = (_norm(tensor, f"{at}.{name}") for name in named.norms)
    return Layer(query, key, value, output, after_attention, widen, narrow, after_feed_forward)


def _norm(tensor: Callable[[str], Floats], name: str) -> Norm:
    return Norm(tensor(f"{name}.weight"), tensor(f"{name}.bias"))
