"""`sync` and `status` as a user meets them: figures, a second call that does nothing, errors in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindnet_pipeline import status, sync
from mindnet_pipeline.storage.locks import writer_lock
from mindnet_pipeline_tests.engine.vaults import write_vault

NOTES = {
    "a.md": "---\nid: a\n---\n# Eins\n\nSiehe [[b]] und [[Fehlt]].\n",
    "b.md": "---\nid: [kaputt\n---\nZwei bleibt lesbar.\n",
}


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("MINDNET_EMBEDDER", "none")
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("MINDNET_VAULT", "")
    monkeypatch.setenv("MINDNET_DATA", "")
    (tmp_path / "vault").mkdir()
    return ["--vault", str(tmp_path / "vault"), "--data", str(tmp_path / "data")]


def figures(capsys: pytest.CaptureFixture[str]) -> dict:
    return json.loads(capsys.readouterr().out)


def test_figures_then_nothing_to_do_then_the_state(
    folders: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_vault(tmp_path / "vault", NOTES)
    assert sync.main([*folders, "--json"]) == 0
    first = figures(capsys)
    assert set(first) == set(sync.FIGURES)
    assert (first["notes"], first["added"], first["unresolved"]) == (2, 2, 1)
    assert first["points"] > 0

    assert sync.main([*folders, "--json"]) == 0
    second = figures(capsys)
    assert [second[name] for name in ("added", "changed", "removed", "embedded", "points")] == [0] * 5
    assert second["unchanged"] == 2

    assert status.main([*folders, "--json"]) == 0
    state = figures(capsys)
    assert state["index"]["notes"] == 2
    assert {row["path"] for row in state["warnings"]} >= {"b.md"}
    assert [row["target"] for row in state["unresolved"]] == ["Fehlt"]
    assert state["unfinished"] == []


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_a_missing_vault_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], folders: list[str]) -> None:
    assert sync.main(["--vault", str(tmp_path / "weg"), *folders[2:]]) == 2
    assert "weg" in one_line(capsys)


def test_an_empty_vault_is_one_line(capsys: pytest.CaptureFixture[str], folders: list[str]) -> None:
    assert sync.main(folders) == 2
    assert "no notes" in one_line(capsys)


def test_a_wrong_configuration_names_the_nearest_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folders: list[str]
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "pipeline.yaml").write_text("valt: x\n", encoding="utf-8")
    monkeypatch.setenv("MINDNET_CONFIG", str(tmp_path / "config"))
    assert sync.main(folders) == 2
    assert "did you mean `vault`" in one_line(capsys)


def test_a_held_lock_is_waited_for_by_name(tmp_path: Path) -> None:
    from mindnet_pipeline.core.errors import StoreLockedError  # noqa: PLC0415 - beside its only use

    data = str(tmp_path / "data")
    (tmp_path / "data").mkdir()
    with (
        writer_lock(data, 1, "first"),
        pytest.raises(StoreLockedError, match="first"),
        writer_lock(data, 0.1, "second"),
    ):
        pass
