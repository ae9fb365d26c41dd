"""The vault as files: which notes there are, and their bytes.

Which names are left out is decided in storage/ignoring.py. Nothing here reads a note's content to decide anything.
Paths are relative to the vault, with `/`, spelled as on disk (macOS may spell umlauts decomposed), compared in NFC.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.core.ids import nfc
from mindnet_pipeline.storage.ignoring import (
    DEFAULT_EXCLUDE,
    Ignoring,
    cloud_placeholder,
    is_conflict_copy,
    is_hidden,
    is_note_name,
    load_ignoring,
)

_LATEST_NS = 2**63 - 1
"""What a table's column holds: the year 2262. Disks know later years, and some programs write nonsense there."""


@dataclass(frozen=True, slots=True)
class FileStat:
    """Size in bytes and time of the last write in nanoseconds: what says that a file need not be read again."""

    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class VaultScan:
    """The notes of a vault and what stood in the way of seeing them all.

    `problems` are (path, sentence). Notes below `unreadable_folders` (`""` is the vault itself) and `unreadable_files`
    (of which nothing could be learned, or in the cloud) may well exist: ask `may_hide` before a note is taken for
    deleted.
    """

    files: Mapping[str, FileStat]
    problems: tuple[tuple[str, str], ...] = ()
    unreadable_folders: tuple[str, ...] = ()
    unreadable_files: tuple[str, ...] = ()

    def may_hide(self, path: str) -> bool:
        """True if a note may exist at this path although the scan could not see it."""
        if path in self.unreadable_files:
            return True
        return any(not folder or path.startswith(folder + "/") for folder in self.unreadable_folders)


def scan_vault(root: Path, exclude: Sequence[str] = DEFAULT_EXCLUDE) -> VaultScan:
    """Find the vault's notes: one listing a folder, one stat a note; no note is opened.

    Symbolic links are followed inside the vault only. Each real folder and file counts once, by its real path if
    that is not left out.

    Args:
        root: the vault's folder.
        exclude: .gitignore patterns, relative to the vault.

    Raises:
        VaultError: the vault is missing, not a folder or cannot be read, or what it leaves out cannot.
        ConfigError: a pattern is not valid.
    """
    root = _checked_root(root)
    walk = _Walk(root, load_ignoring(root, exclude))
    walk.run()
    return walk.result()


def read_file(root: Path, path: str) -> tuple[bytes, FileStat]:
    """A note's bytes and the stat that belongs to them.

    A file that changed while it was read is read once more. The stat is from before the read, so a write that even
    the second read met shows up as a change in the next scan.

    Raises:
        OSError: the file vanished or cannot be read.
    """
    data, before, steady = _read_once(root / path)
    if not steady:
        data, before, _ = _read_once(root / path)
    return data, before


def read_bytes(root: Path, path: str) -> bytes:
    """A note's bytes: `read_file` without the stat."""
    return read_file(root, path)[0]


def _read_once(file: Path) -> tuple[bytes, FileStat, bool]:
    with file.open("rb", buffering=0) as opened:
        before = _file_stat(os.fstat(opened.fileno()))
        data = opened.readall()
        after = _file_stat(os.fstat(opened.fileno()))
    return data, before, before == after and len(data) == before.size


def _file_stat(status: os.stat_result) -> FileStat:
    return FileStat(status.st_size, min(max(status.st_mtime_ns, -_LATEST_NS), _LATEST_NS))


def _checked_root(root: Path) -> Path:
    advice = "Set MINDNET_VAULT, or `vault` in config/pipeline.yaml, to the folder of your notes."
    try:
        if not root.is_dir():
            raise VaultError(f"The vault {root} {_missing_or_file(root)}. {advice}")
        os.scandir(root).close()
        return root.resolve(strict=True)
    except OSError as error:
        raise VaultError(f"The vault {root} cannot be read ({error.strerror}). {advice}") from error


def _missing_or_file(root: Path) -> str:
    return "is a file, not a folder" if root.exists() else "does not exist (is its disk mounted?)"


@dataclass(slots=True)
class _Walk:
    """One scan under way: real folders first, then the links that were met, in order of their paths."""

    root: Path
    ignoring: Ignoring
    files: dict[str, FileStat] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)
    unreadable_folders: list[str] = field(default_factory=list)
    unreadable_files: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    seen: set[tuple[int, int]] = field(default_factory=set)

    def run(self) -> None:
        """Walk the real folders, then follow links (which may lead to folders that hold further links)."""
        self._tree("")
        while self.links:
            links, self.links = sorted(self.links), []
            for link in links:
                self._link(link)

    def result(self) -> VaultScan:
        """What was found, in order of the paths."""
        files = self._without_clashes()
        problems = sorted({*self.ignoring.problems, *self.problems})
        return VaultScan(
            files, tuple(problems), tuple(sorted(self.unreadable_folders)), tuple(sorted(self.unreadable_files))
        )

    def _tree(self, top: str) -> None:
        folders = [top]
        while folders:
            folder = folders.pop()
            try:
                folders.extend(self._folder(folder))
            except FileNotFoundError:
                continue  # removed since its parent was listed
            except OSError as error:
                self.unreadable_folders.append(folder)
                self._problem(folder, f"cannot be read ({error.strerror}); its notes stay as they were")

    def _folder(self, folder: str) -> list[str]:
        """Take in one folder's notes and links; returns its subfolders."""
        place = self.root / folder
        status = place.stat()
        if not self._is_new(status):
            return []
        with os.scandir(place) as listing:
            entries = {entry.name: entry for entry in listing}
        prefix = folder + "/" if folder else ""
        subfolders = []
        for name, entry in entries.items():
            path = prefix + name
            if is_hidden(name):
                self._placeholder(prefix, name)
            elif entry.is_symlink():
                self.links.append(path)
            elif entry.is_dir(follow_symlinks=False):
                if not self.ignoring.ignores_folder(path):
                    subfolders.append(path)
            elif is_note_name(name) and self._wants(path, entries):
                self._entry(path, entry)
        return subfolders

    def _entry(self, path: str, entry: os.DirEntry[str]) -> None:
        """Take in a note of a folder. What befalls one file says nothing about the others.

        Raises:
            PermissionError: the folder can be listed, but not entered.
        """
        try:
            self._note(path, entry.stat(follow_symlinks=False))
        except FileNotFoundError:
            return  # removed since the folder was listed
        except PermissionError:
            raise
        except OSError as error:
            self.unreadable_files.append(path)
            self._problem(path, f"cannot be read ({error.strerror}); its last state was kept")

    def _wants(self, path: str, siblings: Collection[str]) -> bool:
        """Apply the rules for note files."""
        name = path.rpartition("/")[2]
        if self.ignoring.ignores_file(path):
            return False
        if is_conflict_copy(name, siblings):
            self._problem(path, "is a conflict copy of a sync service and left out; merge it and delete it")
            return False
        try:
            path.encode()
        except UnicodeEncodeError:
            shown = path.encode(errors="surrogateescape").decode(errors="replace")
            self._problem(shown, "has a name that is not valid Unicode and is left out; rename it")
            return False
        return True

    def _note(self, path: str, status: os.stat_result) -> None:
        """Take in a note. Files with several names (hard links) are several notes, as Obsidian shows them."""
        if stat.S_ISREG(status.st_mode):
            self.files[path] = _file_stat(status)

    def _link(self, path: str) -> None:
        """Follow a symbolic link to a note or a folder of this vault that was not met under its real path."""
        is_note = is_note_name(path)
        if (self.ignoring.ignores_file if is_note else self.ignoring.ignores_folder)(path):
            return
        try:
            target = (self.root / path).resolve(strict=True)
            status = target.stat()
        except PermissionError as error:
            (self.unreadable_files if is_note else self.unreadable_folders).append(path)
            self._problem(path, f"is a link that cannot be followed ({error.strerror}); what it shows was kept")
            return
        except (OSError, RuntimeError):  # broken, or a loop
            if is_note:
                self._problem(path, "is a link that leads nowhere and is left out")
            return
        is_folder = stat.S_ISDIR(status.st_mode)
        if not is_folder and not is_note:
            return
        if not target.is_relative_to(self.root):
            self._problem(path, "is a link that leads out of the vault and is left out")
        elif is_folder:
            if not self.ignoring.ignores_folder(path):
                self._tree(path)
        elif (
            target.relative_to(self.root).as_posix() not in self.files
            and self._wants(path, ())
            and self._is_new(status)
        ):
            self._note(path, status)

    def _is_new(self, status: os.stat_result) -> bool:
        key = (status.st_dev, status.st_ino)
        known = key in self.seen
        self.seen.add(key)
        return not known

    def _placeholder(self, prefix: str, name: str) -> None:
        note = cloud_placeholder(name)
        if note and not self.ignoring.ignores_file(prefix + note):
            self.unreadable_files.append(prefix + note)
            self._problem(prefix + note, "is in iCloud and not on this disk; download it to have it indexed")

    def _without_clashes(self) -> dict[str, FileStat]:
        """The files by path, without those whose path is another's in a different Unicode spelling."""
        paths = sorted(self.files)
        if len(set(map(nfc, paths))) == len(paths):
            return {path: self.files[path] for path in paths}
        kept: dict[str, str] = {}
        for path in sorted(paths, key=lambda path: (nfc(path) != path, path)):
            if (first := kept.setdefault(nfc(path), path)) != path:
                self._problem(path, f"has the same name as {first} in another Unicode spelling; rename one of them")
        return {path: self.files[path] for path in sorted(kept.values())}

    def _problem(self, path: str, sentence: str) -> None:
        self.problems.append((path, sentence))
