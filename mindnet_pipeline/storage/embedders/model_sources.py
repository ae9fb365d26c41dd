"""What a model is prepared from: what every source offers, and those whose graph is built here, without torch."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from mindnet_pipeline.storage.embedders.bundled import MODEL, model_file
from mindnet_pipeline.storage.embedders.calibration import Texts, largest_activations
from mindnet_pipeline.storage.embedders.calibration_texts import MEASURED
from mindnet_pipeline.storage.embedders.e5_file import E5File
from mindnet_pipeline.storage.embedders.eight_bits import Largest, plan_layers
from mindnet_pipeline.storage.embedders.encoder_graph import tensors_read, write_graph
from mindnet_pipeline.storage.embedders.encoder_weights import EncoderWeights, from_e5_file
from mindnet_pipeline.storage.embedders.graph_bytes import products_read, write_in_bytes
from mindnet_pipeline.storage.embedders.prepared import TOKENIZER, WEIGHTS, WORDS, PreparedModel
from mindnet_pipeline.storage.embedders.prompts import prompts_of
from mindnet_pipeline.storage.embedders.sources import file_stamp, folder_stamp, model_name
from mindnet_pipeline.storage.embedders.transformers_folder import TOKENIZER_FILE, TransformersFolder

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, done, total)."""
Write = Callable[[Path, Path, Texts, Progress], None]
"""Called with (the exact graph, the one to write, texts, progress)."""
_MEASURING, _WRITING = "measuring its activations", "writing it in eight bits"


class Source(Protocol):
    """A model to be prepared."""

    def described(self) -> PreparedModel:
        """What is known before it is built."""

    def copy_vocabulary(self, target: Path) -> None:
        """Put what stands before the graph into the folder."""

    def write_exact(self, graph: Path, texts: Texts, progress: Progress) -> None:
        """Write the graph in float32."""

    def in_eight_bits(self) -> Sequence[Write]:
        """Ways to write its graph in eight bits, by what the exact one makes of texts; the fastest graph first."""


def rewrite(exact: Path, graph: Path, texts: Texts, progress: Progress) -> None:
    """Write a graph of any kind in eight bits."""
    feeds = texts.feeds(MEASURED, lambda done: progress(_MEASURING, done, len(MEASURED)))
    read = products_read(exact)
    largest = largest_activations(exact, read, feeds) if read else {}
    write_in_bytes(exact, graph, WEIGHTS, largest, lambda done, of: progress(_WRITING, done, of))


class BuiltSource(ABC):
    """A model whose weights are known one by one, so that its graph is built here."""

    layers: int

    @abstractmethod
    def weights(self) -> EncoderWeights:
        """All of them, anew at each call."""

    def write_exact(self, graph: Path, texts: Texts, progress: Progress) -> None:  # noqa: ARG002 - nothing to compare
        """Write the graph in float32."""
        write_graph(self.weights(), graph, WEIGHTS, lambda done: progress("reading the model", done, self.layers))

    def in_eight_bits(self) -> Sequence[Write]:
        """By a plan for each layer; where that goes too far from float32, like a graph of any kind."""
        return self._write_by_plan, rewrite

    def _write_by_plan(self, exact: Path, graph: Path, texts: Texts, progress: Progress) -> None:
        read = [tensors_read(layer) for layer in range(self.layers)]
        names = list(dict.fromkeys(name for layer in read for name in layer))
        feeds = texts.feeds(MEASURED, lambda done: progress(_MEASURING, done, len(MEASURED)))
        largest = largest_activations(exact, names, feeds)
        measured = [Largest(*(largest[name] for name in layer)) for layer in read]
        plan = list(plan_layers(self.weights().layers, measured))
        write_graph(
            self.weights(),
            graph,
            WEIGHTS,
            lambda done: progress(_WRITING, done, self.layers),
            plan,
        )


class PackagedSource(BuiltSource):
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


class FolderSource(BuiltSource):
    """A model folder of sentence-transformers, of a kind that is built here."""

    def __init__(self, folder: Path) -> None:
        """Read what it is.

        Raises:
            OtherKindError: it is of another kind.
        """
        self._folder, self._model = folder, TransformersFolder(folder)
        self.layers = self._model.layers
        self._pooling = self._model.pooling()

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
            pooling=self._pooling,
            query_prompt=query_prompt,
            document_prompt=document_prompt,
            source=folder_stamp(self._folder),
        )

    def copy_vocabulary(self, target: Path) -> None:
        """Its tokenizer and its word vectors."""
        np.save(target / WORDS, self._model.word_vectors())
        shutil.copyfile(self._folder / TOKENIZER_FILE, target / TOKENIZER)
