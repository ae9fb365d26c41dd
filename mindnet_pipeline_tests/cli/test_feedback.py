"""Logging by `query` and rating by `feedback`, on a small index without a model."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from mindnet_pipeline import query
from mindnet_pipeline.feedback import main
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder, World

CONFIG = Path(__file__).parents[2] / "config"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small index, chosen by the environment; the folder of its configuration."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "types.yaml").write_bytes((CONFIG / "types.yaml").read_bytes())
    for name in ("MINDNET_TYPES_FILE", "MINDNET_QDRANT_URL", "MINDNET_PREFIX", "MINDNET_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"CONFIG": folder, "DATA": tmp_path / "data", "VAULT": tmp_path, "EMBEDDER": "none"}.items():
        monkeypatch.setenv(f"MINDNET_{name}", str(value))
    world = World(NoEmbedder()).note("beet", "Kohl wächst im Beet.").note("plan", "Der Kohl steht im Plan.")
    world.fill(EmbeddedStore(str(tmp_path / "data")))
    return folder


@pytest.fixture
def asked(config: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """One question asked; its id."""
    assert config.is_dir()
    assert query.main(["Kohl im Beet", "--json"]) == 0
    query_id: str = json.loads(capsys.readouterr().out)["query_id"]
    return query_id


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


def log_files(config: Path) -> list[str]:
    return sorted(file.name for file in (config.parent / "data").glob("feedback/*.jsonl"))


def test_a_question_is_logged(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = json.loads(printed(capsys, "--json"))
    assert (row["query_id"], row["query"], row["ratings"]) == (asked, "Kohl im Beet", 0)


def test_no_log_logs_nothing(config: Path) -> None:
    assert query.main(["Kohl", "--no-log", "--json"]) == 0
    assert log_files(config) == []


def test_the_switch_in_the_configuration_logs_nothing(config: Path) -> None:
    (config / "pipeline.yaml").write_text("feedback: {log: false}\n", encoding="utf-8")
    assert query.main(["Kohl", "--json"]) == 0
    assert log_files(config) == []


def test_a_log_that_cannot_be_written_does_not_cost_the_answer(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (config.parent / "data" / "feedback").write_text("in the way")
    assert query.main(["Kohl", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["hits"]
    assert "not logged" in shown.err


def test_a_rating_is_noted_and_shown(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    label = json.loads(printed(capsys, "last", "1", "5", "--note", "genau das", "--json"))
    assert (label["query_id"], label["chunk_id"], label["rating"]) == (asked, "beet#c01", 5)
    hits = json.loads(printed(capsys, asked[:6], "--json"))["hits"]
    assert [(hit["chunk_id"], hit["rating"]) for hit in hits] == [("beet#c01", 5), ("plan#c01", None)]


def test_a_later_rating_supersedes(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, asked, "beet", "5")
    printed(capsys, asked, "beet#c01", "2")
    assert json.loads(printed(capsys, asked, "--json"))["hits"][0]["rating"] == 2


@pytest.mark.usefixtures("asked")
def test_people_see_questions_hits_and_what_was_noted(capsys: pytest.CaptureFixture[str]) -> None:
    assert "asked “Kohl im Beet”" in printed(capsys, "last", "2", "1")
    assert "1 rated  “Kohl im Beet”" in printed(capsys)
    assert "1  plan#c01" in printed(capsys, "last")


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nope", "1", "5"), "Kohl im Beet"),
        (("last", "3", "5"), "1 beet#c01, 2 plan#c01"),
        (("last", "1", "9"), "1 (useless) to 5"),
        (("last", "1"), "rating is missing"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_there_is(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert said in refused(capsys, *arguments)


def test_a_torn_line_is_told_and_passed_over(asked: str, config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (config.parent / "data" / "feedback" / "situations.jsonl").open("ab") as file:
        file.write(b'{"query_id": "torn')
    assert main(["--json"]) == 0
    shown = capsys.readouterr()
    assert [row["query_id"] for row in json.loads(shown.out)] == [asked]
    assert "situations.jsonl:2" in shown.err


@pytest.mark.usefixtures("config")
def test_a_remote_data_folder_is_one_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDNET_DATA", "memory://bucket/mind")
    assert "memory://bucket/mind" in refused(capsys, "last", "1", "5")


def on_a_terminal(answer: bytes, *arguments: str) -> str:
    """What `query` shows to someone who answers so."""
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "mindnet_pipeline.query", "Kohl", *arguments]
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its)
    os.close(its)
    os.write(ours, answer)
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


@pytest.mark.usefixtures("config")
class TestOnATerminal:
    def test_the_answer_to_the_question_is_a_rating(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "Gemerkt." in on_a_terminal(b"1 5, 2 1\n")
        hits = json.loads(printed(capsys, "last", "--json"))["hits"]
        assert [hit["rating"] for hit in hits] == [5, 1]

    def test_enter_passes(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "Note 1–5" in on_a_terminal(b"\n")
        assert json.loads(printed(capsys, "--json"))[0]["ratings"] == 0

    def test_what_is_not_understood_is_said_and_not_noted(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "write for example 1 5" in on_a_terminal(b"1 5, toll\n")
        assert json.loads(printed(capsys, "--json"))[0]["ratings"] == 0

    def test_nobody_is_asked_who_does_not_want_it(self) -> None:
        assert "Note 1–5" not in on_a_terminal(b"", "--no-ask")

    def test_nobody_is_asked_where_programs_listen(self) -> None:
        assert "Note 1–5" not in on_a_terminal(b"", "--json")
