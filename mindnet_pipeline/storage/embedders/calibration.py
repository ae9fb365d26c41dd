"""What a float32 graph's activations are like, and how near another graph's vectors come to its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from mindnet_pipeline.storage.embedders.e5_file import Floats
from mindnet_pipeline.storage.embedders.session import open_session, pooled
from mindnet_pipeline.storage.embedders.vocabulary import Feed, Vocabulary, read_text


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as one model reads them."""

    vocabulary: Vocabulary
    max_sequence: int

    def feed(self, text: str, prompt: str = "") -> Feed:
        """What a graph reads of a text that comes after a prompt."""
        return read_text(self.vocabulary, text, self.max_sequence, prompt)

    def feeds(self, texts: Sequence[str], on_text: Callable[[int], None] = lambda _done: None) -> Iterator[Feed]:
        """What a graph reads of each; `on_text` is called with the number of texts used."""
        for done, text in enumerate(texts):
            yield self.feed(text)
            on_text(done + 1)


def largest_activations(graph: Path, names: Sequence[str], feeds: Iterable[Feed]) -> dict[str, Floats]:
    """The largest absolute value in each channel, the last axis, of the tensors with these names."""
    session = open_session(_with_outputs(graph, names))
    largest: dict[str, Floats] = {}
    for feed in feeds:
        for name, made in zip(names, session.run(names, feed), strict=True):
            here = np.abs(made).reshape(-1, made.shape[-1]).max(axis=0)
            largest[name] = np.maximum(largest.get(name, here), here)
    return largest


def mean_cosine(graph: Path, other: Path, pooling: str, feeds: Iterable[Feed]) -> float:
    """The mean cosine between two graphs' vectors of the same texts."""
    first, second = open_session(graph), open_session(other)
    cosines = [float(pooled(first, feed, pooling) @ pooled(second, feed, pooling)) for feed in feeds]
    return float(np.mean(cosines))


def _with_outputs(graph: Path, names: Sequence[str]) -> Path:
    """A copy of the graph beside it that also gives these tensors."""
    model = onnx.load(str(graph), load_external_data=False)
    known = {output.name for output in model.graph.output}
    model.graph.output.extend(
        helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None) for name in names if name not in known
    )
    path = graph.with_name(f"probed-{graph.name}")
    onnx.save_model(model, str(path))
    return path
