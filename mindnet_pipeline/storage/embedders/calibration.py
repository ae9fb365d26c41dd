"""What a float32 graph's activations are like, and how near another graph's vectors come to its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import helper

from mindnet_pipeline.storage.embedders.e5_file import Floats
from mindnet_pipeline.storage.embedders.eight_bits import Largest
from mindnet_pipeline.storage.embedders.encoder_graph import tensors_read
from mindnet_pipeline.storage.embedders.session import open_session, pooled
from mindnet_pipeline.storage.embedders.vocabulary import Vocabulary, word_ids


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts as one model reads them."""

    vocabulary: Vocabulary
    max_sequence: int

    def words(self, texts: Sequence[str], on_text: Callable[[int], None] = lambda _done: None) -> Iterator[Floats]:
        """The word vectors of each, shape (1, tokens, hidden); `on_text` is called with the number of texts used."""
        for done, text in enumerate(texts):
            ids = word_ids(self.vocabulary, text, self.max_sequence)
            yield self.vocabulary.vectors(np.array(ids, dtype=np.int64))[None]
            on_text(done + 1)


def largest_activations(graph: Path, layers: int, words: Iterator[Floats]) -> list[Largest]:
    """What is largest in each channel of what each layer reads."""
    names = list(dict.fromkeys(name for layer in range(layers) for name in tensors_read(layer)))
    session = open_session(_with_outputs(graph, names))
    largest: dict[str, Floats] = {}
    for text in words:
        for name, made in zip(names, session.run(names, {"words": text}), strict=True):
            here = np.abs(made[0]).max(axis=0)
            largest[name] = np.maximum(largest.get(name, here), here)
    return [Largest(*(largest[name] for name in tensors_read(layer))) for layer in range(layers)]


def mean_cosine(graph: Path, other: Path, pooling: str, words: Iterator[Floats]) -> float:
    """The mean cosine between two graphs' vectors of the same texts."""
    first, second = open_session(graph), open_session(other)
    cosines = [float(pooled(first, text, pooling) @ pooled(second, text, pooling)) for text in words]
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
