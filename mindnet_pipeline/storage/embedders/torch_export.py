"""A folder of sentence-transformers, loaded and exported through torch: from token ids to the vector, as one graph.

The only module that imports torch; imported only while a model is prepared. Nothing is fetched and no code of the
folder is run.
"""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import torch
from sentence_transformers import SentenceTransformer
from transformers.utils import logging as transformers_logging

from mindnet_pipeline.storage.embedders.onnx_file import save
from mindnet_pipeline.storage.embedders.sentence_transformers import is_static, tokenizer_of

_OPSET = 18
_EXAMPLE_TOKENS = 12
"""The graph is made from symbols, not from this example: torch refuses what would hold for its length only."""


def load_model(folder: Path, most: int) -> Any:
    """The model in float32, reading at most so many tokens."""
    with _quietly():
        model = SentenceTransformer(str(folder), device="cpu", local_files_only=True, trust_remote_code=False)
    if not is_static(model):
        model.max_seq_length = min(model.max_seq_length or most, most)
        model.tokenizer.truncation_side = "right"  # of questions alone, as other texts are embedded in parts
    return model.float().eval()


def tokenizer_json(model: Any) -> dict[str, Any]:
    """What the package tokenizers reads, with all that sentence-transformers does before and after it.

    Raises:
        EmbedderError: the model's tokenizer is not one of that package.
    """
    settings: dict[str, Any] = json.loads(tokenizer_of(model).to_str())
    if is_static(model):  # it reads the bare text
        settings["post_processor"] = None
    return settings


def export(model: Any, graph: Path, data: str) -> None:
    """Write the graph and, to a file `data` beside it, its weights.

    It reads `ids`, shape (1, tokens), and `prompt_tokens`, shape (1,), and gives the vector, shape (1, dimension).
    """
    example = (torch.arange(1, 1 + _EXAMPLE_TOKENS)[None], torch.zeros(1, dtype=torch.int64))
    made = graph.with_suffix(".torch")
    with torch.no_grad(), _quietly():
        program = torch.onnx.export(
            _Pipeline(model).eval(),
            example,
            dynamo=True,
            input_names=["ids", "prompt_tokens"],
            output_names=["vector"],
            dynamic_shapes=({1: torch.export.Dim.DYNAMIC}, {}),
            opset_version=_OPSET,
            verbose=False,
        )
        program.save(str(made), external_data=True)
    exact = onnx.load(str(made))
    for node in exact.graph.node:
        del node.metadata_props[:]  # where in whose files it comes from
    save(exact, graph, data)
    for file in graph.parent.glob(f"{made.name}*"):
        file.unlink()


class _Pipeline(torch.nn.Module):  # type: ignore[misc] # torch is not read by mypy
    """All modules of a model one after the other, for one text that is not padded."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        first = _MeanOfWords(model[0].embedding) if is_static(model) else model[0]
        self._steps = torch.nn.ModuleList([first, *list(model)[1:]])
        self._dimension = model.truncate_dim

    def forward(self, ids: Any, prompt_tokens: Any) -> Any:
        """The vector, of length 1."""
        features = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        for step in self._steps:
            if not getattr(step, "include_prompt", True):
                counted = torch.arange(ids.shape[1]) >= prompt_tokens
                features["attention_mask"] = counted.to(ids.dtype)[None]
            features = step(features)
        return torch.nn.functional.normalize(features["sentence_embedding"][:, : self._dimension], dim=-1)


class _MeanOfWords(torch.nn.Module):  # type: ignore[misc] # torch is not read by mypy
    """A static model without its operator for several texts of several lengths, which ONNX has only as a loop."""

    def __init__(self, embedding: Any) -> None:
        super().__init__()
        self._words = torch.nn.Embedding.from_pretrained(embedding.weight.detach())

    def forward(self, features: dict[str, Any]) -> dict[str, Any]:
        """The features with the vector."""
        return features | {"sentence_embedding": self._words(features["input_ids"]).mean(dim=1)}


@contextmanager
def _quietly() -> Iterator[None]:
    """Without bars, warnings and log lines of others: what matters of them is told by checking the graph."""
    disabled = logging.root.manager.disable
    logging.disable(logging.WARNING)
    transformers_logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        transformers_logging.enable_progress_bar()
        logging.disable(disabled)
