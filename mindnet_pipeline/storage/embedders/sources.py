"""What a model is called and what tells two versions of it apart; the same in every engine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from mmap import ACCESS_READ, mmap
from pathlib import Path

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.model_settings import modules_of
from mindnet_pipeline.storage.embedders.tensor_file import tensors_in

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


def folder_stamp(folder: Path) -> str:
    """Tells two versions of a model folder apart: all settings, and a sample of each tensor and of each MB of weights.

    Training changes nearly every number of a tensor; to read all of them would take longer than a question may. The
    folders of its modules count too.

    Raises:
        EmbedderError: there are no weights, or they cannot be read.
    """
    paths = dict.fromkeys(["", *(module["path"] for module in modules_of(folder))])
    files = [file for path in paths for file in sorted((folder / path).glob("*")) if file.is_file()]
    weights = [_read(file, _SAMPLED[file.suffix]) for file in files if file.suffix in _SAMPLED]
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
        raise EmbedderError(f"{source}: cannot be read ({error}). Get it anew.") from error


def _sample(weights: mmap, starts: Iterable[int] = ()) -> bytes:
    """A .bin is a zip file, at whose end are the checksums of all that is in it."""
    end = _digest(weights[max(len(weights) - _DIRECTORY, 0) :])
    places = sorted({*range(0, len(weights), _STEP), *starts})
    return end + b"".join(_digest(weights[start : start + _SAMPLE]) for start in places)


def _sample_by_tensor(weights: mmap) -> bytes:
    return _sample(weights, (tensor.start for tensor in tensors_in(weights).values()))


_SAMPLED: dict[str, Callable[[mmap], bytes]] = {".safetensors": _sample_by_tensor, ".bin": _sample}


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _short(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:10]
