"""What a model is called and what tells two versions of it apart; the same in every engine."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from mindnet_pipeline.core.errors import EmbedderError

CONFIG, WEIGHTS_FILE, TOKENIZER_FILE = "config.json", "model.safetensors", "tokenizer.json"
MODULES, OWN_SETTINGS = "modules.json", "config_sentence_transformers.json"
"""What a model folder in the layout of transformers holds, and what sentence-transformers puts beside it."""
_POOLING = "1_Pooling"
_WEIGHTS = (".safetensors", ".bin")
_SETTINGS = (".json", ".txt", ".model")
_ENDS = 65_536
_DIRECTORY = 1 << 18
_STEP, _SAMPLE = 1 << 20, 4096
"""Of weights, so many bytes are read from each so many, and where each tensor starts."""


def model_name(model: str) -> str:
    """What a model is called, given by its name or its folder, also one in the cache of huggingface_hub.

    >>> model_name("intfloat/multilingual-e5-base"), model_name("/models/e5-trials/all-MiniLM-L6-v2")
    ('multilingual-e5-base', 'all-MiniLM-L6-v2')
    >>> model_name("~/.cache/huggingface/hub/models--intfloat--multilingual-e5-base/snapshots/d13f1b27")
    'multilingual-e5-base'
    """
    folder = Path(model).expanduser().resolve()
    kept = folder.parent.parent.name if folder.parent.name == "snapshots" else ""
    return kept.rsplit("--", 1)[-1] if kept.startswith("models--") else folder.name


def file_stamp(source: Path) -> str:
    """Tells two versions of a file apart by its size and its first and last bytes: enough for one in a package.

    Raises:
        EmbedderError: it cannot be read.
    """
    return _short(_read(source, lambda whole: whole[:_ENDS] + whole[max(len(whole) - _ENDS, 0) :]))


def is_model_folder(folder: Path) -> bool:
    """True if it looks like a model of transformers or sentence-transformers."""
    return any((folder / name).is_file() for name in (CONFIG, MODULES))


def modules_of(folder: Path) -> list[dict[str, str]]:
    """The modules of sentence-transformers that a text goes through, each with its `type` and its `path`."""
    found: list[dict[str, str]] = read_json(folder / MODULES, [])
    return found


def read_json(path: Path, default: Any = None) -> Any:
    """What a settings file says; the default, else nothing, if there is none.

    Raises:
        EmbedderError: it is no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {} if default is None else default
    except ValueError as error:
        raise EmbedderError(f"{path}: cannot be read as JSON ({error}). Get the model's folder anew.") from error


def folder_stamp(folder: Path) -> str:
    """Tells two versions of a model folder apart: all settings, and a sample of each tensor and of each MB of weights.

    Training changes nearly every number of a tensor; to read all of them would take longer than a question may. The
    folders of its modules count too.

    Raises:
        EmbedderError: there are no weights, or they cannot be read.
    """
    paths = dict.fromkeys(["", _POOLING, *(module.get("path", "") for module in modules_of(folder))])
    files = [file for path in paths for file in sorted((folder / path).glob("*")) if file.is_file()]
    weights = [_read(file, _sample) for file in files if file.suffix in _WEIGHTS]
    if not weights:
        raise EmbedderError(f"{folder}: a model folder without weights (model.safetensors or pytorch_model.bin).")
    settings = [file.name.encode() + _digest(file.read_bytes()) for file in files if file.suffix in _SETTINGS]
    return _short(b"".join([*weights, *settings]))


def _read(source: Path, part: Callable[[mmap], bytes]) -> bytes:
    """The file's size and a part of it."""
    try:
        with source.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as whole:
            return b"%d" % len(whole) + part(whole)
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise EmbedderError(f"{source}: cannot be read ({error}).") from error


def _sample(weights: mmap) -> bytes:
    """A .bin is a zip file, at whose end are the checksums of all that is in it."""
    starts = sorted({*range(0, len(weights), _STEP), *_tensor_starts(weights)})
    end = _digest(weights[max(len(weights) - _DIRECTORY, 0) :])
    return end + b"".join(_digest(weights[start : start + _SAMPLE]) for start in starts)


def _tensor_starts(weights: mmap) -> Iterator[int]:
    """Where each tensor starts, by the directory at the head of a safetensors file; none if there is no such."""
    try:
        (size,) = struct.unpack_from("<Q", weights, 0)
        directory = json.loads(weights[8 : 8 + size])
    except (struct.error, ValueError):
        return
    for name, tensor in directory.items():
        if name != "__metadata__":
            yield 8 + size + tensor["data_offsets"][0]


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:10]
