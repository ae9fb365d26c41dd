"""A tiny model folder in the layout of sentence-transformers, made in a test: BERT with random weights."""

from __future__ import annotations

import json
import string
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

NO_NETWORK = """
import socket, sys

def refuse(*_arguments, **_named):
    print("network", flush=True)
    raise OSError("no network")

socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse
from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.settings import EmbeddingOptions
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.preparing import prepare
engine, model, data = sys.argv[1:]
if engine == "onnx":
    prepare(model, data)
try:
    open_embedder(EmbeddingOptions(engine=engine, model=model), data).embed_query("Wer?")
except EmbedderError:
    print("refused")
"""
"""A program: prepare and open a model (engine, model, data folder), say if it is refused or asks the network."""

_WORDS, _HIDDEN, _LAYERS, _INNER, _POSITIONS = 2000, 64, 2, 128, 128

_MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]
_POOLING = {"word_embedding_dimension": _HIDDEN, "pooling_mode_mean_tokens": True}


def write_model(folder: Path, **files: Any) -> Path:
    """The folder, filled. `files` are further JSON files, by names in which `__` stands for `/` and `.json` is left."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(weights(), folder / "model.safetensors")
    config = {
        "model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": _LAYERS, "hidden_size": _HIDDEN,
        "num_attention_heads": 4, "intermediate_size": _INNER, "vocab_size": _WORDS, "layer_norm_eps": 1e-12,
        "max_position_embeddings": _POSITIONS, "architectures": ["BertModel"],
    }  # fmt: skip
    write_json(folder, **{"config": config, "modules": _MODULES, "1_Pooling__config": _POOLING} | files)
    _tokenizer().save(str(folder / "tokenizer.json"))
    return folder


def write_json(folder: Path, **files: Any) -> None:
    """JSON files of a model folder, named as in `write_model`."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content), encoding="utf-8")


def weights(**changed: np.ndarray) -> Mapping[str, np.ndarray]:
    """Random weights, always the same, but for the tensors that are given (`__` in their names stands for `.`)."""
    random = np.random.default_rng(1)
    shapes = {
        "embeddings.word_embeddings": (_WORDS, _HIDDEN),
        "embeddings.position_embeddings": (_POSITIONS, _HIDDEN),
        "embeddings.token_type_embeddings": (2, _HIDDEN),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{number}" for number in range(_LAYERS)):
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes[f"{layer}.{name}"] = (_HIDDEN, _HIDDEN)
        shapes |= {f"{layer}.intermediate.dense": (_INNER, _HIDDEN), f"{layer}.output.dense": (_HIDDEN, _INNER)}
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    made = {f"{name}.weight": random.normal(0, 0.1, shape) for name, shape in shapes.items()}
    made |= {f"{name}.bias": random.normal(0, 0.1, shape[0]) for name, shape in shapes.items() if "layer" in name}
    made |= {f"{name}.weight": np.ones(_HIDDEN) for name in norms} | {f"{n}.bias": np.zeros(_HIDDEN) for n in norms}
    made |= {name.replace("__", "."): tensor for name, tensor in changed.items()}
    return {name: tensor.astype(np.float32) for name, tensor in made.items()}


def _tokenizer() -> Tokenizer:
    special = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
    letters = {letter: 4 + number for number, letter in enumerate(string.ascii_lowercase)}
    within = {f"##{letter}": 40 + number for number, letter in enumerate(string.ascii_lowercase)}
    made = Tokenizer(models.WordPiece(special | letters | within, unk_token="[UNK]"))  # noqa: S106 - no password
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    marks = [("[CLS]", 2), ("[SEP]", 3)]
    made.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=marks)
    return made
