"""The vault sensor: asks for a run when the vault changed and is quiet, and for nothing otherwise."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from dagster import DagsterEvent, DagsterEventType

from mindnet_pipeline.defs import sensors
from mindnet_pipeline.defs.runs import CHANGESET_TAG
from mindnet_pipeline.defs.sensors import unfinished_run, vault_sensor
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.storage.locks import writer_lock


def tick(world, cursor: str | None = None):
    with dg.build_sensor_context(
        instance=world.instance, cursor=cursor, definitions=world.definitions, resources={"mindnet": world.resource}
    ) as context:
        return vault_sensor(context), context


def age(path: Path, seconds: int = 3_600) -> None:
    """Make a file look as if nobody had written to it for an hour, or (negative) as if it were written to later on."""
    stat = path.stat()
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns - seconds * 1_000_000_000))


def write_long_ago(world, files: dict[str, str]) -> None:
    world.write(files)
    for path in files:
        age(world.vault / path)


def run_requested(world, request: dg.RunRequest) -> dg.ExecuteInProcessResult:
    job = world.definitions.resolve_job_def(request.job_name)
    return job.execute_in_process(instance=world.instance, partition_key=request.partition_key, tags=request.tags)


def test_a_changed_vault_gets_one_run_for_all_notes(world) -> None:
    write_long_ago(world, {"a.md": "1\n", "b.md": "2\n"})
    request, _ = tick(world)
    assert isinstance(request, dg.RunRequest)
    assert request.tags["mindnet/notes"] == "2"
    assert world.partitions() == {"a", "b"}
    assert run_requested(world, request).success


def test_after_the_run_nothing_is_asked_for(world) -> None:
    write_long_ago(world, {"a.md": "1\n"})
    request, _ = tick(world)
    run_requested(world, request)
    skipped, _ = tick(world)
    assert isinstance(skipped, dg.SkipReason)
    assert "nothing changed" in skipped.skip_message


def test_a_vault_that_is_being_written_to_is_left_in_peace(world) -> None:
    world.write({"a.md": "1\n"})
    age(world.vault / "a.md", seconds=-60)
    skipped, context = tick(world)
    assert "still writing" in skipped.skip_message
    assert float(context.cursor) > 0


def test_a_note_saved_a_moment_ago_is_asked_for_in_the_same_tick(world) -> None:
    world.write({"a.md": "1\n"})
    request, _ = tick(world)
    assert isinstance(request, dg.RunRequest)
    assert time.time() - (world.vault / "a.md").stat().st_mtime >= world.pipeline.settings.sync.quiet_seconds


def test_a_vault_that_never_rests_is_synced_after_a_minute(world) -> None:
    world.write({"a.md": "1\n"})
    age(world.vault / "a.md", seconds=-60)
    request, _ = tick(world, cursor="1.0")
    assert isinstance(request, dg.RunRequest)


@pytest.mark.slow
def test_a_deleted_note_leaves_the_registry_with_its_run(world) -> None:
    write_long_ago(world, {"a.md": "1\n", "b.md": "2\n"})
    run_requested(world, tick(world)[0])
    (world.vault / "b.md").unlink()
    request, _ = tick(world)
    assert world.partitions() == {"a", "b"}
    run_requested(world, request)
    assert world.partitions() == {"a"}


@pytest.mark.slow
def test_a_deleted_note_can_come_back(world) -> None:
    test_a_deleted_note_leaves_the_registry_with_its_run(world)
    write_long_ago(world, {"b.md": "2\n"})
    run_requested(world, tick(world)[0])
    assert world.partitions() == {"a", "b"}


def test_a_vault_that_is_gone_is_a_reason_to_skip_and_changes_nothing(world) -> None:
    write_long_ago(world, {"a.md": "1\n"})
    run_requested(world, tick(world)[0])
    world.vault.rename(world.vault.with_name("elsewhere"))
    skipped, _ = tick(world)
    assert isinstance(skipped, dg.SkipReason)
    assert "vault" in skipped.skip_message
    assert "does not exist" in skipped.skip_message
    assert world.pipeline.tables.count("notes") == 1


def test_a_wrong_configuration_is_a_reason_to_skip(world, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINDNET_HASH_MODE", "boddy")
    skipped, _ = tick(world)
    assert "MINDNET_HASH_MODE" in skipped.skip_message


def test_what_should_be_known_of_the_environment_is_said_once(
    world, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MINDNET_VALUT", "/notes")
    monkeypatch.setattr(sensors, "_said", set())
    for _ in range(2):
        tick(world)
    assert capfd.readouterr().err.count("MINDNET_VALUT") == 1


@pytest.mark.slow
def test_an_emptied_vault_is_refused_until_a_person_confirms(world) -> None:
    write_long_ago(world, {"a.md": "1\n"})
    run_requested(world, tick(world)[0])
    (world.vault / "a.md").unlink()
    skipped, _ = tick(world)
    assert "confirm_deletions_job" in skipped.skip_message
    assert world.pipeline.tables.count("notes") == 1
    job = world.definitions.resolve_job_def("confirm_deletions_job")
    assert job.execute_in_process(instance=world.instance).success
    request, _ = tick(world)
    assert request.job_name == "vault_forget"
    assert run_requested(world, request).success
    assert world.pipeline.tables.count("notes") == 0


def test_while_a_run_is_unfinished_nothing_is_asked_for(world) -> None:
    write_long_ago(world, {"a.md": "1\n"})
    job = world.definitions.resolve_job_def("vault_sync")
    world.instance.create_run_for_job(job, status=dg.DagsterRunStatus.STARTED)
    skipped, _ = tick(world)
    assert "started" in skipped.skip_message


class TestARunWhoseProcessMayBeGone:
    @pytest.fixture
    def begin(self, world):
        """A run that began so many seconds ago and has not ended."""

        def begin(*, seconds_ago: float) -> dg.DagsterRun:
            job = world.definitions.resolve_job_def("vault_sync")
            run = world.instance.create_run_for_job(job)
            started = DagsterEvent(DagsterEventType.RUN_START.value, job.name)
            world.instance.report_dagster_event(started, run.run_id, timestamp=time.time() - seconds_ago)
            return run

        return begin

    def test_if_nobody_writes_it_has_failed_and_blocks_no_other(self, world, begin) -> None:
        run = begin(seconds_ago=120)
        assert unfinished_run(world.instance, world.pipeline) is None
        assert world.instance.get_run_by_id(run.run_id).status == dg.DagsterRunStatus.FAILURE

    def test_if_it_has_only_begun_it_may_not_write_yet(self, world, begin) -> None:
        run = begin(seconds_ago=5)
        assert unfinished_run(world.instance, world.pipeline).run_id == run.run_id

    def test_if_someone_writes_it_goes_on(self, world, begin) -> None:
        run = begin(seconds_ago=120)
        with writer_lock(world.pipeline.settings.data, 0, "a Dagster run"):
            assert unfinished_run(world.instance, world.pipeline).run_id == run.run_id

    def test_with_a_remote_data_folder_nobody_can_say_that_it_is_gone(self, world, begin) -> None:
        run = begin(seconds_ago=120)
        remote = Pipeline(replace(world.pipeline.settings, data="memory://fern/data"))
        assert unfinished_run(world.instance, remote).run_id == run.run_id


@pytest.mark.slow
def test_a_change_that_failed_three_times_waits_for_another_change(world) -> None:
    write_long_ago(world, {"a.md": "1\n"})
    request, _ = tick(world)
    job = world.definitions.resolve_job_def("vault_sync")
    tags = {CHANGESET_TAG: request.tags[CHANGESET_TAG]}
    keys = {request.run_key}
    for _ in range(3):
        world.instance.create_run_for_job(job, status=dg.DagsterRunStatus.FAILURE, tags=tags)
        again, _ = tick(world)
        if isinstance(again, dg.RunRequest):
            keys.add(again.run_key)
    assert isinstance(again, dg.SkipReason)
    assert len(keys) == 3
    write_long_ago(world, {"a.md": "anders\n"})
    assert isinstance(tick(world)[0], dg.RunRequest)
