"""Partitions: one dynamic partition per note, its key made from the note id (core/ids.py)."""

from collections.abc import Collection, Iterable

import dagster as dg

from mindnet_pipeline.core.ids import partition_key

NOTES = dg.DynamicPartitionsDefinition(name="notes")

_KEYS_AT_ONCE = 30_000
"""SQLite takes only so many variables in one statement."""


def register(instance: dg.DagsterInstance, note_ids: Iterable[str]) -> None:
    """Add the partitions of these notes, those that are not there yet, in few statements."""
    keys = sorted({partition_key(note_id) for note_id in note_ids})
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        part = keys[start : start + _KEYS_AT_ONCE]
        known = set(instance.get_dynamic_partitions(NOTES.name))
        if new := [key for key in part if key not in known]:
            instance.add_dynamic_partitions(NOTES.name, new)


def forget(instance: dg.DagsterInstance, note_ids: Collection[str]) -> None:
    """Delete the partitions of notes that are gone."""
    known = set(instance.get_dynamic_partitions(NOTES.name)) if note_ids else set()
    for key in sorted({partition_key(note_id) for note_id in note_ids} & known):
        instance.delete_dynamic_partition(NOTES.name, key)


def registry_drift(instance: dg.DagsterInstance, note_ids: Iterable[str]) -> set[str]:
    """Partition keys that no note has: left by a crash between the manifest and the registry."""
    return set(instance.get_dynamic_partitions(NOTES.name)) - {partition_key(note_id) for note_id in note_ids}
