"""What a model is called and what tells two versions of it apart; the same in every engine."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable, Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

from mindnet_pipeline.core.errors import EmbedderError

CONFIG, WEIGHTS_FILE, TOKENIZER_FILE = "config.json", "model.safetensors", "tokenizer.json"
"""What a model folder in the layout of transformers holds."""
_SETTINGS = (
    CONFIG,
    TOKENIZER_FILE,
    "tokenizer_config.json",
    "modules.json",
    "1_Pooling/config.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
)
_ENDS = 65_536
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


def folder_stamp(folder: Path) -> str:
    """Tells two versions of a model folder apart: all settings, and a sample of each tensor and of each MB of weights.

    Training changes nearly every number of a tensor; to read all of them would take longer than a question may.

    Raises:
        EmbedderError: the weights cannot be read.
    """
    settings = [_digest((folder / name).read_bytes()) for name in _SETTINGS if (folder / name).is_file()]
    return _short(b"".join([_read(folder / WEIGHTS_FILE, _sample), *settings]))


def _read(source: Path, part: Callable[[mmap], bytes]) -> bytes:
    """The file's size and a part of it."""
    try:
        with source.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as whole:
            return b"%d" % len(whole) + part(whole)
    except (OSError, ValueError) as error:  # an empty file cannot be mapped
        raise EmbedderError(f"{source}: cannot be read ({error}).") from error


def _sample(weights: mmap) -> bytes:
    starts = sorted({*range(0, len(weights), _STEP), *_tensor_starts(weights)})
    return b"".join(_digest(weights[start : start + _SAMPLE]) for start in starts)


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
