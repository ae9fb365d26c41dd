"""The bundled model in forms that it is compared in: float32 for ONNX Runtime, a folder for sentence-transformers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mindnet_pipeline.storage.embedders.bundled import MODEL, model_file
from mindnet_pipeline.storage.embedders.e5_file import E5File
from mindnet_pipeline.storage.embedders.encoder_graph import write_graph
from mindnet_pipeline.storage.embedders.encoder_weights import EncoderWeights, Linear, Norm, from_e5_file
from mindnet_pipeline.storage.embedders.model_sources import PackagedSource
from mindnet_pipeline.storage.embedders.prepared import GRAPH, WEIGHTS
from mindnet_pipeline.storage.embedders.preparing import write_facts


def make_exact_model(folder: Path) -> None:
    """The bundled weights in float32, for ONNX Runtime."""
    folder.mkdir(parents=True, exist_ok=True)
    source = PackagedSource()
    write_graph(source.weights(), folder / GRAPH, WEIGHTS, lambda _done: None)
    write_facts(folder, source.described())


def make_sentence_transformers_folder(folder: Path) -> None:
    """The bundled weights as a model folder that sentence-transformers loads."""
    import torch  # noqa: PLC0415 - only where it is measured
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    from sentence_transformers.models import Pooling, Transformer  # noqa: PLC0415
    from transformers import BertConfig, BertModel, logging  # noqa: PLC0415

    file = E5File(model_file())
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    config = BertConfig(
        vocab_size=len(file.pieces), hidden_size=file.hidden, num_hidden_layers=file.layers,
        num_attention_heads=file.heads, intermediate_size=file.inner, max_position_embeddings=file.positions,
        layer_norm_eps=file.epsilon, pad_token_id=file.pad,
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    words = file.word_vectors(np.arange(len(file.pieces)))
    state = {name: torch.tensor(value) for name, value in _named(from_e5_file(file), words)}
    model.load_state_dict(state)
    plain = folder.with_name(f"{folder.name}-transformers")
    model.save_pretrained(plain)
    _tokenizer(file).save_pretrained(plain)
    transformer = Transformer(str(plain), max_seq_length=file.positions)
    SentenceTransformer(modules=[transformer, Pooling(file.hidden)]).save(str(folder), model_name=MODEL)


def _tokenizer(file: E5File) -> Any:
    """The same pieces in the package tokenizers; its normalisation is plain NFKC, near enough for measuring."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors  # noqa: PLC0415
    from transformers import PreTrainedTokenizerFast  # noqa: PLC0415

    pieces = file.pieces
    scored = list(zip(pieces, file.piece_scores.tolist(), strict=True))
    made = Tokenizer(models.Unigram(scored, unk_id=file.unknown, byte_fallback=False))
    made.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    begin, end = pieces[file.bos], pieces[file.eos]
    made.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A {end}", special_tokens=[(begin, file.bos), (end, file.eos)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=begin, eos_token=end, cls_token=begin, sep_token=end,
        unk_token=pieces[file.unknown], pad_token=pieces[file.pad], model_max_length=file.positions,
    )  # fmt: skip


def _named(weights: EncoderWeights, words: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The weights by the names that BERT has for them in transformers."""
    hidden = words.shape[1]
    named = [
        ("embeddings.word_embeddings.weight", words),
        ("embeddings.position_embeddings.weight", weights.positions),
        ("embeddings.token_type_embeddings.weight", np.zeros((2, hidden), np.float32)),
        *_norm("embeddings.LayerNorm", weights.norm),
    ]
    for number, layer in enumerate(weights.layers):
        at = f"encoder.layer.{number}"
        named += [
            *_linear(f"{at}.attention.self.query", layer.query),
            *_linear(f"{at}.attention.self.key", layer.key),
            *_linear(f"{at}.attention.self.value", layer.value),
            *_linear(f"{at}.attention.output.dense", layer.attention_out),
            *_norm(f"{at}.attention.output.LayerNorm", layer.attention_norm),
            *_linear(f"{at}.intermediate.dense", layer.inner),
            *_linear(f"{at}.output.dense", layer.outer),
            *_norm(f"{at}.output.LayerNorm", layer.outer_norm),
        ]
    return named


def _linear(name: str, linear: Linear) -> list[tuple[str, np.ndarray]]:
    return [(f"{name}.weight", linear.weight), (f"{name}.bias", linear.bias)]


def _norm(name: str, norm: Norm) -> list[tuple[str, np.ndarray]]:
    return [(f"{name}.weight", norm.scale), (f"{name}.bias", norm.bias)]
