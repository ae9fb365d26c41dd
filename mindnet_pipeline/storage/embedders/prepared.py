"""Models prepared for the onnx engine: folders below `<data>/cache/models`, made once, used by every process.

    encoder.onnx, encoder.bin   the graph and its weights (encoder_graph.py)
    model.json                  what it is: dimension, tokens, pooling, prompts, precision, checksum
    words.npy, tokenizer.json   for a model folder; the bundled model's are in its package

Made by a first sync or by `python -m mindnet_pipeline.prepare_model` (preparing.py). A folder appears whole or not at
all; a checksum tells damage.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Literal

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.bundled import MODEL, model_file

FORMAT = 2
META, GRAPH, WEIGHTS = "model.json", "encoder.onnx", "encoder.bin"
Precision = Literal["int8", "fp32"]


@dataclass(frozen=True, slots=True)
class PreparedModel:
    """What model.json says. `max_sequence` counts special tokens and prompts; `pooling` is `mean` or `cls`.

    `cosine` is the mean cosine of its vectors to those of the float32 graph; `source` tells the model it was made of.
    """

    model: str
    dimension: int
    max_sequence: int
    pooling: str = "mean"
    query_prompt: str = ""
    document_prompt: str = ""
    precision: Precision = "fp32"
    cosine: float = 1.0
    source: str = ""
    sha256: str = ""
    format: int = FORMAT


def models_folder(data: str) -> Path:
    """Where prepared models are: below the data folder, or the user's cache if that is in object storage."""
    local = data.removeprefix("file://")
    return (Path.home() / ".cache" / "mindnet" if "://" in local else Path(local) / "cache") / "models"


def model_folder(model: str, data: str) -> Path:
    """The folder of a prepared model; `""` is the bundled one. A changed source gets another folder.

    Raises:
        EmbedderError: the source is missing.
    """
    if not model:
        return models_folder(data) / f"{MODEL}-onnx-{stamp(model_file())}"
    source = Path(model).expanduser()
    if not (source / "config.json").is_file():
        raise EmbedderError(
            f"{model}: no such model folder. The onnx engine needs the folder of a sentence-transformers model, "
            "with config.json and model.safetensors; by name, use the engine sentence-transformers."
        )
    return models_folder(data) / f"{source.resolve().name}-onnx-{stamp(source / 'model.safetensors')}"


def read_prepared(folder: Path) -> PreparedModel | None:
    """What is in the folder; None if nothing usable is."""
    try:
        found = PreparedModel(**json.loads((folder / META).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return found if found.format == FORMAT else None


def is_intact(folder: Path) -> bool:
    """True if graph and weights are those that were written (their checksum is computed anew)."""
    found = read_prepared(folder)
    try:
        return found is not None and checksum(folder) == found.sha256
    except (OSError, ValueError):  # an empty file cannot be mapped
        return False


def checksum(folder: Path) -> str:
    """The sha256 of graph and weights."""
    digest = hashlib.sha256()
    for name in (GRAPH, WEIGHTS):
        with (folder / name).open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as whole:
            digest.update(hashlib.sha256(whole).digest())
    return digest.hexdigest()


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
