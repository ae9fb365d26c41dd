"""`python -m mindnet_pipeline.export`: the collections give the vault back byte for byte, and touch nothing else."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline.export import main
from mindnet_pipeline.exporting import check_folder, export_notes
from mindnet_pipeline.storage.vault import scan_vault
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import Point, StoreFacts
from mindnet_pipeline_tests.engine.vaults import pipeline_of, write_vault

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory, made and removed by a fixture
SHARED = Path(os.environ.get("MINDNET_SHARED") or "/nowhere", "vaults")

SOWN: Mapping[str, str | bytes] = {
    "leer.md": b"",
    "Ordner mit Leerzeichen/crlf.md": b"---\r\nid: crlf\r\n---\r\n# Titel\r\n\r\nAbsatz.\r\n",
    "cr.md": b"Eins.\rZwei.\r",
    "gemischt.md": b"Eins.\r\nZwei.\nDrei.\r",
    "bom.md": b"\xef\xbb\xbf---\ntitle: Mit BOM\n---\nText.\n",
    "utf16.md": b"\xff\xfe" + "Über den Garten.\r\n".encode("utf-16-le"),
    "cp1252.md": "Grüße – „so“ schrieb man früher.\n".encode("cp1252"),
    "latin1.md": b"Kaum lesbar: \x81\x8d\n",
    "Ma\u0308rz/U\u0308bung.md": "Zerlegt geschrieben: a\u0308, o\u0308.\n",
    "blanks.md": "Zeile mit Blanks   \nund Tab\t\n\n\n\n",
    "ohne-zeilenende.md": "## Eins\nText.\n\n## Zwei\nEnde ohne Zeilenende",
    "frontmatter-kaputt.md": "---\na: [1,\n---\nText.\n",
    "nur-blanks.md": b"---\nid: blanks\n---\n \n\t\r\n\n",
    "nur-frontmatter.md": "---\nid: nur\n---",
    "frontmatter-offen.md": "---\nid: offen\nText.\n",
    "GROSS.MD": "Endung in Großbuchstaben.\n",
    "steuerzeichen.md": "A\x0bB\x0cC\x00D\u2028E\n",
    "lang.md": "".join(f"## Abschnitt {n}\n\n" + f"Satz {n} über Kohl und Rüben. " * 60 + "\n\n" for n in range(20)),
}


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where the system has that."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        yield Path(name)


@pytest.fixture
def sown(folder: Path) -> Pipeline:
    write_vault(folder / "vault", SOWN)
    return synced(folder)


def synced(folder: Path) -> Pipeline:
    pipeline = pipeline_of(folder / "vault", folder / "data")
    sync_once(pipeline)
    return pipeline


def exported(pipeline: Pipeline, out: Path, **options: bool) -> dict[str, int]:
    """Export, and how often each verdict came."""
    with pipeline.store.reader() as reader:
        verdicts = [outcome.verdict for outcome in export_notes(reader, out, **options)]
    return {verdict: verdicts.count(verdict) for verdict in set(verdicts)}


def content(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def store_of(folder: Path, *paths: str, text: str = "Text.\n") -> EmbeddedStore:
    """A store that holds a bare note for each path."""
    facts = StoreFacts("none", 0)
    store = EmbeddedStore(str(folder))
    points = [
        Point(
            f"n{number}",
            {"note_id": f"n{number}", "path": path, "frontmatter_raw": "", "fulltext": f"{number} {text}", "bom": False}
            | {"encoding": "utf-8", "mtime": "2025-01-02T03:04:05+00:00", "chunk_count": 1},
        )
        for number, path in enumerate(paths)
    ]
    with store.writer(facts) as writer:
        writer.upsert("notes", points)
    store.switch(facts)
    return store


@pytest.mark.parametrize("from_chunks", [False, True], ids=["from fulltext", "from chunks"])
class TestByteForByte:
    def test_a_vault_of_odd_files_comes_back(self, sown: Pipeline, folder: Path, from_chunks: bool) -> None:
        exported(sown, folder / "out", from_chunks=from_chunks)
        assert content(folder / "out") == content(folder / "vault")

    @pytest.mark.slow
    @pytest.mark.parametrize("vault", sorted(SHARED.glob("*/")) if SHARED.is_dir() else [], ids=lambda path: path.name)
    def test_a_real_vault_comes_back(self, folder: Path, vault: Path, from_chunks: bool) -> None:
        pipeline = pipeline_of(vault, folder / "data")
        sync_once(pipeline)
        exported(pipeline, folder / "out", from_chunks=from_chunks)
        assert content(folder / "out") == {path: (vault / path).read_bytes() for path in scan_vault(vault).files}


class TestWhatIsThere:
    def test_files_have_the_time_they_had(self, sown: Pipeline, folder: Path) -> None:
        os.utime(folder / "vault" / "bom.md", (1_600_000_000, 1_600_000_000))
        (folder / "vault" / "bom.md").write_bytes(b"Neu.\n")
        os.utime(folder / "vault" / "bom.md", (1_600_000_000, 1_600_000_000))
        sync_once(sown)
        exported(sown, folder / "out")
        assert (folder / "out" / "bom.md").stat().st_mtime == 1_600_000_000

    def test_a_second_export_writes_nothing(self, sown: Pipeline, folder: Path) -> None:
        exported(sown, folder / "out")
        assert exported(sown, folder / "out") == {"same": len(SOWN)}

    def test_another_file_is_kept(self, sown: Pipeline, folder: Path) -> None:
        write_vault(folder / "out", {"bom.md": "Meins."})
        assert exported(sown, folder / "out") == {"kept": 1, "written": len(SOWN) - 1}
        assert (folder / "out" / "bom.md").read_text() == "Meins."

    def test_another_file_is_replaced_if_that_is_wanted(self, sown: Pipeline, folder: Path) -> None:
        write_vault(folder / "out", {"bom.md": "Meins."})
        assert exported(sown, folder / "out", overwrite=True) == {"written": len(SOWN)}
        assert (folder / "out" / "bom.md").read_bytes() == SOWN["bom.md"]

    def test_a_folder_in_the_way_is_a_refusal_and_the_other_notes_are_written(
        self, sown: Pipeline, folder: Path
    ) -> None:
        (folder / "out" / "bom.md").mkdir(parents=True)
        assert exported(sown, folder / "out", overwrite=True) == {"refused": 1, "written": len(SOWN) - 1}

    def test_a_note_whose_chunks_are_not_all_there_is_refused(self, folder: Path) -> None:
        with store_of(folder / "data", "a.md").reader() as reader:
            outcome = next(export_notes(reader, folder / "out", from_chunks=True))
        assert outcome.verdict == "refused"
        assert "chunks are not complete" in outcome.reason


class TestNothingOutside:
    @pytest.mark.parametrize(
        "path",
        ["../a.md", "a/../../b.md", "/etc/a.md", "a//b.md", "", ".md", ".obsidian/a.md", "a/./b.md", "a.sh", "a\0.md"],
    )
    def test_a_path_that_no_note_has_is_refused(self, folder: Path, path: str) -> None:
        with store_of(folder / "data", path).reader() as reader:
            assert [outcome.verdict for outcome in export_notes(reader, folder / "x" / "out")] == ["refused"]
        assert content(folder / "x") == {}

    def test_a_link_to_a_folder_outside_is_not_followed(self, folder: Path) -> None:
        (folder / "outside").mkdir()
        (folder / "out").mkdir()
        (folder / "out" / "in").symlink_to(folder / "outside")
        with store_of(folder / "data", "in/a.md", "in/new/b.md").reader() as reader:
            outcomes = list(export_notes(reader, folder / "out", overwrite=True))
        assert [outcome.verdict for outcome in outcomes] == ["refused", "refused"]
        assert content(folder / "outside") == {}

    def test_a_link_to_a_file_outside_is_replaced_and_its_file_left_alone(self, folder: Path) -> None:
        write_vault(folder, {"outside.txt": "Meins."})
        (folder / "out").mkdir()
        (folder / "out" / "a.md").symlink_to(folder / "outside.txt")
        with store_of(folder / "data", "a.md").reader() as reader:
            assert [outcome.verdict for outcome in export_notes(reader, folder / "out")] == ["kept"]
            assert [outcome.verdict for outcome in export_notes(reader, folder / "out", overwrite=True)] == ["written"]
        assert (folder / "outside.txt").read_text() == "Meins."

    def test_two_notes_with_one_path_do_not_replace_each_other(self, folder: Path) -> None:
        with store_of(folder / "data", "a.md", "a.md").reader() as reader:
            outcomes = list(export_notes(reader, folder / "out", overwrite=True))
        assert [outcome.verdict for outcome in outcomes] == ["written", "refused"]

    def test_the_vault_itself_is_never_the_place(self, folder: Path) -> None:
        (folder / "vault").mkdir()
        with pytest.raises(VaultError, match="only ever read"):
            check_folder(folder / "vault" / "restored", folder / "vault")


class TestCommandLine:
    @pytest.fixture(autouse=True)
    def _environment(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("MINDNET_TYPES_FILE", "MINDNET_QDRANT_URL", "MINDNET_PREFIX", "MINDNET_CONFIG"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"DATA": folder / "data", "VAULT": folder / "vault", "EMBEDDER": "none"}.items():
            monkeypatch.setenv(f"MINDNET_{name}", str(value))

    @pytest.mark.usefixtures("sown")
    def test_json_has_the_figures(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--out", str(folder / "out"), "--json"]) == 0
        figures = json.loads(capsys.readouterr().out)
        assert figures == {
            "out": str(folder / "out"), "written": len(SOWN), "same": 0, "kept": 0, "refused": 0, "problems": [],
        }  # fmt: skip

    @pytest.mark.usefixtures("sown")
    def test_a_note_that_was_not_written_is_named(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_vault(folder / "out", {"bom.md": "Meins."})
        assert main(["--out", str(folder / "out")]) == 1
        assert "not written: bom.md: a file with other content is there" in capsys.readouterr().err

    @pytest.mark.usefixtures("sown")
    def test_with_force_a_file_with_other_content_is_replaced(self, folder: Path) -> None:
        write_vault(folder / "out", {"bom.md": "Meins."})
        assert main(["--out", str(folder / "out"), "--force"]) == 0
        assert content(folder / "out") == content(folder / "vault")

    @pytest.mark.usefixtures("sown")
    def test_from_chunks_the_vault_comes_back_too(self, folder: Path) -> None:
        assert main(["--out", str(folder / "out"), "--from-chunks"]) == 0
        assert content(folder / "out") == content(folder / "vault")

    def test_from_chunks_nothing_is_taken_from_the_notes(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        store_of(folder / "data", "a.md")
        assert main(["--out", str(folder / "out"), "--from-chunks"]) == 1
        assert "chunks are not complete" in capsys.readouterr().err
        assert main(["--out", str(folder / "out")]) == 0

    def test_without_an_index_it_says_so_in_one_line(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (folder / "vault").mkdir()
        assert main(["--out", str(folder / "out")]) == 2
        shown = capsys.readouterr()
        assert shown.err.startswith("error: ")
        assert shown.err.count("\n") == 1
        assert not (folder / "out").exists()

    @pytest.mark.usefixtures("sown")
    def test_a_file_where_the_folder_should_be_is_an_error(
        self, folder: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        write_vault(folder, {"out": "eine Datei"})
        assert main(["--out", str(folder / "out")]) == 2
        assert "cannot be made" in capsys.readouterr().err
