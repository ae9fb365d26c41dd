"""From the vault and the manifest to a plan: look, hash what moved, compare, guard, and write the plan down.

The sensor, the command line and the nightly verification call the same functions; only the time budget differs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from mindnet_pipeline.core.frontmatter import content_hash, split_source
from mindnet_pipeline.core.ids import sha256_of_bytes
from mindnet_pipeline.core.notes import declared_id
from mindnet_pipeline.core.sync import Known, Seen, SyncPlan, guard_against_mass_delete, plan, without_vanished
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.progress import report
from mindnet_pipeline.storage import changesets
from mindnet_pipeline.storage.vault import FileStat, read_file, scan_vault

_FEW = 100
"""A run of so many notes takes seconds."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the vault: what must be done and what could not be read.

    `problems` are (path, sentence). `newest_mtime_ns` is the latest change among files that differ. `is_complete` is
    False if the time budget ended before every differing file was hashed; the rest shows in the next look.
    """

    plan: SyncPlan
    notes: int
    problems: tuple[tuple[str, str], ...] = ()
    newest_mtime_ns: int = 0
    is_complete: bool = True


@dataclass(frozen=True, slots=True)
class _Budget:
    """A limit on seconds, with the clock handed in."""

    seconds: float | None
    clock: Callable[[], float]
    started: float

    def is_spent(self) -> bool:
        return self.seconds is not None and self.clock() - self.started > self.seconds


def look_at_vault(
    pipeline: Pipeline,
    *,
    verify: bool = False,
    allow_mass_delete: bool = False,
    remake: Callable[[str], bool] | None = None,
    budget_s: float | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Look:
    """Scan the vault and compare it with the manifest.

    Args:
        pipeline: the pipeline whose vault and manifest are compared.
        verify: hash every file, also those whose size and time did not move.
        allow_mass_delete: do not refuse a scan in which most notes vanished.
        remake: says of a note id whether its rows must be made anew although nothing changed.
        budget_s: stop hashing after so many seconds and leave the rest to the next look.
        clock: seconds, rising.

    Raises:
        VaultError: the vault is missing or unreadable, or most of its notes vanished.
    """
    settings = pipeline.settings
    committed = _read_committed(pipeline)
    known = _by_path(committed)
    scan = scan_vault(settings.vault, settings.sync.exclude)
    reading = _Reading(pipeline, known, _Budget(budget_s, clock, clock()), list(scan.problems))
    reading.look_at(scan.files, verify=verify)
    seen = reading.seen
    seen.update((path, entry.seen) for path, entry in known.items() if path not in seen and scan.may_hide(path))
    unfinished = changesets.read_pending(settings.data).unfinished | _second_at_a_path(committed, known)
    whole = plan(
        known, seen, pipeline.fingerprint, unfinished=unfinished, remake=remake or _lost_store(pipeline, known)
    )
    if not reading.is_complete:
        whole = without_vanished(whole, known, seen)
    elif not allow_mass_delete and not changesets.read_confirmation(settings.data).issuperset(whole.removed):
        guard_against_mass_delete(known, seen, vault=str(settings.vault))
    return Look(whole, len(seen), tuple(reading.problems), reading.newest_mtime_ns, reading.is_complete)


def asks_for_another(look: Look, pipeline: Pipeline) -> bool:
    """True if the vault is worth another look after a run of this one's plan: notes are left, or the run took long.

    What is saved during a run of seconds is left to the next sync.
    """
    return len(look.plan.upserts) > min(_FEW, pipeline.settings.sync.max_notes_per_run)


@dataclass(slots=True)
class _Reading:
    """The files of one look: those that did not move are taken as known, the others are read and hashed."""

    pipeline: Pipeline
    known: Mapping[str, Known]
    budget: _Budget
    problems: list[tuple[str, str]]
    seen: dict[str, Seen] = field(default_factory=dict)
    newest_mtime_ns: int = 0
    is_complete: bool = True

    def look_at(self, files: Mapping[str, FileStat], *, verify: bool) -> None:
        to_read = []
        for path, stat in files.items():
            entry = self.known.get(path)
            if entry and not verify and (entry.seen.size, entry.seen.mtime_ns) == (stat.size, stat.mtime_ns):
                self.seen[path] = entry.seen
            else:
                to_read.append((path, stat))
        for done, (path, stat) in enumerate(to_read):
            report("scan", done, len(to_read))
            self.newest_mtime_ns = max(self.newest_mtime_ns, stat.mtime_ns)
            self._read(path)
        if to_read:
            report("scan", len(to_read), len(to_read))

    def _read(self, path: str) -> None:
        if self.budget.is_spent():
            self.is_complete = False
        else:
            read = _look_at_file(self.pipeline, path)
            if isinstance(read, Seen):
                self.seen[path] = read
                return
            self.problems.append((path, read))
        if entry := self.known.get(path):
            self.seen[path] = entry.seen


def _lost_store(pipeline: Pipeline, known: Mapping[str, Known]) -> Callable[[str], bool] | None:
    """If notes are committed but their generation of the store is not there, every note's points must be made anew."""
    if known and pipeline.facts not in pipeline.store.generations():
        return lambda _note_id: True
    return None


def read_known(pipeline: Pipeline) -> dict[str, Known]:
    """The committed state by path, from the manifest."""
    return _by_path(_read_committed(pipeline))


def _by_path(committed: Iterable[Known]) -> dict[str, Known]:
    return {entry.seen.path: entry for entry in committed}


def _read_committed(pipeline: Pipeline) -> list[Known]:
    """The committed state of every note, in the order of the manifest."""
    table = pipeline.tables.read_manifest(
        ["path", "note_id", "declared_id", "size", "mtime_ns", "file_hash", "content_hash", "state_key"]
    )
    columns = [table.column(name).to_pylist() for name in table.column_names]
    return [
        Known(Seen(path, size, mtime_ns, file_hash, content, declared), note_id, key)
        for path, note_id, declared, size, mtime_ns, file_hash, content, key in zip(*columns, strict=True)
    ]


def _second_at_a_path(committed: Iterable[Known], known: Mapping[str, Known]) -> frozenset[str]:
    """Committed notes that `known`, which has one note a path, does not show: none, unless something went wrong."""
    return frozenset(entry.note_id for entry in committed).difference(entry.note_id for entry in known.values())


def look_at_bytes(pipeline: Pipeline, path: str, data: bytes, stat: FileStat) -> Seen:
    """What a file's bytes say about its identity and its state."""
    sync = pipeline.settings.sync
    source = split_source(data)
    return Seen(
        path=path,
        size=stat.size,
        mtime_ns=stat.mtime_ns,
        file_hash=sha256_of_bytes(data),
        content_hash=content_hash(source, sync.hash_mode, sync.hash_normalize),
        declared_id=declared_id(source),
    )


def _look_at_file(pipeline: Pipeline, path: str) -> Seen | str:
    """The file as seen, or a sentence if it cannot be read. One that vanished may be back: editors save by renaming."""
    try:
        data, stat = read_file(pipeline.settings.vault, path)
    except OSError as error:
        return f"cannot be read ({error.strerror or error}); its last state was kept"
    return look_at_bytes(pipeline, path, data, stat)


def confirm_deletions(pipeline: Pipeline) -> list[str]:
    """Remember that the notes which are gone now were deleted on purpose: the next look lets them go."""
    look = look_at_vault(pipeline, allow_mass_delete=True)
    changesets.write_confirmation(pipeline.settings.data, look.plan.removed)
    return list(look.plan.removed)


def mark_for_remake(pipeline: Pipeline, plan_: SyncPlan) -> None:
    """Note that these notes must be made anew, whatever their size and time say."""
    ids = [*(upsert.note_id for upsert in plan_.upserts), *plan_.removed]
    if ids:
        changesets.write_pending(pipeline.settings.data, ids)
