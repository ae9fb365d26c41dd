"""The collections → files: every note as it was in the vault, byte for byte, from the store alone.

Neither the vault nor the tables are needed. What the store says is not trusted with the disk: a path that leads out of
the folder, or that no note can have, is refused. The command line is export.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path, PureWindowsPath
from typing import Any, Literal

from upath import UPath

from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.core.frontmatter import join_source
from mindnet_pipeline.storage.files import write_atomically
from mindnet_pipeline.storage.ignoring import is_hidden, is_note_name
from mindnet_pipeline.storage.vectors.protocol import Condition, Found, StoreReader, Where

_NOTES_PER_REQUEST = 200
_NOTE_FIELDS = ("note_id", "path", "frontmatter_raw", "bom", "encoding", "mtime", "chunk_count")
_CHUNK_FIELDS = ("note_id", "chunk_index", "char_start", "char_end", "text")

Verdict = Literal["written", "same", "kept", "refused"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one note. `same`: the file was there with these bytes. `kept`: it was there with others."""

    path: str
    verdict: Verdict
    reason: str = ""


def export_notes(
    reader: StoreReader, folder: Path, *, from_chunks: bool = False, overwrite: bool = False
) -> Iterator[Outcome]:
    """Write every note of the store below `folder`, one outcome a note; the folder is made if need be.

    Args:
        reader: the store; held until the last outcome was taken.
        folder: where to. A file that is there stays, unless `overwrite`.
        from_chunks: take the bodies from the chunks, joined, instead of the notes' `fulltext`. Only a body of nothing
            but blanks, which has no chunks, is taken from there.
        overwrite: replace files that have other bytes.
    """
    target = _Target(_made(folder), overwrite)
    fields = _NOTE_FIELDS if from_chunks else (*_NOTE_FIELDS, "fulltext")
    notes = reader.scan("notes", fields)
    while page := list(islice(notes, _NOTES_PER_REQUEST)):
        bodies = _joined_chunks(reader, page) if from_chunks else {each.logical_id: _fulltext(each) for each in page}
        for note in page:
            yield _export(note.payload, bodies[note.logical_id], target)


def check_folder(folder: Path, vault: Path) -> None:
    """Refuse to export into the vault: its notes may be newer than the store's, and copies in it would be notes.

    Raises:
        VaultError: the folder is the vault or lies in it.
    """
    if vault.is_dir() and folder.resolve().is_relative_to(vault.resolve()):
        raise VaultError(f"{folder}: is in the vault {vault}, which is only ever read. Export to a folder outside it.")


def _export(note: Mapping[str, Any], body: str | None, target: _Target) -> Outcome:
    path = note["path"]
    if body is None:
        return Outcome(path, "refused", "its chunks are not complete; sync, or export without --from-chunks")
    data = join_source(note["frontmatter_raw"], body, bom=note["bom"], encoding=note["encoding"])
    try:
        return target.write(path, data, note["mtime"])
    except OSError as error:
        return Outcome(path, "refused", f"cannot be written ({error.strerror})")


def _fulltext(note: Found) -> str | None:
    return note.payload["fulltext"]  # type: ignore[no-any-return]


def _joined_chunks(reader: StoreReader, notes: Sequence[Found]) -> dict[str, str | None]:
    """The bodies by note id; None where the chunks leave a gap. Blanks alone are in no chunk but in the note."""
    chunks_of: dict[str, list[Mapping[str, Any]]] = {note.logical_id: [] for note in notes}
    for found in reader.lookup("chunks", _of_notes(chunks_of), fields=_CHUNK_FIELDS):
        chunks_of[found.payload["note_id"]].append(found.payload)
    bodies = {note.logical_id: _joined(chunks_of[note.logical_id], note.payload["chunk_count"]) for note in notes}
    if unchunked := [note.logical_id for note in notes if not note.payload["chunk_count"]]:
        for found in reader.lookup("notes", _of_notes(unchunked), fields=("note_id", "fulltext")):
            blanks = found.payload["fulltext"]
            bodies[found.payload["note_id"]] = None if blanks.strip() else blanks
    return bodies


def _of_notes(note_ids: Iterable[str]) -> Where:
    return Where(must=(Condition("note_id", any_of=tuple(note_ids)),))


def _joined(chunks: list[Mapping[str, Any]], expected: int) -> str | None:
    chunks.sort(key=lambda chunk: chunk["chunk_index"])
    end = 0
    for chunk in chunks:
        if chunk["char_start"] != end:
            return None
        end = chunk["char_end"]
    text = "".join(chunk["text"] for chunk in chunks)
    return text if len(chunks) == expected and len(text) == end else None


@dataclass(slots=True)
class _Target:
    """The folder that is written to, and what was written so far."""

    folder: Path
    overwrite: bool
    written: set[tuple[int, int]] = field(default_factory=set)
    """Device and inode: on a disk that ignores case, `A.md` and `a.md` are one file and must not replace each other."""

    def write(self, path: str, data: bytes, mtime: str) -> Outcome:
        """Write a note's file with its time, if that is allowed and needed."""
        if wrong := _unfit(path):
            return Outcome(path, "refused", wrong)
        file = self.folder / path
        if not file.parent.resolve().is_relative_to(self.folder):
            return Outcome(path, "refused", "a link in its path leads out of the folder")
        file.parent.mkdir(parents=True, exist_ok=True)
        if not _created(file, data):
            status = file.lstat()
            if (status.st_dev, status.st_ino) in self.written:
                return Outcome(path, "refused", "another note has this name on this disk")
            if file.is_file() and not file.is_symlink() and file.read_bytes() == data:
                return Outcome(path, "same")
            if not self.overwrite:
                return Outcome(path, "kept", "a file with other content is there; --force replaces it")
            write_atomically(UPath(file), data)
        seconds = datetime.fromisoformat(mtime).timestamp()
        os.utime(file, (seconds, seconds))
        status = file.lstat()
        self.written.add((status.st_dev, status.st_ino))
        return Outcome(path, "written")


def _made(folder: Path) -> Path:
    """The folder, which is there then, as its real path."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return folder.resolve(strict=True)
    except OSError as error:
        raise VaultError(f"{folder}: cannot be made ({error.strerror}). Choose another folder.") from error


def _unfit(path: str) -> str:
    """Why no note of a vault has this path; `""` if one can. Hidden names include `.` and `..`."""
    parts = path.split("/")
    if not all(parts) or any(map(is_hidden, parts)) or "\0" in path or not is_note_name(path):
        return "no note has such a path"
    if os.name == "nt" and PureWindowsPath(path).parts != tuple(parts):
        return "Windows cannot have such a path"
    return ""


def _created(file: Path, data: bytes) -> bool:
    """Make a new file; False if there is something of that name, which is left alone."""
    try:
        opened = file.open("xb")
    except FileExistsError:
        return False
    try:
        with opened:
            opened.write(data)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    return True
