"""Partitions: one dynamic partition per note, its key made from the note id (core/ids.py)."""

from collections.abc import Collection, Iterable

import dagster as dg

from mindnet_pipeline.core.ids import partition_key

NOTES = dg.DynamicPartitionsDefinition(name="notes")

_KEYS_AT_ONCE = 30_000
"""SQLite takes only so many variables in one statement."""


def register(instance: dg.DagsterInstance, note_ids: Iterable[str]) -> None:
    """Add the partitions of these notes, those that are not there yet, in few statements."""
    known = set(instance.get_dynamic_partitions(NOTES.name))
    new = sorted({partition_key(note_id) for note_id in note_ids} - known)
    for start in range(0, len(new), _KEYS_AT_ONCE):
        instance.add_dynamic_partitions(NOTES.name, new[start : start + _KEYS_AT_ONCE])


def forget(instance: dg.DagsterInstance, note_ids: Collection[str]) -> None:
    """Delete the partitions of notes that are gone."""
    gone = {partition_key(note_id) for note_id in note_ids}
    if gone:
        _delete(instance, gone & set(instance.get_dynamic_partitions(NOTES.name)))


def forget_strangers(instance: dg.DagsterInstance, note_ids: Iterable[str]) -> None:
    """Delete the partitions that no note has: left by a crash between the manifest and the registry."""
    _delete(instance, set(instance.get_dynamic_partitions(NOTES.name)) - {partition_key(each) for each in note_ids})


def _delete(instance: dg.DagsterInstance, keys: Iterable[str]) -> None:
    for key in sorted(keys):
        instance.delete_dynamic_partition(NOTES.name, key)
