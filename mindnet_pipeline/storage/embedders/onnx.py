"""A prepared model in ONNX Runtime: the fastest engine on a processor, without torch.

Each core works on a text of its own, unpadded, the longest first: no core waits for another inside a text, and no work
goes into padding. A text's vector is the same whatever else is embedded with it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.batching import BatchedEmbedder, cores
from mindnet_pipeline.storage.embedders.parts import clean
from mindnet_pipeline.storage.embedders.prepared import (
    GRAPH,
    TOKENIZER,
    PreparedModel,
    is_intact,
    is_sound,
    read_prepared,
    words_are_sound,
)
from mindnet_pipeline.storage.embedders.protocol import Vectors
from mindnet_pipeline.storage.embedders.session import open_session, pooled
from mindnet_pipeline.storage.embedders.vocabulary import Vocabulary, open_vocabulary, read_text

_PREPARE = "Run `python -m mindnet_pipeline.prepare_model`"


class OnnxEmbedder(BatchedEmbedder):
    """`Embedder` over the folder of a prepared model; vocabulary and graph are loaded when first used."""

    def __init__(self, folder: Path, batch_size: int = 32, query_prompt: str = "", document_prompt: str = "") -> None:
        """Open a prepared model; prompts of one's own win over the model's.

        Raises:
            EmbedderError: nothing is prepared in the folder.
        """
        found = read_prepared(folder)
        if found is None:
            raise EmbedderError(
                f"{folder}: the engine onnx has no prepared model here. {_PREPARE}, once (seconds, or a minute)."
            )
        self._folder = folder
        self._model: PreparedModel = found
        self._query_prompt = query_prompt or found.query_prompt
        self._document_prompt = document_prompt or found.document_prompt
        # The bundled model's specials and prompts take 4 tokens; its vocabulary is not read for that.
        is_packaged = not (folder / TOKENIZER).exists()
        room = 4 if is_packaged and not (query_prompt or document_prompt) else self._taken()
        prompts = f"+{query_prompt}|{document_prompt}" if query_prompt or document_prompt else ""
        key = f"{found.model}@onnx-{found.precision}-{found.format}-{found.source}{prompts}"
        super().__init__(key, found.dimension, found.max_sequence - room, batch_size)

    def load(self) -> None:
        """Read graph and vocabulary now instead of at first use."""
        _ = self._session, self._vocabulary

    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each token of the text starts."""
        return self._vocabulary.encode(clean(text))[1]

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a question; what is beyond the model's length is left out, as no question is that long."""
        return self._vector(clean(text), self._query_prompt)

    def _embed(self, texts: list[str]) -> Vectors:
        return self._begin(texts)()

    def _begin(self, texts: list[str]) -> Callable[[], Vectors]:
        self.load()  # here, not by several workers at once
        _ = self._checked_words
        begun = [self._workers.submit(self._vector, text, self._document_prompt) for text in texts]
        return lambda: np.stack([one.result() for one in begun])

    def _vector(self, text: str, prompt: str) -> npt.NDArray[np.float32]:
        feed = read_text(self._vocabulary, text, self._model.max_sequence, prompt)
        return pooled(self._session, feed, self._model.pooling)

    def _taken(self) -> int:
        before, after = self._vocabulary.specials
        prompts = (self._query_prompt, self._document_prompt)
        return len(before + after) + max(len(self._vocabulary.encode(prompt)[0]) for prompt in prompts)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        try:
            return open_vocabulary(self._folder, self._model.pooling)
        except EmbedderError:
            raise
        except Exception as error:  # tokenizers and numpy have many kinds, and a damaged file can meet any
            raise self._not_opened("vocabulary", error) from error

    @cached_property
    def _checked_words(self) -> bool:
        """Their checksum is compared before vectors are made that are kept; for a question it would take too long."""
        if not words_are_sound(self._folder):
            raise self._damaged()
        return True

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(cores(), thread_name_prefix="embed")

    @cached_property
    def _session(self) -> Any:
        """The graph. Its checksum is compared after opening, not before: both may go on beside other work."""
        try:
            session = open_session(self._folder / GRAPH)
        except Exception as error:  # onnxruntime has many kinds, and a damaged file can meet any
            raise self._not_opened("graph", error) from error
        if not is_sound(self._folder):
            raise self._damaged()
        return session

    def _not_opened(self, what: str, error: Exception) -> EmbedderError:
        """What to say of a file that is damaged, or sound and yet refused."""
        if is_intact(self._folder):
            return EmbedderError(f"{self._folder}: the {what} of the model cannot be opened: {error}")
        return self._damaged()

    def _damaged(self) -> EmbedderError:
        return EmbedderError(f"{self._folder}: the prepared model is damaged. {_PREPARE} to make it anew.")
