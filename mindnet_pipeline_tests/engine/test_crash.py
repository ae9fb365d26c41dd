"""Killed at any moment, a sync leaves what the next one repairs; two syncs at once never mix."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest

from mindnet_pipeline.core.errors import StoreLockedError
from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline.storage.locks import writer_lock

KILLS = 20
_CHILD = """
import sys
from pathlib import Path
from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline_tests.engine.vaults import pipeline_of
pipeline = pipeline_of(Path(sys.argv[1]), Path(sys.argv[2]), sync={"max_notes_per_run": 10})
print("ready", flush=True)
sync_once(pipeline, allow_mass_delete=True)
"""


def start_sync(world) -> subprocess.Popen[str]:
    """A process that syncs; it has loaded everything and is about to begin."""
    command = [sys.executable, "-c", _CHILD, str(world.vault), str(world.folder / "data")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def change_the_vault(world, chance: random.Random) -> None:
    """Write, move and delete some notes."""
    for _ in range(12):
        path = f"{chance.choice(['', 'x/', 'y/'])}n{chance.randrange(12)}.md"
        links = " ".join(f"[[n{chance.randrange(14)}]]" for _ in range(3))
        if (world.vault / path).exists() and chance.random() < 0.4:
            world.delete(path)
        else:
            head = f"---\nid: kennung-{chance.randrange(6)}\n---\n" if chance.random() < 0.4 else ""
            world.write(path, f"{head}Notiz {chance.random()}.\n\n## Teil\n\n{links}\n")


@pytest.mark.slow
def test_whenever_it_is_killed_the_next_sync_makes_it_whole(world) -> None:
    chance = random.Random(20)
    for _ in range(KILLS):
        change_the_vault(world, chance)
        process = start_sync(world)
        time.sleep(chance.uniform(0.0, 0.8))
        kill(process)
        world.sync(allow_mass_delete=True)
        world.assert_same_as_rebuild()


def test_a_second_sync_is_refused_and_changes_nothing(world) -> None:
    world.write("a.md", "Text.\n")
    pipeline = world.pipeline()
    patient = pipeline.settings.store.model_copy(update={"wait_seconds": 0})
    object.__setattr__(pipeline.settings, "store", patient)
    with writer_lock(pipeline.settings.data, 0, "another sync"), pytest.raises(StoreLockedError, match="another sync"):
        sync_once(pipeline)
    assert world.paths() == {}


@pytest.mark.slow
def test_syncs_at_once_wait_for_each_other(world) -> None:
    for number in range(30):
        world.write(f"n{number}.md", f"Notiz {number} [[n{number + 1}]]\n")
    processes = [start_sync(world) for _ in range(3)]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0, 0]
    world.assert_same_as_rebuild()


def test_the_lock_of_a_killed_process_blocks_nobody(world) -> None:
    world.write("a.md", "Text.\n")
    code = (
        "import sys, time; from mindnet_pipeline.storage.locks import writer_lock\n"
        "with writer_lock(sys.argv[1], 0, 'sync'): print('held', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(world.folder / "data")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    kill(process)
    world.sync()
    assert set(world.paths()) == {"a"}
