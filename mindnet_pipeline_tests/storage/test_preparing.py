"""Preparing a model: one process at a time, nothing left of those that were killed, and what is said of what fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder
from mindnet_pipeline.storage.embedders.prepared import is_intact
from mindnet_pipeline.storage.embedders.preparing import prepare
from mindnet_pipeline_tests.storage.models import write_json, write_model

STUCK = """
import sys, time
from mindnet_pipeline.storage.embedders.preparing import prepare

def stop_here(what, done, total):
    print(what, flush=True)
    time.sleep(60)

prepare(*sys.argv[1:], stop_here)
"""
"""A program that stays in the middle of preparing a model."""
PREPARE = "import sys\nfrom mindnet_pipeline.storage.embedders.preparing import prepare\nprint(prepare(*sys.argv[1:]))"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_model(tmp_path / "model")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_what_a_killed_process_left_is_removed(model: Path, data: Path) -> None:
    stuck = subprocess.Popen([sys.executable, "-c", STUCK, model, data], stdout=subprocess.PIPE, text=True)
    with stuck:
        assert stuck.stdout is not None
        assert stuck.stdout.readline()
        stuck.kill()
    assert list((data / "cache" / "models").iterdir())
    folder = prepare(str(model), str(data))
    assert is_intact(folder)
    assert list(folder.parent.iterdir()) == [folder]


def test_who_comes_second_waits_and_takes_what_the_first_made(model: Path, data: Path) -> None:
    command = [sys.executable, "-c", PREPARE, model, data]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = {one.communicate()[0].strip() for one in both}
    assert [one.returncode for one in both] == [0, 0]
    (folder,) = said
    assert is_intact(Path(folder))
    assert list(Path(folder).parent.iterdir()) == [Path(folder)]


def test_waiting_is_said(model: Path, data: Path) -> None:
    said: list[str] = []
    lock = FileLock(data / "cache" / "models.lock")
    (data / "cache").mkdir(parents=True)

    def go_on(what: str, _done: int, _total: int) -> None:
        said.append(what)
        lock.release()

    with lock:
        prepare(str(model), str(data), go_on)
    assert said[0].startswith("waiting for another process")


def test_a_tokenizer_of_no_kind_is_an_error_that_names_the_model(model: Path, data: Path) -> None:
    write_json(model, tokenizer={"post_processor": {}, "model": {"type": "Unheard"}})
    with pytest.raises(EmbedderError, match=f"{model}.*cannot be prepared"):
        prepare(str(model), str(data))
    assert not list((data / "cache" / "models").iterdir())


def test_settings_that_do_not_fit_the_weights_are_an_error_that_names_the_model(model: Path, data: Path) -> None:
    write_json(model, config=json.loads((model / "config.json").read_text()) | {"num_attention_heads": 5})
    with pytest.raises(EmbedderError, match=f"{model}.*cannot be prepared"):
        prepare(str(model), str(data))


def test_prompts_that_leave_no_room_are_an_error(tmp_path: Path, data: Path) -> None:
    model = write_model(tmp_path / "short", sentence_bert_config={"max_seq_length": 16})
    prepared = prepare(str(model), str(data))
    assert OnnxEmbedder(prepared, query_prompt="wer fragt ").max_tokens == 6
    with pytest.raises(EmbedderError, match="no room"):
        OnnxEmbedder(prepared, query_prompt="wer fragt hier denn ")
