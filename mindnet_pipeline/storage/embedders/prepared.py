"""Models prepared for the onnx engine: folders below `<data>/cache/models`, made once, used by every process.

    encoder.onnx   the float32 graph (encoder_graph.py)
    model.json     what it is: dimension, tokens, pooling, prompts, and the graph's sha256
    words.npy, tokenizer.json   for a model folder; the bundled model's are in its package

Made by `python -m mindnet_pipeline.prepare_model`, or by whoever first opens the engine `onnx` by its name: the
bundled model takes about a second. A folder appears whole or not at all.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.bundled import MODEL, model_file
from mindnet_pipeline.storage.embedders.e5_file import E5File

_FORMAT = 1
_META = "model.json"
GRAPH, WORDS, TOKENIZER = "encoder.onnx", "words.npy", "tokenizer.json"
Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PreparedModel:
    """What model.json says. `max_sequence` counts special tokens and prompts; `pooling` is `mean` or `cls`."""

    model: str
    dimension: int
    max_sequence: int
    pooling: str = "mean"
    query_prompt: str = ""
    document_prompt: str = ""
    graph_sha256: str = ""
    format: int = _FORMAT


def models_folder(data: str) -> Path:
    """Where prepared models are: below the data folder, or the user's cache if that is in object storage."""
    local = data.removeprefix("file://")
    return (Path.home() / ".cache" / "mindnet" if "://" in local else Path(local) / "cache") / "models"


def model_folder(model: str, data: str) -> Path:
    """The folder of a prepared model; `""` is the bundled one. A changed source gets another folder."""
    if not model:
        return models_folder(data) / f"{MODEL}-fp32-{stamp(model_file())}"
    source = Path(model).expanduser()
    if not (source / "config.json").is_file():
        raise EmbedderError(
            f"{model}: no such model folder. The onnx engine needs the folder of a sentence-transformers model, "
            "with config.json and model.safetensors; by name, use the engine sentence-transformers."
        )
    return models_folder(data) / f"{source.resolve().name}-fp32-{stamp(source / 'model.safetensors')}"


def read_prepared(folder: Path) -> PreparedModel | None:
    """What is in the folder; None if nothing usable is."""
    try:
        raw = json.loads((folder / _META).read_text(encoding="utf-8"))
        found = PreparedModel(**raw)
    except (OSError, ValueError, TypeError):
        return None
    return found if found.format == _FORMAT else None


def is_intact(folder: Path) -> bool:
    """True if the graph is the one that was written (its checksum is read anew)."""
    found = read_prepared(folder)
    return found is not None and (folder / GRAPH).is_file() and _sha256(folder / GRAPH) == found.graph_sha256


def prepare(model: str, data: str, progress: Progress = lambda _: None) -> Path:
    """The folder of the prepared model, made if it is not there.

    Raises:
        EmbedderError: the source is missing or of a kind that cannot be built, or the folder cannot be written.
    """
    folder = model_folder(model, data)
    if read_prepared(folder) is not None:
        return folder
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        made = _from_folder(Path(model).expanduser(), part, progress) if model else _from_package(part, progress)
        text = json.dumps(asdict(replace(made, graph_sha256=_sha256(part / GRAPH))), indent=1)
        (part / _META).write_text(text, encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    except OSError as error:
        if read_prepared(folder) is None:  # else another process was faster
            raise EmbedderError(
                f"{folder}: the model cannot be prepared there ({error.strerror}). Make it writable or use "
                f"MINDNET_EMBEDDER=bundled."
            ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return folder


def _from_package(part: Path, progress: Progress) -> PreparedModel:
    from mindnet_pipeline.storage.embedders.encoder_graph import write_graph  # noqa: PLC0415 - only where it is chosen
    from mindnet_pipeline.storage.embedders.encoder_weights import from_e5_file  # noqa: PLC0415 - only where it is chosen

    file = E5File(model_file())
    write_graph(from_e5_file(file), part / GRAPH, lambda done: progress(f"{MODEL}: layer {done} of {file.layers}"))
    return PreparedModel(MODEL, file.hidden, file.positions, "mean", "query: ", "passage: ")


def _from_folder(source: Path, part: Path, progress: Progress) -> PreparedModel:
    from mindnet_pipeline.storage.embedders.encoder_graph import write_graph  # noqa: PLC0415 - only where it is chosen
    from mindnet_pipeline.storage.embedders.encoder_weights import ModelFolder  # noqa: PLC0415 - only where it is chosen

    folder = ModelFolder(source)
    weights = folder.weights()
    total = folder.config["num_hidden_layers"]
    write_graph(weights, part / GRAPH, lambda done: progress(f"{source.name}: layer {done} of {total}"))
    np.save(part / WORDS, folder.word_vectors())
    try:
        shutil.copyfile(source / TOKENIZER, part / TOKENIZER)
    except FileNotFoundError as error:
        raise EmbedderError(f"{source}: tokenizer.json is missing. Use the engine sentence-transformers.") from error
    prompts = _json(source / "config_sentence_transformers.json").get("prompts") or {}
    positions, hidden = weights.positions.shape
    return PreparedModel(
        model=source.resolve().name,
        dimension=hidden,
        max_sequence=min(_json(source / "sentence_bert_config.json").get("max_seq_length") or positions, positions),
        pooling=_pooling(source),
        query_prompt=prompts.get("query") or "",
        document_prompt=prompts.get("document") or prompts.get("passage") or "",
    )


def _pooling(source: Path) -> str:
    modules = [str(module["type"]).rsplit(".", 1)[-1] for module in _json(source / "modules.json", [])]
    config = _json(source / "1_Pooling" / "config.json")
    mode = config.get("pooling_mode") or next(
        (key.removeprefix("pooling_mode_") for key, on in config.items() if key.startswith("pooling_mode_") and on),
        "mean",
    )
    short = {"mean": "mean", "mean_tokens": "mean", "cls": "cls", "cls_token": "cls"}.get(str(mode))
    if short is None or "Dense" in modules:
        raise EmbedderError(
            f"{source}: its pooling ({mode}, {modules}) is not built here. Use the engine sentence-transformers."
        )
    return short


def _json(path: Path, default: Any = None) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {} if default is None else default


def stamp(source: Path) -> str:
    """Tells two versions of a source apart without reading it whole: its size and its first and last bytes."""
    try:
        size = source.stat().st_size
        with source.open("rb") as file:
            head = file.read(65_536)
            file.seek(max(size - 65_536, 0))
            tail = file.read()
    except OSError as error:
        raise EmbedderError(f"{source}: cannot be read ({error.strerror}).") from error
    return hashlib.sha256(b"%d" % size + head + tail).hexdigest()[:10]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
