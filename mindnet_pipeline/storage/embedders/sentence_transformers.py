"""Any model that the package sentence-transformers can load, by name or folder; on a GPU if there is one.

Opening it imports torch, so it is opened only where this engine is chosen. A model by name must be on disk already,
unless the user sets HF_HUB_OFFLINE=0: nothing is fetched behind anyone's back.
"""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.errors import EmbedderError, in_a_line
from mindnet_pipeline.storage.embedders.batching import BatchedEmbedder
from mindnet_pipeline.storage.embedders.parts import clean
from mindnet_pipeline.storage.embedders.prompts import prompts_of
from mindnet_pipeline.storage.embedders.protocol import Vectors
from mindnet_pipeline.storage.embedders.sources import folder_stamp, model_name

_USUAL_LENGTH, _ANY_LENGTH = 512, 1_000_000
_FETCH = "Name a model folder, or set HF_HUB_OFFLINE=0 to download it once."
_GET_ANEW = "Get its folder anew, or take another model."


class SentenceTransformersEmbedder(BatchedEmbedder):
    """One model of sentence-transformers."""

    def __init__(self, model: str, batch_size: int = 32, query_prompt: str = "", document_prompt: str = "") -> None:
        """Load the model; prompts of one's own win over the model's.

        Raises:
            EmbedderError: no model is named, the package is not installed, the model is not on disk, or its tokens
                cannot be counted.
        """
        self._model = _load(model)
        # A copy, as the next texts are counted while the model tokenises the ones that it embeds.
        self._tokenizer = deepcopy(tokenizer_of(self._model))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        usual = prompts_of(model_name(model), self._model.prompts or {})
        self._query_prompt, self._document_prompt = query_prompt or usual[0], document_prompt or usual[1]
        changed = f"+{query_prompt}|{document_prompt}" if query_prompt or document_prompt else ""
        key = f"{_name(model)}@sentence-transformers{changed}"
        dimension = self._model.get_embedding_dimension()
        super().__init__(key, int(dimension), self._room(), batch_size)

    @property
    def device(self) -> str:
        """What sentence-transformers chose: a GPU if there is one."""
        found = self._model.device
        return super().device if found.type == "cpu" else str(found)

    def load(self) -> None:
        """Nothing is left to read: the model was loaded on opening."""

    def token_offsets(self, text: str) -> list[int]:
        """The character offset at which each token of the text starts."""
        return [start for start, _ in self._tokenizer.encode(clean(text), add_special_tokens=False).offsets]

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """The vector of a question; what is beyond the model's length is left out, as no question is that long."""
        vector: npt.NDArray[np.float32] = self._encode([clean(text)], self._query_prompt)[0]
        return vector

    def _embed(self, texts: list[str]) -> Vectors:
        return self._encode(texts, self._document_prompt)

    def _encode(self, texts: list[str], prompt: str) -> Vectors:
        vectors = self._model.encode(
            texts,
            prompt=prompt,  # also none: else the model's default prompt would stand before notes and questions alike
            batch_size=len(texts),
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, dtype=np.float32)

    def _room(self) -> int:
        """Tokens left for a text beside special tokens and the longer prompt."""
        specials = 0 if is_static(self._model) else self._tokenizer.num_special_tokens_to_add(is_pair=False)
        prompts = max(len(self.token_offsets(prompt)) for prompt in (self._query_prompt, self._document_prompt))
        return reads_at_most(self._model) - specials - prompts


def tokenizer_of(model: Any) -> Any:
    """What splits a model's texts, of the package tokenizers.

    Raises:
        EmbedderError: it is another's.
    """
    found = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
    if not hasattr(found, "to_str"):
        raise EmbedderError(
            f"The model's tokenizer, a {type(found).__name__}, is not one of the package tokenizers, which says where "
            "tokens start. Take another model."
        )
    return found


def is_static(model: Any) -> bool:
    """True if all it does is to take the mean of word vectors, without special tokens."""
    return type(getattr(model[0], "embedding", None)).__name__ == "EmbeddingBag"


def reads_at_most(model: Any) -> int:
    """Tokens that a model reads at once, special ones included."""
    if not is_static(model):
        return int(model.max_seq_length or _USUAL_LENGTH)
    cut = model.tokenizer.truncation
    return int(cut["max_length"]) if cut else _ANY_LENGTH


def _load(model: str) -> Any:
    if not model:
        raise EmbedderError(
            "The engine sentence-transformers needs a model: set embedding.model to a name or a folder."
        )
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - only where it is chosen
    except ImportError as error:
        raise EmbedderError(
            "sentence-transformers is not installed. Run `pip install sentence-transformers`."
        ) from error
    from transformers.utils import logging  # noqa: PLC0415 - only where it is chosen

    logging.disable_progress_bar()
    folder = Path(model).expanduser()
    is_folder = folder.is_dir()
    try:
        return SentenceTransformer(str(folder) if is_folder else model)
    except Exception as error:  # a folder of any kind can be wrong in any way
        problem, remedy = ("cannot be loaded", _GET_ANEW) if is_folder else ("is not on this machine", _FETCH)
        raise EmbedderError(f"The model {model} {problem} ({in_a_line(error)}). {remedy}") from error


def _name(model: str) -> str:
    """A folder's name says little (`model`), so the stamp of what is in it is added."""
    folder = Path(model).expanduser()
    return f"{model_name(model)}-{folder_stamp(folder)}" if folder.is_dir() else model
