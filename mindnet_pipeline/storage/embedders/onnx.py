"""A prepared model in ONNX Runtime: the fastest engine on a processor, without torch.

Each core works on a text of its own, unpadded, the longest first: no core waits for another inside a text, and no work
goes into padding. A text's vector is the same whatever else is embedded with it.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import onnxruntime

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.batching import BatchedEmbedder
from mindnet_pipeline.storage.embedders.bundled import model_file
from mindnet_pipeline.storage.embedders.e5_file import E5File, Floats
from mindnet_pipeline.storage.embedders.parts import clean
from mindnet_pipeline.storage.embedders.prepared import GRAPH, TOKENIZER, WORDS, PreparedModel, read_prepared
from mindnet_pipeline.storage.embedders.protocol import Vectors
from mindnet_pipeline.storage.embedders.unigram import UnigramTokenizer

_Tokens = tuple[list[int], list[int]]
"""Token ids and the character offsets at which they start."""


class _Vocabulary(Protocol):
    """What stands before the graph: tokens and their vectors."""

    specials: tuple[list[int], list[int]]

    def encode(self, text: str) -> _Tokens: ...
    def vectors(self, ids: npt.NDArray[np.int64]) -> Floats: ...


class _PackagedVocabulary:
    """The bundled model's own."""

    def __init__(self) -> None:
        file = E5File(model_file())
        self.encode = UnigramTokenizer(file).encode
        self.vectors = file.word_vectors
        self.specials = ([file.bos], [file.eos])


class _FolderVocabulary:
    """That of a prepared model folder."""

    def __init__(self, folder: Path) -> None:
        from tokenizers import Tokenizer  # noqa: PLC0415 - only where it is chosen

        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._words = np.load(folder / WORDS, mmap_mode="r")
        whole = self._tokenizer.encode("a")
        marks = [index for index, mark in enumerate(whole.special_tokens_mask) if not mark]
        self.specials = (whole.ids[: marks[0]], whole.ids[marks[-1] + 1 :])

    def encode(self, text: str) -> _Tokens:
        found = self._tokenizer.encode(text, add_special_tokens=False)
        return found.ids, [start for start, _ in found.offsets]

    def vectors(self, ids: npt.NDArray[np.int64]) -> Floats:
        return np.asarray(self._words[ids], dtype=np.float32)


class OnnxEmbedder(BatchedEmbedder):
    """`Embedder` over the folder of a prepared model; vocabulary and graph are loaded when first used."""

    def __init__(self, folder: Path, batch_size: int = 32, query_prompt: str = "", document_prompt: str = "") -> None:
        """Open a prepared model; prompts of one's own win over the model's.

        Raises:
            EmbedderError: nothing is prepared in the folder.
        """
        found = read_prepared(folder)
        if found is None:
            raise EmbedderError(f"{folder}: no prepared model. Run `python -m mindnet_pipeline.prepare_model`.")
        self._folder = folder
        self._model: PreparedModel = found
        self._query_prompt = query_prompt or found.query_prompt
        self._document_prompt = document_prompt or found.document_prompt
        # The bundled model's specials and prompts take 4 tokens; its vocabulary is not read for that.
        room = 4 if self._is_packaged and not (query_prompt or document_prompt) else self._taken()
        prompts = "" if (query_prompt, document_prompt) == ("", "") else f"+{query_prompt}|{document_prompt}"
        key = f"{found.model}@onnx-fp32-{found.graph_sha256[:8]}{prompts}"
        super().__init__(key, found.dimension, found.max_sequence - room, batch_size)

    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each token of the text starts."""
        return self._vocabulary.encode(clean(text))[1]

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a question; what is beyond the model's length is left out, as no question is that long."""
        return self._vector(self._query_prompt, clean(text))

    def _embed(self, texts: list[str]) -> Vectors:
        if len(texts) == 1:
            return self._vector(self._document_prompt, texts[0])[None]
        return np.stack(list(self._workers.map(lambda text: self._vector(self._document_prompt, text), texts)))

    def _vector(self, prompt: str, text: str) -> npt.NDArray[np.float32]:
        vocabulary = self._vocabulary
        before, after = vocabulary.specials
        ids = before + vocabulary.encode(prompt + text)[0][: self._model.max_sequence - len(before + after)] + after
        words = vocabulary.vectors(np.array(ids, dtype=np.int64))
        (states,) = self._session.run(None, {"words": words[None]})
        pooled = states[0].mean(axis=0) if self._model.pooling == "mean" else states[0, 0]
        vector: npt.NDArray[np.float32] = pooled / max(float(np.linalg.norm(pooled)), 1e-12)
        return vector

    def _taken(self) -> int:
        before, after = self._vocabulary.specials
        prompts = (self._query_prompt, self._document_prompt)
        return len(before + after) + max(len(self._vocabulary.encode(prompt)[0]) for prompt in prompts)

    @property
    def _is_packaged(self) -> bool:
        return not (self._folder / TOKENIZER).exists()

    @cached_property
    def _vocabulary(self) -> _Vocabulary:
        return _PackagedVocabulary() if self._is_packaged else _FolderVocabulary(self._folder)

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(_cores(), thread_name_prefix="embed")

    @cached_property
    def _session(self) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(
            str(self._folder / GRAPH), sess_options=options, providers=["CPUExecutionProvider"]
        )


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
