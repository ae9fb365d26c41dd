"""The vault as files: what counts as a note, what is left out and said, and how a note is read."""

from __future__ import annotations

import errno
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from mindnet_pipeline.core.errors import ConfigError, VaultError
from mindnet_pipeline.storage.vault import FileStat, read_bytes, read_file, scan_vault

no_windows = pytest.mark.skipif(sys.platform == "win32", reason="links and modes are POSIX")


def sow(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("Text.\n")
    return root


def found(root: Path, *exclude: str) -> list[str]:
    return list(scan_vault(root, exclude).files)


def obsidian_excludes(root: Path, *filters: str) -> None:
    (root / ".obsidian").mkdir(exist_ok=True)
    (root / ".obsidian" / "app.json").write_text(json.dumps({"userIgnoreFilters": filters}), encoding="utf-8")


@contextmanager
def nobody() -> Iterator[None]:
    """As a user who is bound by modes: root reads everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        for place in (folder, *folder.glob("*/")):
            place.chmod(0o755)


class TestWhatIsANote:
    def test_md_in_any_case_and_nothing_else(self, tmp_path: Path) -> None:
        sow(tmp_path, "a.md", "b.MD", "c.Md", "d.markdown", "e.txt", "md", "f.md.bak", "g.canvas")
        assert found(tmp_path) == ["a.md", "b.MD", "c.Md"]

    def test_paths_are_relative_with_slashes_and_sorted(self, tmp_path: Path) -> None:
        sow(tmp_path, "z.md", "Garten/Beet 1/Kohl.md", "a.md")
        assert found(tmp_path) == ["Garten/Beet 1/Kohl.md", "a.md", "z.md"]

    def test_each_note_has_its_size_and_time(self, tmp_path: Path) -> None:
        sow(tmp_path, "a.md")
        os.utime(tmp_path / "a.md", ns=(5, 123_456_789_000))
        assert scan_vault(tmp_path).files == {"a.md": FileStat(6, 123_456_789_000)}

    def test_a_folder_with_the_name_of_a_note_is_a_folder(self, tmp_path: Path) -> None:
        sow(tmp_path, "ordner.md/a.md")
        assert found(tmp_path) == ["ordner.md/a.md"]

    def test_an_empty_vault_has_no_notes_and_no_problems(self, tmp_path: Path) -> None:
        scan = scan_vault(tmp_path)
        assert (scan.files, scan.problems) == ({}, ())

    def test_decomposed_names_stay_as_on_disk(self, tmp_path: Path) -> None:
        sow(tmp_path, "Ma\u0308rz.md")
        assert found(tmp_path) == ["Ma\u0308rz.md"]

    @pytest.mark.skipif(sys.platform == "darwin", reason="the disk there takes both spellings for one")
    def test_two_spellings_of_one_name_are_one_note_and_a_problem(self, tmp_path: Path) -> None:
        scan = scan_vault(sow(tmp_path, "M\u00e4rz.md", "Ma\u0308rz.md"))
        assert list(scan.files) == ["M\u00e4rz.md"]
        assert [path for path, _ in scan.problems] == ["Ma\u0308rz.md"]

    @pytest.mark.skipif(sys.platform != "linux", reason="only there are names any bytes")
    def test_a_name_that_is_no_unicode_is_left_out_and_said(self, tmp_path: Path) -> None:
        (tmp_path / os.fsdecode(b"kaputt\xff.md")).write_text("Text.")
        scan = scan_vault(tmp_path)
        assert scan.files == {}
        assert "not valid Unicode" in scan.problems[0][1]


class TestWhatIsLeftOut:
    @pytest.mark.parametrize("folder", [".obsidian", ".trash", ".git", ".stversions"])
    def test_hidden_folders(self, tmp_path: Path, folder: str) -> None:
        assert found(sow(tmp_path, f"{folder}/a.md", f"x/{folder}/b/c.md", "d.md")) == ["d.md"]

    def test_hidden_notes(self, tmp_path: Path) -> None:
        assert found(sow(tmp_path, ".entwurf.md", ".md", "a.md")) == ["a.md"]

    def test_node_modules_unless_told_otherwise(self, tmp_path: Path) -> None:
        sow(tmp_path, "node_modules/x/README.md", "a.md")
        assert list(scan_vault(tmp_path).files) == ["a.md"]
        assert found(tmp_path) == ["a.md", "node_modules/x/README.md"]

    @pytest.mark.parametrize(
        ("pattern", "left"),
        [
            ("Archiv/", ["a.md", "x/a.md"]),
            ("/Archiv/", ["a.md", "x/Archiv/b.md", "x/a.md"]),
            ("a.md", ["Archiv/b.md", "x/Archiv/b.md"]),
            ("/a.md", ["Archiv/b.md", "x/Archiv/b.md", "x/a.md"]),
            ("x/**/b.md", ["Archiv/b.md", "a.md", "x/a.md"]),
        ],
    )
    def test_patterns_are_those_of_gitignore(self, tmp_path: Path, pattern: str, left: list[str]) -> None:
        sow(tmp_path, "a.md", "Archiv/b.md", "x/a.md", "x/Archiv/b.md")
        assert found(tmp_path, pattern) == left

    def test_a_pattern_that_is_none_is_an_error_of_the_configuration(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError, match=r"sync\.exclude"):
            scan_vault(tmp_path, ("!",))

    @pytest.mark.parametrize(
        "copy",
        [
            "Idee.sync-conflict-20250102-101530-ABCDEFG.md",
            "Idee.sync-conflict-20250102-101530.md",
            "Idee (Annas conflicted copy 2025-01-02).md",
            "Idee (In Konflikt stehende Kopie von Anna 2025-01-02).md",
            "Idee (Konflikt) (conflicted copy 2025-01-02 101530).md",
            "Idee_conflict-20250102-101530.md",
            "Idee-DESKTOP-AB12CD3.md",
            "Idee-LAPTOP-AB12CD3-2.md",
        ],
    )
    def test_conflict_copies_of_sync_services_are_left_out_and_said(self, tmp_path: Path, copy: str) -> None:
        scan = scan_vault(sow(tmp_path, "Idee.md", copy))
        assert list(scan.files) == ["Idee.md"]
        assert [path for path, _ in scan.problems] == [copy]

    @pytest.mark.parametrize(
        "name",
        [
            "Umgang mit einer conflicted copy.md", "sync-conflict.md", "Plan-LAPTOP-AB12CD3.md", "Idee-DESKTOP.md",
            "Idee (Kopie).md",
        ],
    )  # fmt: skip
    def test_notes_that_only_look_like_copies_stay(self, tmp_path: Path, name: str) -> None:
        assert found(sow(tmp_path, "Idee.md", name)) == sorted(["Idee.md", name])

    def test_a_note_in_the_cloud_may_exist_unseen(self, tmp_path: Path) -> None:
        scan = scan_vault(sow(tmp_path, "x/.Idee.md.icloud", "a.md"))
        assert list(scan.files) == ["a.md"]
        assert scan.may_hide("x/Idee.md")
        assert not scan.may_hide("x/Andere.md")
        assert [path for path, _ in scan.problems] == ["x/Idee.md"]

    def test_a_note_in_the_cloud_can_be_left_out_too(self, tmp_path: Path) -> None:
        scan = scan_vault(sow(tmp_path, "x/.Idee.md.icloud", "a.md"), ("Idee.md",))
        assert not scan.may_hide("x/Idee.md")
        assert not scan.problems


class TestObsidiansOwnExclusions:
    @pytest.mark.parametrize(
        ("written", "left"),
        [
            ("Archiv/", ["Arch.md", "x/Archiv/b.md"]),
            ("Arch", ["x/Archiv/b.md"]),
            ("/Archiv/", ["Arch.md"]),
            (r"/^Arch\.md$/", ["Archiv/a.md", "x/Archiv/b.md"]),
        ],
    )
    def test_folders_beginnings_and_expressions(self, tmp_path: Path, written: str, left: list[str]) -> None:
        obsidian_excludes(sow(tmp_path, "Archiv/a.md", "Arch.md", "x/Archiv/b.md"), written)
        assert found(tmp_path) == left

    def test_a_composed_filter_fits_a_decomposed_folder(self, tmp_path: Path) -> None:
        obsidian_excludes(sow(tmp_path, "Ma\u0308rz/a.md", "b.md"), "M\u00e4rz/")
        assert found(tmp_path) == ["b.md"]

    @pytest.mark.parametrize(
        "content", ["[]", "null", "{}", '{"userIgnoreFilters": null}', '{"userIgnoreFilters": [""]}']
    )
    def test_a_configuration_without_filters_leaves_nothing_out(self, tmp_path: Path, content: str) -> None:
        sow(tmp_path, ".obsidian/app.json", "a.md")
        (tmp_path / ".obsidian" / "app.json").write_text(content)
        scan = scan_vault(tmp_path)
        assert (list(scan.files), scan.problems) == (["a.md"], ())

    @pytest.mark.parametrize("written", ["5", '"Archiv/"', '{"a": 1}', '[1, "b"]'])
    def test_filters_that_are_no_texts_leave_nothing_out_and_are_said(self, tmp_path: Path, written: str) -> None:
        sow(tmp_path, ".obsidian/app.json", "Archiv/a.md", "b.md")
        (tmp_path / ".obsidian" / "app.json").write_text(f'{{"userIgnoreFilters": {written}}}')
        scan = scan_vault(tmp_path)
        assert list(scan.files) == (["Archiv/a.md"] if "b" in written else ["Archiv/a.md", "b.md"])
        assert [path for path, _ in scan.problems] == [".obsidian/app.json"]

    @pytest.mark.parametrize("content", ["", '{"userIgnoreFilters": ["Priv'], ids=["empty", "half"])
    def test_a_configuration_that_is_half_written_stops_the_scan(self, tmp_path: Path, content: str) -> None:
        sow(tmp_path, ".obsidian/app.json", "Privat/a.md")
        (tmp_path / ".obsidian" / "app.json").write_text(content)
        with pytest.raises(VaultError, match=r"app\.json cannot be read.*Sync again"):
            scan_vault(tmp_path)

    def test_a_broken_expression_is_said(self, tmp_path: Path) -> None:
        obsidian_excludes(sow(tmp_path, "a.md"), "/[/", "/(/")
        scan = scan_vault(tmp_path)
        assert list(scan.files) == ["a.md"]
        assert all("userIgnoreFilters" in sentence for _, sentence in scan.problems)
        assert len(scan.problems) == 2


@no_windows
class TestLinks:
    def test_a_folder_that_is_linked_in_the_vault_counts_once_by_its_real_path(self, tmp_path: Path) -> None:
        sow(tmp_path, "z/a.md")
        (tmp_path / "a-link").symlink_to(tmp_path / "z")
        assert found(tmp_path) == ["z/a.md"]

    def test_a_note_that_is_linked_in_the_vault_counts_once(self, tmp_path: Path) -> None:
        sow(tmp_path, "z.md")
        (tmp_path / "a.md").symlink_to("z.md")
        assert found(tmp_path) == ["z.md"]

    def test_a_link_to_what_is_left_out_brings_it_in(self, tmp_path: Path) -> None:
        sow(tmp_path, ".verborgen/a.md")
        (tmp_path / "offen").symlink_to(".verborgen")
        assert found(tmp_path) == ["offen/a.md"]

    def test_a_link_to_its_own_parent_ends(self, tmp_path: Path) -> None:
        sow(tmp_path, "x/a.md")
        (tmp_path / "x" / "oben").symlink_to(tmp_path)
        (tmp_path / "x" / "selbst").symlink_to("selbst")
        assert found(tmp_path) == ["x/a.md"]

    def test_links_out_of_the_vault_are_not_followed_and_said(self, tmp_path: Path) -> None:
        sow(tmp_path, "outside/a.md", "vault/b.md")
        (tmp_path / "vault" / "ordner").symlink_to(tmp_path / "outside")
        (tmp_path / "vault" / "c.md").symlink_to(tmp_path / "outside" / "a.md")
        scan = scan_vault(tmp_path / "vault")
        assert list(scan.files) == ["b.md"]
        assert [path for path, _ in scan.problems] == ["c.md", "ordner"]

    def test_a_broken_link_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "a.md").symlink_to("weg.md")
        scan = scan_vault(tmp_path)
        assert scan.files == {}
        assert "leads nowhere" in scan.problems[0][1]

    def test_hard_links_are_notes_of_their_own(self, tmp_path: Path) -> None:
        sow(tmp_path, "a.md")
        os.link(tmp_path / "a.md", tmp_path / "b.md")
        assert found(tmp_path) == ["a.md", "b.md"]

    def test_the_vault_itself_may_be_a_link(self, tmp_path: Path) -> None:
        sow(tmp_path, "vault/a.md")
        (tmp_path / "link").symlink_to("vault")
        assert found(tmp_path / "link") == ["a.md"]

    def test_a_pipe_with_the_name_of_a_note_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "a.md")
        assert found(tmp_path) == []


class TestWhatCannotBeRead:
    def test_a_missing_vault_says_what_to_do(self, tmp_path: Path) -> None:
        with pytest.raises(VaultError, match=r"does not exist.*MINDNET_VAULT"):
            scan_vault(tmp_path / "weg")

    def test_a_file_is_no_vault(self, tmp_path: Path) -> None:
        with pytest.raises(VaultError, match="is a file"):
            scan_vault(sow(tmp_path, "a.md") / "a.md")

    @no_windows
    @pytest.mark.parametrize("mode", [0o000, 0o444], ids=["not to be listed", "listed, but not to be entered"])
    def test_a_folder_that_cannot_be_read_may_hide_notes(self, open_folder: Path, mode: int) -> None:
        sow(open_folder, "zu/a.md", "b.md")
        (open_folder / "zu").chmod(mode)
        with nobody():
            scan = scan_vault(open_folder)
        assert list(scan.files) == ["b.md"]
        assert scan.unreadable_folders == ("zu",)
        assert scan.may_hide("zu/a.md")
        assert not scan.may_hide("zum Glück.md")

    @no_windows
    def test_a_link_that_cannot_be_followed_may_show_notes(self, open_folder: Path) -> None:
        sow(open_folder, ".zu/a.md", ".zu/x/b.md")
        (open_folder / "a.md").symlink_to(".zu/a.md")
        (open_folder / "ordner").symlink_to(".zu/x")
        (open_folder / ".zu").chmod(0)
        with nobody():
            scan = scan_vault(open_folder)
        (open_folder / ".zu").chmod(0o755)
        assert scan.may_hide("a.md")
        assert scan.may_hide("ordner/b.md")
        assert [path for path, _ in scan.problems] == ["a.md", "ordner"]

    @no_windows
    def test_a_vault_that_cannot_be_read_is_an_error(self, open_folder: Path) -> None:
        open_folder.chmod(0)
        with nobody(), pytest.raises(VaultError, match="cannot be read"):
            scan_vault(open_folder)


@no_windows
class TestFilesThatChangeMeanwhile:
    """Editors, plugins and sync services make and remove files while their folder is looked at."""

    @pytest.fixture
    def vault(self, tmp_path: Path) -> Path:
        return sow(tmp_path, "a.md", "x/a.md", "x/b.md", "x/c.md", "x/y/d.md", "z/e.md")

    def test_a_file_that_vanishes_takes_no_other_with_it(self, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        after_listing(monkeypatch, "x", lambda _: (vault / "x" / "b.md").unlink())
        scan = scan_vault(vault)
        assert list(scan.files) == ["a.md", "x/a.md", "x/c.md", "x/y/d.md", "z/e.md"]
        assert not scan.problems

    def test_a_folder_that_vanishes_takes_no_other_with_it(self, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        after_listing(monkeypatch, "x", lambda _: (vault / "x" / "y").rename(vault / "z" / "y"))
        assert set(scan_vault(vault).files) >= {"a.md", "x/a.md", "x/b.md", "x/c.md", "z/e.md"}

    def test_a_file_that_the_disk_does_not_give_may_exist_and_is_said(
        self, vault: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        after_listing(monkeypatch, "x", lambda entries: [Unreadable(e) if e.name == "b.md" else e for e in entries])
        scan = scan_vault(vault)
        assert list(scan.files) == ["a.md", "x/a.md", "x/c.md", "x/y/d.md", "z/e.md"]
        assert scan.may_hide("x/b.md")
        assert [path for path, _ in scan.problems] == ["x/b.md"]


class Unreadable:
    """A file of a listing whose inode the disk does not give."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self.name, self.is_dir, self.is_symlink = entry.name, entry.is_dir, entry.is_symlink

    def stat(self, **_: bool) -> os.stat_result:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def after_listing(monkeypatch: pytest.MonkeyPatch, folder: str, happen: Callable[[list[Any]], object]) -> None:
    """Let something happen between a folder's listing and the look at its files."""
    listing = os.scandir

    @contextmanager
    def listed(place: Path) -> Iterator[Iterator[Any]]:
        with listing(place) as entries:
            found = list(entries)
        changed = happen(found)
        yield iter(changed if isinstance(changed, list) else found)

    monkeypatch.setattr(os, "scandir", lambda place: listed(place) if place.name == folder else listing(place))


class TestReading:
    def test_bytes_come_with_the_stat_that_the_scan_sees(self, tmp_path: Path) -> None:
        sow(tmp_path, "x/a.md")
        assert read_file(tmp_path, "x/a.md") == (b"Text.\n", scan_vault(tmp_path).files["x/a.md"])

    def test_bytes_are_as_they_are(self, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_bytes(b"\xef\xbb\xbfEins.\r\n\x00\xff")
        assert read_bytes(tmp_path, "a.md") == b"\xef\xbb\xbfEins.\r\n\x00\xff"

    def test_a_note_that_is_gone_is_an_os_error(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            read_file(tmp_path, "weg.md")

    @pytest.mark.parametrize(("calls", "steady"), [({0}, True), ({0, 2}, False)], ids=["once", "each time"])
    def test_a_file_that_is_written_to_while_it_is_read_is_read_again_or_seen_as_changed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: set[int], steady: bool
    ) -> None:
        sow(tmp_path, "a.md")
        ask, counted = os.fstat, count()

        def stat_then_write(descriptor: int) -> os.stat_result:
            status = ask(descriptor)
            if (number := next(counted)) in calls:
                (tmp_path / "a.md").write_text("Neu. " * (number + 2))
            return status

        monkeypatch.setattr(os, "fstat", stat_then_write)
        data, stat = read_file(tmp_path, "a.md")
        assert data == (tmp_path / "a.md").read_bytes()
        assert (stat == scan_vault(tmp_path).files["a.md"]) is steady
