"""What a sync must do: (known state, seen state) → plan. Pure; the same for the sensor, the command line and the tests.

`Known` is the committed state of a note (a row of the manifest), `Seen` is what the vault holds now. Which unchanged
notes must be linked anew is not decided here: names (titles, aliases) are only known after reading, so the edge step
compares the manifest's names with the new ones (core/resolve.py, `changed_keys`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.core.ids import assign_note_ids, sha256

MASS_DELETE_MINIMUM = 20


@dataclass(frozen=True, slots=True)
class Seen:
    """One file of the vault as the scan saw it. `content_hash` follows the hash mode; `declared_id` is `""` if none."""

    path: str
    size: int
    mtime_ns: int
    file_hash: str
    content_hash: str
    declared_id: str


@dataclass(frozen=True, slots=True)
class Known:
    """One note as it was committed: the file that was read, and the state key its rows were made under."""

    seen: Seen
    note_id: str
    state_key: str


@dataclass(frozen=True, slots=True)
class Upsert:
    """A note whose rows must be made anew, and from which file."""

    note_id: str
    seen: Seen
    state_key: str


@dataclass(frozen=True, slots=True)
class SyncPlan:
    """What to do, each list of note ids sorted. `touched` are files whose rows stand, but whose size or time moved.

    `removed` are the ids whose rows go. Those of them in `replaced` are of notes that go on under another id: they were
    renamed and have none of their own, or were given one.
    """

    upserts: tuple[Upsert, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    touched: tuple[Seen, ...] = field(default=())
    unchanged: int = 0

    @property
    def is_empty(self) -> bool:
        """True if there is nothing to make and nothing to delete."""
        return not self.upserts and not self.removed

    @property
    def counts(self) -> dict[str, int]:
        """How many notes were added, changed, moved, removed and left alone, as a person counts them."""
        return {
            "added": len(self.added),
            "changed": len(self.changed),
            "moved": len(self.moved),
            "removed": len(self.removed) - len(self.replaced),
            "unchanged": self.unchanged,
        }


def state_key(content_hash: str, path: str, fingerprint: str) -> str:
    """The digest of all that a note's rows depend on: its content, its path and everything in `fingerprint`."""
    return sha256(f"{content_hash}\x1f{path}\x1f{fingerprint}")[:32]


def plan(
    known: Mapping[str, Known],
    seen: Mapping[str, Seen],
    fingerprint: str,
    *,
    unfinished: Collection[str] = (),
    remake: Callable[[str], bool] | None = None,
) -> SyncPlan:
    """Compare the committed state with the vault.

    Args:
        known: the committed notes by path.
        seen: the vault's files by path.
        fingerprint: a digest of what all rows depend on: types, rule versions, embedding model.
        unfinished: ids of notes that an interrupted run may have left half-written; they are made anew or deleted.
        remake: says of a note id whether to make it anew although nothing changed.
    """
    ids = assign_note_ids({path: file.declared_id for path, file in seen.items()})
    known_ids = {entry.note_id for entry in known.values()}
    half_written = frozenset(unfinished)
    removed = (known_ids | half_written).difference(ids.values())
    vanished = _ids_by_content(entry for path, entry in known.items() if path not in seen and entry.note_id in removed)
    former_ids: set[str] = set()
    upserts: list[Upsert] = []
    kinds: dict[str, list[str]] = {"added": [], "changed": [], "moved": []}
    touched: list[Seen] = []
    for path, file in seen.items():
        note_id, key = ids[path], state_key(file.content_hash, path, fingerprint)
        entry = known.get(path)
        if (
            entry
            and entry.note_id == note_id
            and entry.state_key == key
            and note_id not in half_written
            and not (remake and remake(note_id))
        ):
            if entry.seen != file:
                touched.append(file)
            continue
        upserts.append(Upsert(note_id, file, key))
        kind, former_id = _kind_of_change(entry, note_id, file, known_ids, vanished)
        kinds[kind].append(note_id)
        former_ids.add(former_id)
    return SyncPlan(
        upserts=tuple(sorted(upserts, key=lambda upsert: upsert.note_id)),
        added=tuple(sorted(kinds["added"])),
        changed=tuple(sorted(kinds["changed"])),
        moved=tuple(sorted(kinds["moved"])),
        removed=tuple(sorted(removed)),
        replaced=tuple(sorted(removed & former_ids)),
        touched=tuple(sorted(touched, key=lambda file: file.path)),
        unchanged=len(seen) - len(upserts),
    )


def first_part(whole: SyncPlan, limit: int) -> SyncPlan:
    """The part of a plan that one run may take: all deletions and at most `limit` notes; the rest comes later."""
    if len(whole.upserts) <= limit:
        return whole
    part = whole.upserts[:limit]
    ids = {upsert.note_id for upsert in part}
    return SyncPlan(
        upserts=part,
        added=_only(whole.added, ids),
        changed=_only(whole.changed, ids),
        moved=_only(whole.moved, ids),
        removed=whole.removed,
        replaced=whole.replaced,
        touched=whole.touched,
        unchanged=whole.unchanged,
    )


def displaced(known: Mapping[str, Known], upserts: Iterable[Upsert]) -> frozenset[str]:
    """Ids of the committed notes whose paths these upserts take over under other ids: a path has one note.

    They must go with the upserts, whether their ids are gone or another file declares them now: that one may be made
    in another run.
    """
    made = {upsert.seen.path: upsert.note_id for upsert in upserts}
    return frozenset(known[path].note_id for path in made if path in known) - frozenset(made.values())


def without_vanished(whole: SyncPlan, known: Mapping[str, Known], seen: Mapping[str, Seen]) -> SyncPlan:
    """The plan of a look that has not read every file: a note whose path was not seen may have moved to one of them."""
    vanished = {entry.note_id for path, entry in known.items() if path not in seen}
    removed, replaced = (tuple(each for each in ids if each not in vanished) for ids in (whole.removed, whole.replaced))
    return replace(whole, removed=removed, replaced=replaced)


def guard_against_mass_delete(known: Mapping[str, Known], seen: Mapping[str, Seen], *, vault: str) -> None:
    """Refuse a scan that looks like an unmounted or mistyped vault rather than like a person deleting notes.

    Notes that moved (the same id or file content at a new path) have not vanished.

    Raises:
        VaultError: the vault is empty though notes are indexed, or more than half of at least 20 notes vanished.
    """
    vanished = _vanished(known, seen)
    too_many = len(known) >= MASS_DELETE_MINIMUM and len(vanished) * 2 > len(known)
    if seen and not too_many:
        return
    if not vanished:
        return
    examples = ", ".join(vanished[:3]) + (" …" if len(vanished) > 3 else "")
    raise VaultError(
        f"{vault}: {len(vanished)} of {counted(len(known), 'indexed note')} cannot be found ({examples}). "
        "The index was left as it is. If this is another vault, give it a data folder of its own (MINDNET_DATA). "
        "If it is the same and you deleted them, sync with --allow-mass-delete (in Dagster's UI: run the job "
        "confirm_deletions_job)."
    )


def _vanished(known: Mapping[str, Known], seen: Mapping[str, Seen]) -> list[str]:
    """Paths of committed notes that are nowhere any more, sorted. One new file stands for one note at most.

    Not by `content_hash`: where only the frontmatter counts, all notes without one have the same.
    """
    arrived = Counter(_mark(file) for path, file in seen.items() if path not in known)
    vanished = []
    for path in sorted(known.keys() - seen.keys()):
        mark = _mark(known[path].seen)
        if arrived[mark]:
            arrived[mark] -= 1
        else:
            vanished.append(path)
    return vanished


def _mark(file: Seen) -> str:
    """What a note is recognised by when it moves."""
    return file.declared_id or file.file_hash


def _ids_by_content(entries: Iterable[Known]) -> dict[str, list[str]]:
    ids: dict[str, list[str]] = {}
    for entry in entries:
        ids.setdefault(entry.seen.file_hash, []).append(entry.note_id)
    return ids


def _kind_of_change(
    entry: Known | None, note_id: str, file: Seen, known_ids: Collection[str], vanished: Mapping[str, list[str]]
) -> tuple[str, str]:
    """What happened to a note, and its id before. One that vanished goes on as one new file with its bytes."""
    if entry is not None:
        return "changed", entry.note_id
    if note_id in known_ids:
        return "moved", note_id
    if former_ids := vanished.get(file.file_hash):
        return "moved", former_ids.pop()
    return "added", note_id


def _only(note_ids: Iterable[str], wanted: Collection[str]) -> tuple[str, ...]:
    return tuple(note_id for note_id in note_ids if note_id in wanted)
