"""`python -m mindnet_pipeline.query` on a small index without a model, and what it says when something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from mindnet_pipeline.query import main
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import StoreFacts
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder, World

CONFIG = Path(__file__).parents[2] / "config"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder, chosen by the environment; a held store is not waited for."""
    config = tmp_path / "config"
    config.mkdir()
    (config / "types.yaml").write_bytes((CONFIG / "types.yaml").read_bytes())
    (config / "pipeline.yaml").write_text("store: {wait_seconds: 0}\n", encoding="utf-8")
    for name in ("MINDNET_TYPES_FILE", "MINDNET_QDRANT_URL", "MINDNET_PREFIX", "MINDNET_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"CONFIG": config, "DATA": tmp_path / "data", "VAULT": tmp_path, "EMBEDDER": "none"}.items():
        monkeypatch.setenv(f"MINDNET_{name}", str(value))
    return tmp_path / "data"


@pytest.fixture
def filled(data: Path) -> Path:
    world = World(NoEmbedder()).note("beet", "Kohl wächst im Beet.", type="decision", path="Garten/beet.md")
    world.note("plan", "Der Kohl steht im Plan.", type="project", frontmatter={"status": "aktiv"})
    world.link("plan#c01", "beet", "depends_on").fill(EmbeddedStore(str(data)))
    return data


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that an error gives."""
    assert main([*arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


@pytest.mark.usefixtures("filled")
class TestWithAnIndex:
    def test_json_has_the_hits_and_no_reasons_unless_asked(self, capsys: pytest.CaptureFixture[str]) -> None:
        result = asked(capsys, "Kohl im Beet", "-k", "1")
        assert result["query"] == "Kohl im Beet"
        (hit,) = result["hits"]
        assert (hit["chunk_id"], hit["path"], hit["line"]) == ("beet#c01", "Garten/beet.md", 1)
        assert "reasons" not in hit

    def test_json_with_explain_has_parts_that_add_up_and_reasons(self, capsys: pytest.CaptureFixture[str]) -> None:
        for hit in asked(capsys, "Kohl", "--explain")["hits"]:
            assert sum(hit["score_breakdown"].values()) == pytest.approx(hit["score"])
            assert hit["reasons"]

    @pytest.mark.parametrize(
        "option",
        [("--type", "project"), ("--note", "Plan"), ("--where", "status=aktiv")],
        ids=lambda option: option[0],
    )
    def test_options_filter(self, capsys: pytest.CaptureFixture[str], option: tuple[str, str]) -> None:
        assert [hit["note_id"] for hit in asked(capsys, "Kohl", *option)["hits"]] == ["plan"]

    def test_the_plain_output_shows_place_and_reasons(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["Kohl", "--explain"]) == 0
        shown = capsys.readouterr().out
        assert "Garten/beet.md:1" in shown
        assert "Bevorzugt, da Entscheidung." in shown

    def test_an_empty_question_is_one_line_and_exit_code_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "empty" in refused(capsys, "  ")

    def test_an_unknown_type_is_one_line_and_exit_code_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "Did you mean `project`?" in refused(capsys, "Kohl", "--type", "projekt")

    def test_a_condition_without_a_sign_is_one_line_and_exit_code_2(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "key=value" in refused(capsys, "Kohl", "--where", "status")


def test_no_index_yet_is_one_line_and_exit_code_2(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not data.exists()
    assert "sync" in refused(capsys, "Kohl")


def test_an_index_without_chunks_is_one_line_and_exit_code_2(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    World(NoEmbedder()).fill(EmbeddedStore(str(data)))
    assert "sync" in refused(capsys, "Kohl")


def test_an_index_of_another_model_is_one_line_and_exit_code_2(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    World().note("a", "Kohl").fill(EmbeddedStore(str(data)))
    assert "words@test" in refused(capsys, "Kohl")


def test_a_held_store_is_one_line_and_exit_code_2(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with EmbeddedStore(str(filled)).writer(StoreFacts("none", 0)):
        assert refused(capsys, "Kohl").startswith("error: ")


def test_asking_imports_no_framework(filled: Path) -> None:
    code = (
        "import sys; from mindnet_pipeline.query import main; main(['Kohl', '--json']);"
        "print([name for name in ('dagster', 'torch', 'pandas', 'qdrant_client', 'sklearn') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=filled.parent)
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.usefixtures("filled")
class TestIntents:
    def test_the_kind_of_question_is_recognised_and_named(self, capsys: pytest.CaptureFixture[str]) -> None:
        intent = asked(capsys, "Warum wächst der Kohl im Beet und nicht im Plan?")["intent"]
        assert (intent["name"], intent["recognised_by"]) == ("why", "pattern")
        assert intent["understood"] == "Als Warum-Frage verstanden: Entscheidungen bevorzugt."

    def test_it_can_be_forced_and_switched_off(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert asked(capsys, "Kohl", "--intent", "why")["intent"]["recognised_by"] == "forced"
        off = asked(capsys, "Warum Kohl?", "--intent", "off")["intent"]
        assert (off["recognised_by"], off["understood"]) == ("off", "")

    def test_an_unknown_one_is_refused_with_the_nearest(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert "did you mean `person`" in refused(capsys, "Kohl", "--intent", "persn")

    def test_a_mistake_in_the_file_is_one_line_with_its_key(
        self, filled: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        file = filled.parent / "config" / "decision_engine.yaml"
        file.write_text("intents: {fact: {}, why: {patterns: {de: ['(warum']}}}", encoding="utf-8")
        assert "intents.why.patterns.de.0" in refused(capsys, "Kohl")

    def test_it_stands_above_the_hits_on_a_terminal(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["Warum nutzen wir Kohl?", "--explain"]) == 0
        assert capsys.readouterr().out.startswith("Als Warum-Frage verstanden: Entscheidungen bevorzugt.\n")
