"""Embedders: one protocol (protocol.py), one module per engine, chosen and opened here. An engine is imported when it is chosen.

`auto` is the prepared ONNX model if it is there (see `mindnet_pipeline.prepare_model`), else the bundled engine.
"""

from __future__ import annotations

from mindnet_pipeline.settings import EmbeddingOptions
from mindnet_pipeline.storage.embedders.protocol import Embedder


def open_embedder(options: EmbeddingOptions, data: str) -> Embedder:
    """The embedder that the options name; `data` is the data folder, whose `cache/models` holds prepared models.

    Raises:
        EmbedderError: the model is not there; the message says how to get it.
    """
    engine = chosen_engine(options, data)
    if engine == "none":
        from mindnet_pipeline.storage.embedders.none import NoEmbedder

        return NoEmbedder()
    if engine == "bundled":
        from mindnet_pipeline.storage.embedders.bundled import BundledEmbedder

        return BundledEmbedder(options.batch_size)
    raise NotImplementedError(engine)


def chosen_engine(options: EmbeddingOptions, data: str) -> str:
    """The engine that `auto` stands for, or the one that is named."""
    return "bundled" if options.engine == "auto" else options.engine


def describe_choice(options: EmbeddingOptions, data: str) -> str:
    """One line for people: which model, which engine."""
    return chosen_engine(options, data)
