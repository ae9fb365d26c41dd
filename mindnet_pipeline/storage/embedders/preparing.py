"""Making a prepared model: its float32 graph, what its activations are like, its eight-bit graph, which one to keep.

Eight bits are kept where their vectors stay near enough to those of float32; else float32 is. Not here: where prepared
models are and what is in them (prepared.py). Needs the package `onnx`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from filelock import FileLock, Timeout

from mindnet_pipeline.core.errors import EmbedderError, in_a_line
from mindnet_pipeline.storage.embedders.bundled import MODEL
from mindnet_pipeline.storage.embedders.calibration import Texts, mean_cosine
from mindnet_pipeline.storage.embedders.calibration_texts import JUDGED
from mindnet_pipeline.storage.embedders.exporting import ExportedSource
from mindnet_pipeline.storage.embedders.model_settings import refuse_other_kinds
from mindnet_pipeline.storage.embedders.model_sources import FolderSource, PackagedSource, Progress, Source
from mindnet_pipeline.storage.embedders.prepared import (
    GRAPH,
    META,
    WEIGHTS,
    PreparedModel,
    checksum,
    is_intact,
    model_folder,
    words_checksum,
)
from mindnet_pipeline.storage.embedders.transformers_folder import OtherKindError
from mindnet_pipeline.storage.embedders.vocabulary import open_vocabulary

NEAR_ENOUGH = 0.999
"""The mean cosine to float32 from which eight bits are kept: at this one no ranking was seen to suffer."""
_PART = ".part"


def prepare(
    model: str,
    data: str,
    progress: Progress = lambda _what, _done, _total: None,
    near_enough: float = NEAR_ENOUGH,
) -> Path:
    """The folder of the prepared model, made if it is not there or damaged.

    Eight bits are kept if the mean cosine of their vectors to those of float32 is `near_enough`.

    Raises:
        EmbedderError: the source is missing or of a kind that cannot be built, or the folder cannot be written.
    """
    folder = model_folder(model, data)
    if is_intact(folder):
        return folder
    try:
        with _alone(folder.parent, progress):
            if not is_intact(folder):  # else another process has just made it
                _make(model, folder, progress, near_enough)
    except EmbedderError:
        raise
    except OSError as error:
        raise EmbedderError(
            f"{folder}: the model cannot be prepared there ({in_a_line(error)}). Make it writable, with enough "
            "room, or use MINDNET_EMBEDDER=bundled."
        ) from error
    except Exception as error:  # a model can be wrong in many ways, of which each package has its own to say so
        raise EmbedderError(
            f"{model or MODEL}: the model cannot be prepared ({in_a_line(error)}). Get it anew, or take another."
        ) from error
    return folder


@contextmanager
def _alone(models: Path, progress: Progress) -> Iterator[None]:
    """One process at a time, as each needs all cores and much memory. What a killed one left is removed."""
    models.mkdir(parents=True, exist_ok=True)
    lock, waiting = FileLock(models.with_name("models.lock")), "waiting for another process that prepares a model"
    try:
        lock.acquire(timeout=0)
    except Timeout:
        progress(waiting, 0, 1)
        lock.acquire()
        progress(waiting, 1, 1)
    try:
        _remove_parts(models)
        yield
    finally:
        _remove_parts(models)
        lock.release()


def _remove_parts(models: Path) -> None:
    for part in models.glob(f"*{_PART}"):
        shutil.rmtree(part, ignore_errors=True)


def _make(model: str, folder: Path, progress: Progress, near_enough: float) -> None:
    part = folder.with_name(f"{folder.name}{_PART}")
    part.mkdir()
    _build(_source(model, progress), part, progress, near_enough)
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def _source(model: str, progress: Progress) -> Source:
    if not model:
        return PackagedSource()
    folder = Path(model).expanduser()
    refuse_other_kinds(folder)
    try:
        return FolderSource(folder)
    except OtherKindError:
        return ExportedSource(folder, progress)


def _build(source: Source, part: Path, progress: Progress, near_enough: float) -> None:
    made = source.described()
    source.copy_vocabulary(part)
    texts = Texts(open_vocabulary(part, made.pooling), made.max_sequence)
    exact = chosen = _form(part, "float")
    source.write_exact(exact, texts, progress)
    for number, write in enumerate(source.in_eight_bits()):
        small = _form(part, f"bytes{number}")
        write(exact, small, texts, progress)
        cosine = mean_cosine(exact, small, made.pooling, texts.feeds(JUDGED))
        if cosine >= near_enough:
            chosen, made = small, replace(made, precision="int8", cosine=round(cosine, 5))
            break
    for name in (GRAPH, WEIGHTS):
        chosen.with_name(name).rename(part / name)
    shutil.copymode(part / GRAPH, part / WEIGHTS)  # onnx writes it for its owner alone
    for folder in part.glob("*/"):
        shutil.rmtree(folder)
    write_facts(part, made)


def _form(part: Path, name: str) -> Path:
    (part / name).mkdir()
    return part / name / GRAPH


def write_facts(folder: Path, made: PreparedModel) -> None:
    """Put down what the folder's model is, with its checksums."""
    facts = asdict(replace(made, sha256=checksum(folder), words_sha256=words_checksum(folder)))
    (folder / META).write_text(json.dumps(facts, indent=1), encoding="utf-8")
