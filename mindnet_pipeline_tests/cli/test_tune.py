"""`python -m mindnet_pipeline.tune`: from ratings to a proposal, its adoption and the way back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindnet_pipeline.settings import Settings
from mindnet_pipeline.tune import main
from mindnet_pipeline_tests.learning.vaults import A_TASTE_FOR_TYPES, configured, rate


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    made = configured(tmp_path)
    for name in ("MINDNET_TYPES_FILE", "MINDNET_QDRANT_URL", "MINDNET_PREFIX", "MINDNET_LANG"):
        monkeypatch.delenv(name, raising=False)
    values = {"CONFIG": made.config_folder, "DATA": made.data, "VAULT": tmp_path, "EMBEDDER": "none"}
    for name, value in values.items():
        monkeypatch.setenv(f"MINDNET_{name}", str(value))
    return made


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    return shown.err


def test_without_ratings_it_says_how_many_are_missing(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert settings.tuning.min_ratings == 60
    assert "no proposal: 60 ratings and 20 questions still missing" in printed(capsys)


def test_propose_adopt_and_roll_back(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    rate(settings, A_TASTE_FOR_TYPES, 30)
    file = settings.config_folder / "retriever.yaml"
    before = file.read_bytes()
    shown = printed(capsys)
    for expected in ("95 % interval", "pairs in order", "nDCG@10", "not checked", "--adopt"):
        assert expected in shown
    assert file.read_bytes() == before
    assert "adopted" in printed(capsys, "--adopt", "last")
    assert settings.retriever.weights.type > 0.1
    assert "(adopted)" in printed(capsys, "--list")
    assert "back" in printed(capsys, "--rollback")
    assert file.read_bytes() == before
    assert "rollback" in printed(capsys, "--list")


def test_json_has_weights_measures_and_what_became_of_them(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    rate(settings, A_TASTE_FOR_TYPES, 30)
    made = json.loads(printed(capsys, "--json"))
    assert set(made["weights"]) == {"semantic", "lexical", "edge", "centrality", "type", "intent"}
    assert all(row["low"] > 0 for row in made["measures"])
    assert json.loads(printed(capsys, "--adopt", made["proposal"], "--json"))["weights"] == made["weights"]
    listed = json.loads(printed(capsys, "--list", "--json"))
    assert [(row["id"], row["adopted"]) for row in listed["proposals"]] == [(made["proposal"], True)]
    assert [step["action"] for step in listed["history"]] == ["adopt"]


@pytest.mark.usefixtures("settings")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--adopt", "last"), "no proposal yet"),
        (("--rollback",), "no adoption"),
        (("--list", "--rollback"), "stand alone"),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str) -> None:
    assert said in refused(capsys, *arguments)
