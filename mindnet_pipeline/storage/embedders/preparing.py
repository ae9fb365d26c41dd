"""Making a prepared model: its float32 graph, what its activations are like, its eight-bit graph, which one to keep.

Eight bits are kept where their vectors stay near enough to those of float32; else float32 is. Not here: where prepared
models are and what is in them (prepared.py). Needs the package `onnx`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.bundled import MODEL, model_file
from mindnet_pipeline.storage.embedders.calibration import Texts, largest_activations, mean_cosine
from mindnet_pipeline.storage.embedders.calibration_texts import JUDGED, MEASURED
from mindnet_pipeline.storage.embedders.e5_file import E5File
from mindnet_pipeline.storage.embedders.eight_bits import plan_layers
from mindnet_pipeline.storage.embedders.encoder_graph import write_graph
from mindnet_pipeline.storage.embedders.encoder_weights import EncoderWeights, from_e5_file
from mindnet_pipeline.storage.embedders.prepared import (
    GRAPH,
    META,
    WEIGHTS,
    PreparedModel,
    checksum,
    is_intact,
    model_folder,
    read_prepared,
    words_checksum,
)
from mindnet_pipeline.storage.embedders.prompts import prompts_of
from mindnet_pipeline.storage.embedders.sources import TOKENIZER_FILE, file_stamp, folder_stamp, model_name
from mindnet_pipeline.storage.embedders.transformers_folder import TransformersFolder
from mindnet_pipeline.storage.embedders.vocabulary import TOKENIZER, WORDS, open_vocabulary

NEAR_ENOUGH = 0.999
"""The mean cosine to float32 from which eight bits are kept: at this one no ranking was seen to suffer."""
Progress = Callable[[str, int, int], None]
"""Called with (what is being done, done, total)."""


class _Source(Protocol):
    """A model to be prepared."""

    layers: int

    def weights(self) -> EncoderWeights:
        """All of them, anew at each call."""

    def described(self) -> PreparedModel:
        """What is known before it is built."""

    def copy_vocabulary(self, target: Path) -> None:
        """Put what stands before the graph into the folder."""


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
    part = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _build(FolderSource(Path(model).expanduser()) if model else PackagedSource(), part, progress, near_enough)
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


def _build(source: _Source, part: Path, progress: Progress, near_enough: float) -> None:
    made = source.described()
    source.copy_vocabulary(part)
    texts = Texts(open_vocabulary(part), made.max_sequence)
    both = [part / name for name in ("float", "bytes")]
    for folder in both:
        folder.mkdir()
    exact, small = (folder / GRAPH for folder in both)

    layers = source.layers
    write_graph(source.weights(), exact, WEIGHTS, lambda done: progress("reading the model", done, layers))
    words = texts.words(MEASURED, lambda done: progress("measuring its activations", done, len(MEASURED)))
    plan = list(plan_layers(source.weights().layers, largest_activations(exact, layers, words)))
    write_graph(source.weights(), small, WEIGHTS, lambda done: progress("writing it in eight bits", done, layers), plan)
    cosine = mean_cosine(exact, small, made.pooling, texts.words(JUDGED))
    chosen, made = (
        (small, replace(made, precision="int8", cosine=round(cosine, 5))) if cosine >= near_enough else (exact, made)
    )
    for name in (GRAPH, WEIGHTS):
        chosen.with_name(name).rename(part / name)
    shutil.copymode(part / GRAPH, part / WEIGHTS)  # onnx writes it for its owner alone
    for folder in both:
        shutil.rmtree(folder)
    write_facts(part, made)


def write_facts(folder: Path, made: PreparedModel) -> None:
    """Put down what the folder's model is, with its checksums."""
    facts = asdict(replace(made, sha256=checksum(folder), words_sha256=words_checksum(folder)))
    (folder / META).write_text(json.dumps(facts, indent=1), encoding="utf-8")


class PackagedSource:
    """The bundled multilingual-e5-small, its 4-bit weights as float32."""

    def __init__(self) -> None:
        self._file = E5File(model_file())
        self.layers = self._file.layers

    def weights(self) -> EncoderWeights:
        """All of them, anew at each call."""
        return from_e5_file(self._file)

    def described(self) -> PreparedModel:
        """What is known before it is built."""
        file, source = self._file, file_stamp(model_file())
        return PreparedModel(MODEL, file.hidden, file.positions, "mean", "query: ", "passage: ", source=source)

    def copy_vocabulary(self, target: Path) -> None:
        """Nothing: it stays in its package."""


class FolderSource:
    """A model folder of sentence-transformers."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._model = folder, TransformersFolder(folder)
        self.layers = self._model.layers

    def weights(self) -> EncoderWeights:
        """All of them, anew at each call."""
        return self._model.weights()

    def described(self) -> PreparedModel:
        """What is known before it is built."""
        name = model_name(str(self._folder))
        query_prompt, document_prompt = prompts_of(name, self._model.prompts())
        return PreparedModel(
            model=name,
            dimension=self._model.dimension,
            max_sequence=self._model.max_sequence(),
            pooling=self._model.pooling(),
            query_prompt=query_prompt,
            document_prompt=document_prompt,
            source=folder_stamp(self._folder),
        )

    def copy_vocabulary(self, target: Path) -> None:
        """Its tokenizer and its word vectors."""
        np.save(target / WORDS, self._model.word_vectors())
        try:
            shutil.copyfile(self._folder / TOKENIZER_FILE, target / TOKENIZER)
        except FileNotFoundError as error:
            raise EmbedderError(
                f"{self._folder}: tokenizer.json is missing. Use the engine sentence-transformers."
            ) from error
