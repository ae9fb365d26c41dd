"""Model folders of every other kind than those built here: exported through torch, once, while they are prepared.

The graph then holds the whole pipeline of sentence-transformers, and its vectors are compared with those of its
`encode`, so that whatever is not understood here is an error and not a wrong vector.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from mindnet_pipeline.core.errors import EmbedderError, in_a_line
from mindnet_pipeline.storage.embedders.calibration import Texts
from mindnet_pipeline.storage.embedders.calibration_texts import JUDGED, MEASURED
from mindnet_pipeline.storage.embedders.model_settings import kind_of
from mindnet_pipeline.storage.embedders.model_sources import Progress, Write, rewrite
from mindnet_pipeline.storage.embedders.prepared import POOLED_INSIDE, TOKENIZER, WEIGHTS, PreparedModel
from mindnet_pipeline.storage.embedders.prompts import prompts_of
from mindnet_pipeline.storage.embedders.sentence_transformers import reads_at_most
from mindnet_pipeline.storage.embedders.session import open_session, pooled
from mindnet_pipeline.storage.embedders.sources import folder_stamp, model_name

MOST_TOKENS = 2048
"""Read at once, whatever the model could: attention takes memory by their square, and no chunk has more."""
_SAME = 1e-3
"""Between two vectors of length 1: more than float32's last digits make, less than any other text does."""
_PROMPT = "query: "
_LONG = " ".join((*MEASURED, *JUDGED))


class ExportedSource:
    """A folder that sentence-transformers loads."""

    def __init__(self, folder: Path, progress: Progress) -> None:
        """Load the model.

        Raises:
            EmbedderError: it does not load.
        """
        self._folder = folder
        progress("loading the model", 0, 1)
        try:
            from mindnet_pipeline.storage.embedders import torch_export  # noqa: PLC0415 - takes seconds, and only here

            self._torch = torch_export
            self._model = torch_export.load_model(folder, MOST_TOKENS)
            self._tokenizer = torch_export.tokenizer_json(self._model)
            self._dimension = len(self._encode("a", ""))
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a folder of any kind
            self._fail(error)
        progress("loading the model", 1, 1)

    def described(self) -> PreparedModel:
        """What is known before it is built."""
        name = model_name(str(self._folder))
        query_prompt, document_prompt = prompts_of(name, self._model.prompts or {})
        return PreparedModel(
            model=name,
            dimension=self._dimension,
            max_sequence=reads_at_most(self._model),
            pooling=POOLED_INSIDE,
            query_prompt=query_prompt,
            document_prompt=document_prompt,
            source=folder_stamp(self._folder),
        )

    def copy_vocabulary(self, target: Path) -> None:
        """Its tokenizer; its word vectors are in the graph."""
        (target / TOKENIZER).write_text(json.dumps(self._tokenizer, ensure_ascii=False), encoding="utf-8")

    def write_exact(self, graph: Path, texts: Texts, progress: Progress) -> None:
        """The graph in float32, compared with the model."""
        progress("exporting it", 0, 2)
        try:
            self._torch.export(self._model, graph, WEIGHTS)
            progress("exporting it", 1, 2)
            self._compare(graph, texts)
        except Exception as error:  # noqa: BLE001 - torch and onnxruntime have many kinds of not being able to
            self._fail(error)
        progress("exporting it", 2, 2)

    def in_eight_bits(self) -> Sequence[Write]:
        """The one way for a graph of which only its products are known."""
        return (rewrite,)

    def _compare(self, graph: Path, texts: Texts) -> None:
        session = open_session(graph)
        for text, prompt in [*((text, "") for text in ("a", *JUDGED, _LONG)), (JUDGED[-1], _PROMPT)]:
            found = pooled(session, texts.feed(text, prompt), POOLED_INSIDE)
            apart = float(np.abs(found - self._encode(text, prompt)).max())
            if not apart <= _SAME:
                raise ValueError(f"its graph's vectors are not those of the model: {apart:.4f} apart")

    def _encode(self, text: str, prompt: str) -> Any:
        return self._model.encode([text], prompt=prompt, normalize_embeddings=True, show_progress_bar=False)[0]

    def _fail(self, error: Exception) -> NoReturn:
        if isinstance(error, ImportError):
            raise EmbedderError(
                f"{self._folder}: preparing a model of this kind needs a package that is missing ({error}). "
                "Run `pip install sentence-transformers onnxscript`."
            ) from error
        raise EmbedderError(
            f"{self._folder}: a model of the kind {kind_of(self._folder)} that cannot be exported to ONNX "
            f"({in_a_line(error)}). Try it with MINDNET_EMBEDDER=sentence-transformers:{self._folder}, or take another."
        ) from error
