"""Runs: one run for a whole changeset, an event for every note, checks before the store is written."""

from __future__ import annotations

import os
import signal

import dagster as dg
import pyarrow as pa
import pytest

from mindnet_pipeline.defs.launching import SyncFailedError
from mindnet_pipeline.defs.runs import CHANGESET_TAG
from mindnet_pipeline.engine.progress import listening

FIVE = ("parsed_notes", "chunks", "edges", "embeddings", "qdrant_collections")
THREE_NOTES = {"a.md": "Eins. [[b]]\n", "b.md": "Zwei.\n", "Ordner/c.md": "Drei. [[a]]\n"}


def materialized(world, asset: str) -> set[str]:
    return set(world.instance.get_materialized_partitions(dg.AssetKey(asset)))


def test_one_run_materialises_every_note_of_the_changeset(world) -> None:
    world.write(THREE_NOTES)
    rows = world.sync()
    assert len(rows) == 1
    assert world.partitions() == {"a", "b", "Ordner/c"}
    assert {asset: materialized(world, asset) for asset in FIVE} == dict.fromkeys(FIVE, world.partitions())


def test_a_sync_without_change_starts_no_run(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    assert world.sync() == []


@pytest.mark.slow
def test_a_change_makes_only_the_changed_note_anew(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    world.write({"b.md": "Zwei, ergänzt.\n"})
    (row,) = world.sync()
    assert (row["changed"], row["added"], row["relinked"]) == (1, 0, 0)
    assert row["chunks"] == 3


@pytest.mark.slow
def test_a_deleted_note_loses_its_rows_and_its_partition(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    (world.vault / "b.md").unlink()
    (row,) = world.sync()
    assert (row["removed"], row["notes"], row["relinked"], row["unresolved"]) == (1, 2, 1, 1)
    assert world.partitions() == {"a", "Ordner/c"}


@pytest.mark.slow
def test_a_misspelt_variable_is_in_the_run_log_once(world, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDNET_VALUT", "/notes")
    world.write({"a.md": "Eins.\n"})
    world.sync()
    (record,) = world.instance.get_runs()
    logged = [entry.user_message for entry in world.instance.all_logs(record.run_id)]
    assert sum("MINDNET_VALUT" in message for message in logged) == 1


@pytest.mark.slow
def test_a_rename_is_one_move_in_the_history_and_in_the_metadata(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    (world.vault / "a.md").rename(world.vault / "neu.md")
    (row,) = world.sync()
    event = world.instance.get_latest_materialization_event(dg.AssetKey("qdrant_collections"))
    metadata = event.asset_materialization.metadata
    for name, count in {"added": 0, "changed": 0, "moved": 1, "removed": 0}.items():
        assert row[name] == metadata[f"run_{name}"].value == count
    assert world.partitions() == {"neu", "b", "Ordner/c"}


@pytest.mark.slow
def test_the_last_note_can_go_too(world) -> None:
    world.write({"a.md": "Eins.\n"})
    world.sync()
    (world.vault / "a.md").unlink()
    (row,) = world.sync(allow_mass_delete=True)
    assert row["notes"] == 0
    assert world.partitions() == set()


@pytest.mark.slow
def test_a_run_started_for_one_partition_makes_that_note_anew(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    world.write({"a.md": "Eins, geändert.\n", "b.md": "auch geändert\n"})
    job = world.definitions.resolve_job_def("vault_sync")
    result = job.execute_in_process(instance=world.instance, partition_key="a", raise_on_error=True)
    assert result.success
    texts = dict(
        zip(*(world.pipeline.tables.read("notes")[c].to_pylist() for c in ("note_id", "fulltext")), strict=True)
    )
    assert texts["a"] == "Eins, geändert.\n"
    assert texts["b"] == "Zwei.\n"


@pytest.mark.slow
def test_a_run_for_one_partition_lets_go_of_the_note_whose_file_it_takes(world) -> None:
    world.write({"x.md": "---\nid: gleich\n---\nX.\n", "yy.md": "---\nid: gleich\n---\nY.\n"})
    world.sync()
    (world.vault / "x.md").unlink()
    job = world.definitions.resolve_job_def("vault_sync")
    assert job.execute_in_process(instance=world.instance, partition_key="gleich").success
    assert world.pipeline.tables.read("notes")["path"].to_pylist() == ["yy.md"]
    assert world.partitions() == {"gleich"}


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_told_to_end_is_stopped_and_not_failed_of_something(world, ending: signal.Signals) -> None:
    world.write(THREE_NOTES)
    end = listening(lambda step, *_: signal.raise_signal(ending) if step == "chunks" else None)
    with end, pytest.raises(KeyboardInterrupt):
        world.sync()
    assert [row["notes"] for row in world.sync()] == [3]


@pytest.mark.slow
def test_a_broken_invariant_keeps_the_store_as_it_was(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    pipeline = world.pipeline
    chunks = pipeline.tables.read("chunks", ["b"])
    torn = chunks.set_column(
        chunks.schema.get_field_index("text"), "text", pa.array(["Zw"], chunks.schema.field("text").type)
    )
    pipeline.tables.replace("chunks", ["b"], torn)
    world.write({"a.md": "Neu.\n"})
    with pytest.raises(SyncFailedError):
        world.sync()
    with world.pipeline.store.reader() as reader:
        (found,) = reader.get("notes", ["a"])
    assert found.payload["fulltext"] == "Eins. [[b]]\n"


@pytest.mark.slow
def test_what_a_failed_run_left_is_repaired_by_the_next(world) -> None:
    test_a_broken_invariant_keeps_the_store_as_it_was(world)
    world.sync(rebuild=True)
    with world.pipeline.store.reader() as reader:
        (found,) = reader.get("notes", ["a"])
    assert found.payload["fulltext"] == "Neu.\n"


def test_all_checks_are_recorded_once_per_run(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    (run,) = world.instance.get_runs()
    events = world.instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)
    names = [entry.dagster_event.event_specific_data.check_name for entry in events]
    assert len(names) == len(set(names))
    assert {"chunks_join_to_fulltext", "store_matches_tables", "every_link_resolves"} <= set(names)
    failed = {
        entry.dagster_event.event_specific_data.check_name
        for entry in events
        if not entry.dagster_event.event_specific_data.passed
    }
    assert failed == set()


@pytest.mark.slow
def test_runs_say_how_many_notes_they_are_about(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    (run,) = world.instance.get_runs()
    assert run.tags["mindnet/notes"] == "3"
    assert CHANGESET_TAG in run.tags


@pytest.mark.slow
def test_each_run_adds_a_row_to_the_history_and_the_asset_shows_its_trend(world) -> None:
    world.write({"a.md": "Eins. [[b]] [[fehlt]]\n", "b.md": "Zwei.\n"})
    world.sync()
    world.write({"c.md": "Drei, allein.\n"})
    world.sync()
    world.sync()
    rows = world.pipeline.tables.read_history().to_pylist()
    assert [(row["notes"], row["added"], row["unresolved"], row["orphans"]) for row in rows] == [
        (2, 2, 1, 0),
        (3, 1, 1, 1),
    ]
    event = world.instance.get_latest_materialization_event(dg.AssetKey("qdrant_collections"))
    trend = event.asset_materialization.metadata["trend"].value.splitlines()
    assert trend[0].split(" | ")[1] == "notes"
    assert trend[2].split(" | ")[1] == "▁█"
    assert [line.split(" | ")[1] for line in trend[3:]] == ["3", "2"]


@pytest.mark.slow
def test_the_nightly_verification_notices_a_change_behind_an_unchanged_time(world) -> None:
    world.write(THREE_NOTES)
    world.sync()
    stat = (world.vault / "b.md").stat()
    world.write({"b.md": "Zwei!\n"})
    os.utime(world.vault / "b.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert world.sync() == []
    job = world.definitions.resolve_job_def("nightly_verification")
    assert job.execute_in_process(instance=world.instance).success
    (row,) = world.sync()
    assert row["changed"] == 1


@pytest.mark.slow
def test_a_question_can_be_asked_as_a_job(world) -> None:
    world.write({"a.md": "Quarkbrot ist ein Frühstück.\n", "b.md": "Etwas ganz anderes.\n"})
    world.sync()
    job = world.definitions.resolve_job_def("ask")
    config = {"ops": {"retrieve": {"config": {"question": "Quarkbrot", "limit": 1}}}}
    result = job.execute_in_process(instance=world.instance, run_config=config)
    assert result.output_for_node("retrieve")[0]["title"] == "a"
