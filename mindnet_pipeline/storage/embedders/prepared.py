"""Models prepared for the onnx engine: folders below `<data>/cache/models`, made once, used by every process.

    encoder.onnx, encoder.bin   the graph and its weights (encoder_graph.py, exporting.py)
    model.json                  what it is: dimension, tokens, pooling, prompts, precision, checksums
    tokenizer.json, words.npy   for a model folder; the bundled model's are in its package, exported words in the graph

Made by a first sync or by `python -m mindnet_pipeline.prepare_model` (preparing.py). A folder appears whole or not at
all; checksums tell damage.
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
from mindnet_pipeline.storage.embedders.model_settings import is_model_folder
from mindnet_pipeline.storage.embedders.sources import file_stamp, folder_stamp, model_name

FORMAT = 2
META, GRAPH, WEIGHTS = "model.json", "encoder.onnx", "encoder.bin"
TOKENIZER, WORDS = "tokenizer.json", "words.npy"
POOLED_INSIDE = "inside"
"""The pooling of a graph that gives the text's vector itself."""
Precision = Literal["int8", "fp32"]


@dataclass(frozen=True, slots=True)
class PreparedModel:
    """What model.json says. `max_sequence` counts special tokens and prompts; `pooling` is `mean`, `cls` or `inside`.

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
    words_sha256: str = ""
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
        return models_folder(data) / f"{MODEL}-onnx-{file_stamp(model_file())}"
    source = Path(model).expanduser()
    if not is_model_folder(source):
        raise EmbedderError(
            f"{model}: no such model folder. The onnx engine needs the folder of a sentence-transformers model, "
            "with config.json or modules.json; by name, use the engine sentence-transformers."
        )
    return models_folder(data) / f"{model_name(model)}-onnx-{folder_stamp(source)}"


def read_prepared(folder: Path) -> PreparedModel | None:
    """What is in the folder; None if nothing usable is."""
    try:
        found = PreparedModel(**json.loads((folder / META).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return found if found.format == FORMAT else None


def is_intact(folder: Path) -> bool:
    """True if all files are those that were written."""
    return is_sound(folder) and words_are_sound(folder)


def is_sound(folder: Path) -> bool:
    """True if what is read whole at each start is what was written: graph, weights and tokenizer."""
    found = read_prepared(folder)
    try:
        return found is not None and checksum(folder) == found.sha256
    except (OSError, ValueError):  # an empty file cannot be mapped
        return False


def words_are_sound(folder: Path) -> bool:
    """True if the word vectors are those that were written: hundreds of MB, of which a question reads a few rows."""
    found = read_prepared(folder)
    try:
        return found is not None and words_checksum(folder) == found.words_sha256
    except (OSError, ValueError):
        return False


def checksum(folder: Path) -> str:
    """The sha256 of graph and weights, and of the tokenizer if the folder has one."""
    names = (GRAPH, WEIGHTS, TOKENIZER) if (folder / TOKENIZER).exists() else (GRAPH, WEIGHTS)
    return hashlib.sha256(b"".join(_digest(folder / name) for name in names)).hexdigest()


def words_checksum(folder: Path) -> str:
    """The sha256 of the word vectors; empty if they are in a package."""
    return _digest(folder / WORDS).hex() if (folder / WORDS).exists() else ""


def _digest(file: Path) -> bytes:
    """Of the mapped file in one call, during which other threads run."""
    with file.open("rb") as opened, mmap(opened.fileno(), 0, access=ACCESS_READ) as whole:
        return hashlib.sha256(whole).digest()
