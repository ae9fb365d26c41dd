"""`python -m mindnet_pipeline.evaluate` on a small index without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindnet_pipeline.evaluate import main
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder, World

QUESTIONS = """
- {id: beet, question: Kohl im Beet, category: keyword, relevant: [{path: beet.md, grade: 2}]}
- {id: linked, question: Plan Kohl, category: link, relevant: [{path: ziel.md}, {path: plan.md}]}
- {id: nowhere, question: Kohl, category: keyword, relevant: [{path: missing.md}]}
"""


@pytest.fixture
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three questions on an index of three notes."""
    for name in ("MINDNET_TYPES_FILE", "MINDNET_QDRANT_URL", "MINDNET_CONFIG", "MINDNET_LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MINDNET_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MINDNET_EMBEDDER", "none")
    world = World(NoEmbedder()).note("beet", "Kohl wächst im Beet.").note("plan", "Der Kohl steht im Plan.")
    world.note("ziel", "Kohl.").link("plan#c01", "ziel").fill(EmbeddedStore(str(tmp_path / "data")))
    file = tmp_path / "golden.yaml"
    file.write_text(QUESTIONS, encoding="utf-8")
    return file


def test_json_has_means_by_category_and_each_question(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(golden), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["counts"] == {"all": 3, "keyword": 2, "link": 1}
    assert report["means"]["link"]["Recall@5"]["value"] == 1.0
    assert report["missed"] == ["nowhere"]
    assert [row["id"] for row in report["questions"]] == ["beet", "linked", "nowhere"]


def test_ablation_compares_each_signal_switched_off(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(golden), "--json", "--ablate"]) == 0
    without = json.loads(capsys.readouterr().out)["ablations"]
    assert set(without) == {
        "no meaning", "no words", "no links", "no centrality", "no types", "no intents",
    }  # fmt: skip
    assert without["no words"]["MRR"]["value"] <= 0
    assert without["no meaning"]["MRR"]["value"] == 0


def test_intents_are_compared_with_none_by_category(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(golden), "--json", "--ablate", "--intent", "why"]) == 0
    assert set(json.loads(capsys.readouterr().out)["ablations_by_category"]["no intents"]) == {"keyword", "link"}
    assert main([str(golden), "--json", "--ablate", "--intent", "off"]) == 0
    assert "no intents" not in json.loads(capsys.readouterr().out)["ablations"]


def test_an_unknown_intent_is_one_line_with_the_nearest(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(golden), "--intent", "whi"]) == 2
    assert "did you mean `why`" in capsys.readouterr().err


def test_the_table_names_measures_latency_and_what_was_missed(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(golden), "--ablate"]) == 0
    shown = capsys.readouterr().out
    for expected in ("nDCG", "keyword", "latency", "no words", "nowhere"):
        assert expected in shown


def test_a_missing_file_is_one_line_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nothing.yaml")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_places_that_the_index_does_not_have_are_named(golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golden.write_text(QUESTIONS.replace("{path: plan.md}", "{path: plan.md, section: Gibt es nicht}"), encoding="utf-8")
    assert main([str(golden), "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["missing"] == ["plan.md › Gibt es nicht", "missing.md"]
    assert shown.err.startswith("warning: 2 of 4 places")
    assert "plan.md › Gibt es nicht, missing.md." in shown.err


def test_questions_about_another_vault_are_an_error_that_says_what_to_do(
    golden: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden.write_text("- {id: other, question: Kohl, relevant: [{path: missing.md}]}\n", encoding="utf-8")
    assert main([str(golden)]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert "none of the notes that these questions are about (missing.md)" in shown.err
    assert "MINDNET_VAULT" in shown.err
