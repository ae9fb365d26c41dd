"""`python -m mindnet_pipeline.chat`: one question, questions from a pipe, JSON, exit codes, no traceback ever."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindnet_pipeline.chat import main
from mindnet_pipeline_tests.conversation import model_server as reply
from mindnet_pipeline_tests.conversation.model_server import ModelServer, model_server
from mindnet_pipeline_tests.conversation.talks import QUESTION, Talk, garden


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def talk(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    for name in ("MINDNET_TYPES_FILE", "MINDNET_QDRANT_URL", "MINDNET_PREFIX", "MINDNET_LANG", "MINDNET_LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with garden(tmp_path, server) as made:
        for name, value in made.environ.items():
            monkeypatch.setenv(name, value)
        yield made


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("talk")
class TestOneQuestion:
    def test_json_has_answer_citations_and_hits(self, capsys: pytest.CaptureFixture[str], server: ModelServer) -> None:
        server.says("Wegen der Sonne [1][7].")
        found = as_json(capsys, QUESTION, "--intent", "why")
        assert found["answer"] == "Wegen der Sonne [1]."
        assert found["citations"] == [
            {"number": 1, "note_id": "beet", "title": "Beet", "section": "", "chunk_id": "beet#c01", "path": "beet.md",
             "line": 1}
        ]  # fmt: skip
        assert found["removed_citations"] == [7]
        assert (found["outcome"], found["model"], found["intent"]["name"]) == ("answered", "phi3:mini", "why")
        assert found["hits"][0]["reasons"]
        assert found["query_id"]
        assert found["notices"] == ["Entfernt, weil es keine solche Stelle gibt: [7]."]

    def test_no_passages_at_all_is_refused(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([QUESTION, "-k", "0"]) == 2
        assert "must be at least 1, not 0" in capsys.readouterr().err

    def test_the_plain_output_has_answer_and_sources(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([QUESTION]) == 0
        shown = capsys.readouterr().out
        assert shown == ("Weil die Notizen im Haus bleiben [1].\n\nQuellen:\n[1] Beet · beet#c01 · beet.md:1\n")

    def test_options_narrow_the_search(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = as_json(capsys, QUESTION, "--type", "project", "-k", "1", "--intent", "off")
        assert [hit["note_id"] for hit in found["hits"]] == ["plan"]

    def test_another_model_may_be_named(self, capsys: pytest.CaptureFixture[str], server: ModelServer) -> None:
        assert as_json(capsys, QUESTION, "--model", "llama3.2")["model"] == "llama3.2"
        assert server.requests[0]["model"] == "llama3.2"

    def test_the_prompt_can_be_looked_at_without_asking(
        self, capsys: pytest.CaptureFixture[str], server: ModelServer
    ) -> None:
        assert main([QUESTION, "--show-prompt"]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith("--- system\n")
        assert "Plan hängt ab von Beet." in shown
        assert server.requests == []

    def test_nothing_in_the_vault_is_no_failure(self, capsys: pytest.CaptureFixture[str]) -> None:
        found = as_json(capsys, "Wie heißt die Hauptstadt von Frankreich?")
        assert (found["outcome"], found["answer"]) == ("nothing", "Dazu steht nichts in deinen Notizen.")

    def test_a_model_that_fails_gives_exit_code_1(
        self, capsys: pytest.CaptureFixture[str], server: ModelServer
    ) -> None:
        server.says(reply.refuses(401, {"error": "no"}))
        assert as_json(capsys, QUESTION, code=1)["outcome"] == "failed"

    def test_without_a_model_there_are_passages_and_exit_code_0(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MINDNET_LLM_URL", "http://127.0.0.1:9/v1")
        assert main([QUESTION]) == 0
        shown = capsys.readouterr().out
        assert "ollama pull phi3:mini" in shown
        assert "[1] Beet · beet#c01 · beet.md:1" in shown
        assert "    • Gemeinsame Wörter: " in shown

    def test_an_unknown_type_is_one_line_and_exit_code_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main([QUESTION, "--type", "projekt"]) == 2
        shown = capsys.readouterr()
        assert (shown.out, shown.err.count("\n")) == ("", 1)
        assert "Did you mean `project`?" in shown.err


class TestFromAPipe:
    def test_every_line_is_a_question(
        self, talk: Talk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert talk
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{QUESTION}\n\nUnd warum?\n"))
        assert main(["--json"]) == 0
        found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert [each["question"] for each in found] == [QUESTION, "Und warum?"]

    def test_an_empty_pipe_is_told(
        self, talk: Talk, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert talk
        monkeypatch.setattr(sys, "stdin", io.StringIO(""))
        assert main([]) == 2
        assert "There is no question" in capsys.readouterr().err


class TestTheLog:
    def test_a_question_is_kept_unless_told_otherwise(self, talk: Talk, capsys: pytest.CaptureFixture[str]) -> None:
        kept = talk.data / "feedback" / "situations.jsonl"
        as_json(capsys, QUESTION, "--no-log")
        assert not kept.exists()
        found = as_json(capsys, QUESTION)
        assert found["query_id"] in kept.read_text(encoding="utf-8")


def test_the_key_appears_nowhere(talk: Talk, server: ModelServer) -> None:
    server.says(reply.refuses(401, {"error": {"message": "bad key geheim-123"}}))
    done = subprocess.run(
        [sys.executable, "-m", "mindnet_pipeline.chat", QUESTION],
        env={**os.environ, **talk.environ, "MINDNET_LLM_API_KEY": "geheim-123"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "lehnt den Schlüssel aus MINDNET_LLM_API_KEY ab (401)" in done.stdout
    assert "geheim-123" not in done.stdout
    assert server.headers[0]["Authorization"] == "Bearer geheim-123"
