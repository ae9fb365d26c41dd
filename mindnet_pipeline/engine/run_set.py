"""The run set: the notes that one run makes or deletes, written down as a changeset so that every step sees the same.

A run is started with the id of a changeset; runs that a person starts in the UI for some partitions have none and get
their run set from the partition keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mindnet_pipeline.core.ids import partition_key
from mindnet_pipeline.core.sync import Seen, SyncPlan, Upsert, displaced, first_part
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import look_at_vault, mark_for_remake, read_known
from mindnet_pipeline.storage import changesets

_SEEN_COLUMNS = ("path", "size", "mtime_ns", "file_hash", "content_hash", "declared_id")


@dataclass(frozen=True, slots=True)
class RunSet:
    """Notes to make (`upserts`) and to delete (`removed`). `touched` files only get their size and time noted.

    `counts` says how many notes were added, changed, moved and removed, for history and metadata.
    """

    upserts: tuple[Upsert, ...] = ()
    removed: tuple[str, ...] = ()
    touched: tuple[Seen, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def note_ids(self) -> list[str]:
        """Ids of the notes to make."""
        return [upsert.note_id for upsert in self.upserts]

    @property
    def all_ids(self) -> list[str]:
        """Ids of the notes to make and to delete: everything whose old rows and points go."""
        return [*self.note_ids, *self.removed]


def run_set_of(pipeline: Pipeline, whole: SyncPlan) -> RunSet:
    """The run set of a plan: all of it, or as much as one run may take; the rest is noted down."""
    plan = first_part(whole, pipeline.settings.sync.max_notes_per_run)
    removed = plan.removed
    if len(plan.upserts) < len(whole.upserts):
        mark_for_remake(pipeline, whole)
        removed = _with_displaced(pipeline, plan.upserts, plan.removed)
    return RunSet(plan.upserts, removed, plan.touched, plan.counts)


def save_run_set(pipeline: Pipeline, run_set: RunSet) -> str:
    """Write the run set beside the data; returns its id, a digest of its content."""
    return changesets.put(pipeline.settings.data, asdict(run_set))


def load_run_set(pipeline: Pipeline, changeset_id: str) -> RunSet:
    """Read a run set that was saved."""
    raw: dict[str, Any] = changesets.get(pipeline.settings.data, changeset_id)
    return RunSet(
        upserts=tuple(Upsert(u["note_id"], Seen(**u["seen"]), u["state_key"]) for u in raw["upserts"]),
        removed=tuple(raw["removed"]),
        touched=tuple(Seen(**seen) for seen in raw["touched"]),
        counts=raw["counts"],
    )


def run_set_for_keys(pipeline: Pipeline, keys: Collection[str]) -> RunSet:
    """The run set of some partitions, as the vault is now: what exists is made anew, what is gone deleted."""
    wanted = frozenset(keys)
    look = look_at_vault(pipeline, remake=lambda note_id: partition_key(note_id) in wanted)
    upserts = tuple(u for u in look.plan.upserts if partition_key(u.note_id) in wanted)
    removed = (note_id for note_id in look.plan.removed if partition_key(note_id) in wanted)
    return RunSet(upserts, _with_displaced(pipeline, upserts, removed))


def run_set_in_tables(pipeline: Pipeline, keys: Collection[str]) -> RunSet:
    """The run set of some partitions for the steps after reading: what the notes table holds, and what left it."""
    wanted = frozenset(keys)
    table = pipeline.tables.read("notes", columns=("note_id", "state_key", *_SEEN_COLUMNS))
    upserts = tuple(
        Upsert(row["note_id"], Seen(**{name: row[name] for name in _SEEN_COLUMNS}), row["state_key"])
        for row in table.to_pylist()
        if partition_key(row["note_id"]) in wanted
    )
    known = pipeline.tables.read_manifest(["note_id"])["note_id"].to_pylist()
    present = {upsert.note_id for upsert in upserts}
    removed = (note_id for note_id in known if partition_key(note_id) in wanted and note_id not in present)
    return RunSet(upserts, _with_displaced(pipeline, upserts, removed))


def _with_displaced(pipeline: Pipeline, upserts: Sequence[Upsert], removed: Iterable[str]) -> tuple[str, ...]:
    """What a run of a part of the plan deletes: also the notes whose paths it takes over."""
    return tuple(sorted(displaced(read_known(pipeline), upserts).union(removed)))
