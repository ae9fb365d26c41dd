"""What every engine gets from `BatchedEmbedder`: bounded batches, one worker a core, tokenising beside computing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.storage.embedders.batching import BatchedEmbedder, cores
from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder
from mindnet_pipeline.storage.embedders.preparing import prepare
from mindnet_pipeline.storage.embedders.protocol import Vectors
from mindnet_pipeline.storage.embedders.session import open_session
from mindnet_pipeline_tests.storage.models import write_model

THOUSAND = 1024
SOON = 10.0
"""Seconds after which something did not happen at once."""


class Recorder(BatchedEmbedder):
    """Counts words as tokens and keeps what it was asked to embed."""

    batch_tokens = 60

    def __init__(self, max_tokens: int = 30, batch_size: int = 8) -> None:
        super().__init__("words", 2, max_tokens, batch_size)
        self.batches: list[list[str]] = []

    def load(self) -> None:
        pass

    def token_offsets(self, text: str) -> list[int]:
        return WordCounter().token_offsets(text)

    def _embed(self, texts: list[str]) -> Vectors:
        self.batches.append(texts)
        return np.tile(np.array([[1, 0]], np.float32), (len(texts), 1))

    def sizes(self) -> list[list[int]]:
        return [self.count_tokens(batch) for batch in self.batches]


def texts_of(lengths: list[int]) -> list[str]:
    return [" ".join(["wort"] * length) for length in lengths]


@given(st.lists(st.integers(0, 100), max_size=60), st.integers(1, 12))
def test_no_batch_holds_more_texts_or_padded_tokens_than_it_may(lengths: list[int], batch_size: int) -> None:
    embedder = Recorder(batch_size=batch_size)
    assert embedder.embed_documents(texts_of(lengths)).shape == (len(lengths), 2)
    for sizes in embedder.sizes():
        assert len(sizes) <= batch_size
        assert len(sizes) == 1 or max(sizes) * len(sizes) <= embedder.batch_tokens
    assert sum(map(sum, embedder.sizes())) == sum(lengths)


def test_batches_are_as_full_as_they_may_be() -> None:
    embedder = Recorder()
    embedder.embed_documents(texts_of([20] * 6 + [2] * 16))
    assert [len(sizes) for sizes in embedder.sizes()] == [3, 3, 8, 8]


def test_texts_of_like_length_are_embedded_together_the_longest_first() -> None:
    embedder = Recorder()
    embedder.embed_documents(texts_of([3, 20, 1, 19, 2, 18]))
    assert embedder.sizes() == [[20, 19, 18], [3, 2, 1]]


class Slow(Recorder):
    """Computes the first batch only once a text was tokenised, and says whether that came to pass."""

    def __init__(self, awaited: str) -> None:
        super().__init__()
        self._awaited, self._seen = awaited, threading.Event()
        self.was_tokenised: bool | None = None

    def token_offsets(self, text: str) -> list[int]:
        if text == self._awaited:
            self._seen.set()
        return super().token_offsets(text)

    def _embed(self, texts: list[str]) -> Vectors:
        if self.was_tokenised is None:
            self.was_tokenised = self._seen.wait(SOON)
        return super()._embed(texts)


def test_the_next_thousand_texts_are_tokenised_while_the_first_are_computed() -> None:
    embedder = Slow("der letzte")
    embedder.embed_documents(["wort"] * THOUSAND + ["der letzte"])
    assert embedder.was_tokenised


def test_no_more_than_the_next_thousand_texts_are_tokenised_ahead() -> None:
    embedder = Recorder()
    counted: list[str] = []
    embedder.token_offsets = lambda text: counted.append(text) or [0]  # type: ignore[method-assign,func-returns-value]
    next(embedder.embed_stream(["wort"] * 4 * THOUSAND))
    assert THOUSAND <= len(counted) <= 2 * THOUSAND


def test_a_batch_is_begun_before_the_one_that_is_waited_for_is_there() -> None:
    events: list[str] = []

    class Background(Recorder):
        def _begin(self, texts: list[str]) -> Callable[[], Vectors]:
            number = sum(event.startswith("begin") for event in events) + 1
            events.append(f"begin {number}")
            return lambda: events.append(f"wait {number}") or self._embed(texts)  # type: ignore[func-returns-value]

    list(Background(batch_size=1).embed_stream(["a", "b", "c"]))
    assert events == ["begin 1", "begin 2", "wait 1", "begin 3", "wait 2", "wait 3"]


class TestCores:
    """All that the process may use, and none twice."""

    def test_onnx_has_one_worker_a_core_and_each_text_one_core(self, tmp_path: Path) -> None:
        folder = prepare(str(write_model(tmp_path / "model")), str(tmp_path / "data"))
        before = set(threading.enumerate())
        OnnxEmbedder(folder).embed_documents(["wer"] * 50)
        workers = [each for each in set(threading.enumerate()) - before if each.name.startswith("embed")]
        assert len(workers) == cores()
        options = open_session(folder / "encoder.onnx").get_session_options()
        assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)

    @pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="cores cannot be taken away here")
    def test_cores_that_the_process_may_not_use_are_not_counted(self) -> None:
        code = (
            "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
            "from mindnet_pipeline.storage.embedders.batching import cores; print(cores())"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "1"
