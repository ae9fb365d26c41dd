"""`python -m mindnet_pipeline.status`: what is indexed and what deserves a look."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindnet_pipeline.engine.account import finish_run
from mindnet_pipeline.engine.planning import look_at_vault
from mindnet_pipeline.engine.run_set import run_set_of
from mindnet_pipeline.engine.sync import STEPS, sync_once
from mindnet_pipeline.status import main
from mindnet_pipeline_tests.engine.vaults import half_write, pipeline_of, write_vault

FILES = {
    "a.md": "[[fehlt]] und [[Notiz]]\n",
    "x/Notiz.md": "Eins.\n",
    "y/Notiz.md": "Zwei.\n",
    "kaputt.md": "---\ntitle: [offen\n---\nText.\n",
    ".fern.md.icloud": "bplist",
}


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"VAULT": tmp_path / "vault", "DATA": tmp_path / "data", "EMBEDDER": "none"}.items():
        monkeypatch.setenv(f"MINDNET_{name}", str(value))
    (tmp_path / "vault").mkdir()
    return tmp_path / "vault"


@pytest.fixture
def synced(vault: Path) -> Path:
    write_vault(vault, FILES)
    pipeline = pipeline_of(vault, vault.parent / "data")
    run_set = run_set_of(pipeline, look_at_vault(pipeline).plan)
    for step in STEPS.values():
        step(pipeline, run_set)
    finish_run(pipeline, run_set)
    return vault


def facts(capsys: pytest.CaptureFixture[str]) -> dict:
    assert main(["--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("synced")
def test_it_counts_what_is_indexed(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys)
    assert found["index"]["notes"] == 4
    assert found["last_run"]["notes"] == 4
    assert found["index"]["edges_by_kind"]["references"] == 2
    assert found["last_run"]["edges_by_kind"] == found["index"]["edges_by_kind"]
    assert found["collections_made_with"] == found["model"]
    assert found["unfinished"] == []


@pytest.mark.usefixtures("synced")
def test_it_names_links_to_mend_with_their_notes(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys)
    assert found["unresolved"] == [{"path": "a.md", "target": "fehlt", "kind": "references"}]
    assert found["ambiguous"] == [{"path": "a.md", "target": "Notiz", "taken": "x/Notiz.md"}]


@pytest.mark.usefixtures("synced")
def test_it_names_what_could_not_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    found = {(row["path"], row["code"]) for row in facts(capsys)["warnings"]}
    assert ("fern.md", "file.unreadable") in found
    assert any(path == "kaputt.md" and code.startswith("frontmatter") for path, code in found)


def test_it_names_a_note_whose_id_another_one_keeps(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(vault, dict.fromkeys(("a.md", "b.md"), "---\nid: doppelt\n---\nText.\n"))
    sync_once(pipeline_of(vault, vault.parent / "data"))
    found = facts(capsys)
    (warning,) = found["warnings"]
    assert (warning["path"], warning["code"]) == ("b.md", "duplicate_id")
    assert "`doppelt`" in warning["message"]
    assert found["index"]["warnings"] == 1


@pytest.mark.usefixtures("synced")
def test_people_get_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert "4 notes" in shown
    assert "Links that lead nowhere" in shown


def test_it_names_notes_of_an_interrupted_run(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(vault, {"a.md": "Text.\n"})
    half_write(pipeline_of(vault, vault.parent / "data"))
    assert facts(capsys)["unfinished"] == [{"note_id": "a"}]


@pytest.mark.usefixtures("vault")
def test_before_the_first_sync_it_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "nothing is indexed yet" in capsys.readouterr().out


@pytest.mark.usefixtures("vault")
def test_a_misspelt_variable_is_a_warning_beside_the_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MINDNET_PREFXI", "mine")
    assert main(["--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["index"]["notes"] == 0
    assert shown.err.startswith("warning: the variable MINDNET_PREFXI")
    assert shown.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_without_its_vault_it_shows_what_is_indexed_and_says_so(
    arguments: list[str], synced: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    synced.rename(synced.with_name("elsewhere"))
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert "4 notes" in shown.out or json.loads(shown.out)["index"]["notes"] == 4
    assert shown.err.startswith(f"warning: The vault {synced} does not exist")
    assert shown.err.count("\n") == 1


def test_a_vault_that_has_nothing_of_what_is_indexed_is_told_to_be_another(
    synced: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    synced.rename(synced.with_name("elsewhere"))
    synced.mkdir()
    (synced / "andere.md").write_text("Eine andere Notiz.\n", encoding="utf-8")
    assert main([]) == 1
    assert "has nothing of what is indexed (4 notes)" in capsys.readouterr().err


@pytest.mark.usefixtures("synced")
def test_a_vault_that_is_there_is_no_problem(capsys: pytest.CaptureFixture[str]) -> None:
    assert facts(capsys)["vault_problem"] is None
