"""Small JSON files beside the tables: what a run is to do (changesets) and what a run has begun (the journal).

A changeset is named by its content's hash, so that the same work always has the same name. The journal names the notes
whose rows may be half-written; it is written before the first row and cleared after the manifest, so that whatever a
crash leaves in it is made anew. Who plans and who repairs is the engine's business.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from upath import UPath

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.core.ids import sha256
from mindnet_pipeline.storage.files import data_path, read_if_there, remove, write_atomically

KEPT = 100
"""Changesets kept; a queue of runs is never this long."""


@dataclass(frozen=True, slots=True)
class Pending:
    """The journal: `note_ids` may be half-written, of `relinked` the edges and points alone.

    `names` are those that half-written notes gave to edges of others, or took from them: no manifest knows of them.
    """

    note_ids: frozenset[str] = frozenset()
    relinked: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()

    @property
    def unfinished(self) -> frozenset[str]:
        """Ids of all notes that the next plan must make anew or delete."""
        return self.note_ids | self.relinked


def put(data: str, changeset: Mapping[str, Any]) -> str:
    """Store a changeset (JSON values) and return its id; the oldest beyond `KEPT` are removed."""
    text = json.dumps(changeset, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    changeset_id = sha256(text)[:32]
    write_atomically(_changeset(data, changeset_id), text.encode())
    _prune(data_path(data, "changesets"), changeset_id)
    return changeset_id


def get(data: str, changeset_id: str) -> dict[str, Any]:
    """The changeset with this id.

    Raises:
        StoreError: there is none, or no longer.
    """
    stored = read_if_there(_changeset(data, changeset_id)) if changeset_id.isalnum() else None
    if stored is None:
        raise StoreError(f"{data}: no changeset {changeset_id} (the last {KEPT} are kept). Start a new sync instead.")
    changeset: dict[str, Any] = json.loads(stored)
    return changeset


def write_pending(data: str, note_ids: Iterable[str], relinked: Iterable[str] = (), names: Iterable[str] = ()) -> None:
    """Add to the journal: these notes are about to be written. What an interrupted run left in it stays."""
    before = read_pending(data)
    _write_journal(
        data, Pending(before.note_ids.union(note_ids), before.relinked.union(relinked), before.names.union(names))
    )


def read_pending(data: str) -> Pending:
    """The journal; empty if every run came to its end."""
    stored = json.loads(read_if_there(data_path(data, "pending.json")) or b"{}")
    return Pending(*(frozenset(stored.get(part.name, ())) for part in fields(Pending)))


def clear_pending(data: str, note_ids: Collection[str], relinked: Collection[str] = ()) -> None:
    """Take off the journal what is committed: these notes, and of `relinked` that they were to be linked anew.

    A note that an interrupted run left half-written stays so when another run links it anew.
    """
    before = read_pending(data)
    left = Pending(before.note_ids.difference(note_ids), before.relinked.difference(note_ids, relinked), before.names)
    if left.unfinished:
        _write_journal(data, left)
    else:
        remove(data_path(data, "pending.json"))


def write_confirmation(data: str, note_ids: Iterable[str]) -> None:
    """Remember that a person confirmed the deletion of these notes."""
    write_atomically(data_path(data, "confirmed_deletions.json"), json.dumps(sorted(note_ids)).encode())


def read_confirmation(data: str) -> frozenset[str]:
    """The ids of the notes whose deletion was confirmed and has not happened yet."""
    return frozenset(json.loads(read_if_there(data_path(data, "confirmed_deletions.json")) or b"[]"))


def clear_confirmation(data: str) -> None:
    """Forget the confirmation: it was acted on."""
    remove(data_path(data, "confirmed_deletions.json"))


def _changeset(data: str, changeset_id: str) -> UPath:
    return data_path(data, "changesets", f"{changeset_id}.json")


def _prune(folder: UPath, newest_id: str) -> None:
    files = [file for file in folder.iterdir() if file.suffix == ".json" and file.stem != newest_id]
    excess = len(files) - (KEPT - 1)
    if excess > 0:
        for file in sorted(files, key=lambda file: (file.fs.modified(file.path), file.name))[:excess]:
            remove(file)


def _write_journal(data: str, pending: Pending) -> None:
    content = {part.name: sorted(getattr(pending, part.name)) for part in fields(pending)}
    write_atomically(data_path(data, "pending.json"), json.dumps(content).encode())
