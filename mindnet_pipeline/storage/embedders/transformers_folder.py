"""A model folder in the layout of transformers and sentence-transformers, read without either of them.

Of the kinds whose graph is built here; every other is exported (exporting.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.architectures import ARCHITECTURES, Architecture
from mindnet_pipeline.storage.embedders.e5_file import Floats
from mindnet_pipeline.storage.embedders.encoder_weights import EncoderWeights, Layer, Linear, Norm
from mindnet_pipeline.storage.embedders.model_settings import CONFIG, OWN_SETTINGS, modules_of, read_settings
from mindnet_pipeline.storage.embedders.tensor_file import tensors_in

_EPSILON = 1e-12
"""Of DistilBERT's norms, which no setting says."""
WEIGHTS_FILE, TOKENIZER_FILE = "model.safetensors", "tokenizer.json"
_LENGTHS = [f"sentence_{kind}_config.json" for kind in ("bert", "roberta", "distilbert", "camembert", "xlm-roberta")]
"""Where sentence-transformers keeps how much is read; only the first says so in its newer versions."""
_WORDS = "embeddings.word_embeddings.weight"
_SEGMENTS = "embeddings.token_type_embeddings.weight"
_BUILT_MODULES = {"Transformer", "Pooling", "Normalize"}
_NEEDED_MODULES = {"Transformer", "Pooling"}
_POOLING = {"mean": "mean", "mean_tokens": "mean", "cls": "cls", "cls_token": "cls"}
_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2")}
_INDICES = "I64"
_AS_THE_FILE_SAYS = {"PreTrainedTokenizerFast", "TokenizersBackend"}
_NORMALISED = {
    "do_lower_case": ("lowercase", True),
    "tokenize_chinese_chars": ("handle_chinese_chars", True),
    "strip_accents": ("strip_accents", None),
}
"""What tokenizer_config.json calls what BERT's normaliser does with a text, and what is done if it does not say."""


class OtherKindError(EmbedderError):
    """The folder is of a kind that is not built here."""


class TransformersFolder:
    """config.json, model.safetensors, tokenizer.json and what sentence-transformers puts beside them."""

    def __init__(self, folder: Path) -> None:
        """Read the settings and the directory of the weights.

        Raises:
            OtherKindError: a file is missing, or the model is not one of those that are built here.
            EmbedderError: a file is damaged.
        """
        if not all((folder / name).is_file() for name in (WEIGHTS_FILE, TOKENIZER_FILE)):
            raise OtherKindError(f"{folder}: no {WEIGHTS_FILE} and {TOKENIZER_FILE}.")
        self._folder = folder
        self.config = read_settings(folder / CONFIG)
        self._read_architecture()
        self._modules = modules_of(folder)
        self._lengths, self._own_settings = self._settings_of_its_own() if self._modules else ({}, {})
        if self._lengths.get("do_lower_case") or self._own_settings.get("truncate_dim"):
            raise OtherKindError(f"{folder}: lower-casing and shortened vectors are not built here.")
        self._tokenizer = read_settings(folder / "tokenizer_config.json")
        if not _is_read_alike(read_settings(folder / TOKENIZER_FILE), self._tokenizer):
            raise OtherKindError(f"{folder}: transformers reads its tokenizer otherwise than {TOKENIZER_FILE} says.")
        self._read_directory()

    def _settings_of_its_own(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What sentence-transformers adds; of a folder that has no list of modules it reads neither."""
        lengths = next(filter(None, (read_settings(self._folder / name) for name in _LENGTHS)), {})
        return lengths, read_settings(self._folder / OWN_SETTINGS)

    def _read_architecture(self) -> None:
        kind = str(self.config.get("model_type"))
        plain = self.config.get("position_embedding_type", "absolute") == "absolute"
        found = ARCHITECTURES.get(kind)
        if found is None or self.config.get(found.activation) != "gelu" or not plain:
            raise OtherKindError(f"{self._folder}: models of the type `{kind}` are not built here.")
        if not self.config.keys() >= {found.layers, found.hidden, found.heads}:
            raise OtherKindError(f"{self._folder}: config.json leaves out the model's size.")
        self._named = found
        self.layers = int(self.config[found.layers])
        self.dimension = int(self.config[found.hidden])

    def _read_directory(self) -> None:
        self._bytes = np.memmap(self._folder / WEIGHTS_FILE, dtype=np.uint8, mode="r").data
        self._tensors = tensors_in(self._bytes)
        self._prefix = "" if _WORDS in self._tensors else self._named.prefix
        types = {tensor.type for tensor in self._tensors.values()}
        if self._prefix + _WORDS not in self._tensors or types - _TYPES.keys() - {_INDICES}:
            raise OtherKindError(f"{self._folder}: no encoder in float32 or float16 in {WEIGHTS_FILE}.")

    def tensor(self, name: str) -> Floats:
        """A tensor as float32."""
        found = self._tensors.get(self._prefix + name)
        if found is None:
            raise EmbedderError(f"{self._folder}: {CONFIG} asks for `{name}`, which {WEIGHTS_FILE} does not hold.")
        raw = np.frombuffer(self._bytes[found.start : found.end], _TYPES[found.type])
        tensor: Floats = raw.reshape(found.shape).astype(np.float32)
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
        said = self._lengths.get("max_seq_length") or self._tokenizer.get("model_max_length") or positions
        return min(int(said), positions)

    def prompts(self) -> Mapping[str, str]:
        """What its configuration puts before texts, by name."""
        return self._own_settings.get("prompts") or {}

    def pooling(self) -> str:
        """`mean` or `cls`.

        Raises:
            OtherKindError: it is another or several, prompts are left out of it, or more is done after it.
        """
        paths = {module["type"].rsplit(".", 1)[-1]: module["path"] for module in self._modules}
        config = read_settings(self._folder / paths["Pooling"] / "config.json") if "Pooling" in paths else {}
        said = config.get("pooling_mode") or _modes_on(config) or ["mean"]
        mode = said if isinstance(said, str) else "+".join(said)
        is_plain = _NEEDED_MODULES <= paths.keys() <= _BUILT_MODULES and paths["Transformer"] == ""
        if not ((is_plain or not paths) and mode in _POOLING and config.get("include_prompt", True)):
            raise OtherKindError(f"{self._folder}: its pooling ({mode}, {[*paths]}) is not built here.")
        return _POOLING[mode]


def _modes_on(pooling: Mapping[str, Any]) -> list[str]:
    prefix = "pooling_mode_"
    return [key.removeprefix(prefix) for key, is_on in pooling.items() if key.startswith(prefix) and is_on]


def _is_read_alike(tokenizer: Mapping[str, Any], config: Mapping[str, Any]) -> bool:
    """True if transformers, which goes by tokenizer_config.json first, reads a text as tokenizer.json says."""
    if tokenizer.get("post_processor") is None:
        return False
    if config.get("tokenizer_class") in _AS_THE_FILE_SAYS or tokenizer.get("model", {}).get("type") != "WordPiece":
        return True
    normaliser = tokenizer.get("normalizer") or {}
    as_configured = {name: config.get(key, usual) for key, (name, usual) in _NORMALISED.items()}
    return normaliser.get("type") == "BertNormalizer" and as_configured.items() <= normaliser.items()


def _layer(tensor: Callable[[str], Floats], named: Architecture, at: str) -> Layer:
    query, key, value, output, widen, narrow = (
        Linear(tensor(f"{at}.{name}.weight"), tensor(f"{at}.{name}.bias"))
        for name in (*named.attention, *named.feed_forward)
    )
    after_attention, after_feed_forward = (_norm(tensor, f"{at}.{name}") for name in named.norms)
    return Layer(query, key, value, output, after_attention, widen, narrow, after_feed_forward)


def _norm(tensor: Callable[[str], Floats], name: str) -> Norm:
    return Norm(tensor(f"{name}.weight"), tensor(f"{name}.bias"))
