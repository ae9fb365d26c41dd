"""When a run is worth another look at the vault, and what a look does whose time ended before it had read all."""

from __future__ import annotations

from itertools import count

import pytest

from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.core.sync import Seen, SyncPlan, Upsert
from mindnet_pipeline.engine.commit import commit
from mindnet_pipeline.engine.planning import Look, asks_for_another, look_at_vault
from mindnet_pipeline.engine.progress import listening
from mindnet_pipeline.engine.run_set import run_set_of
from mindnet_pipeline.engine.sync import STEPS


def look(notes: int) -> Look:
    upserts = (Upsert(f"n{number}", Seen(f"n{number}.md", 1, 1, "", "", ""), "") for number in range(notes))
    return Look(SyncPlan(tuple(upserts)), notes)


@pytest.mark.parametrize(("notes", "at_once", "expected"), [(3, 1000, False), (101, 1000, True), (3, 2, True)])
def test_another_look_is_for_long_runs_and_for_what_one_run_could_not_take(world, notes, at_once, expected):
    world.options = {"max_notes_per_run": at_once}
    assert asks_for_another(look(notes), world.pipeline()) is expected


def test_the_progress_of_a_look_ends_at_its_total_and_is_none_if_nothing_is_read(world) -> None:
    for name in ("a.md", "b.md"):
        world.write(name, "Text.\n")
    reports: list[tuple[str, int, int]] = []
    with listening(lambda *report: reports.append(report)):
        look_at_vault(world.pipeline())
    assert reports == [("scan", 0, 2), ("scan", 1, 2), ("scan", 2, 2)]
    world.sync()
    with listening(lambda *_: pytest.fail("nothing is to be read")):
        look_at_vault(world.pipeline())


class TestALookWhoseTimeEnded:
    @pytest.fixture
    def moving(self, world):
        """A folder of notes has got another name, which looks like so many new files."""
        for number in range(40):
            world.write(f"alt/n{number}.md", f"Notiz {number}.\n")
        world.sync()
        world.move("alt", "neu")
        return world

    def test_what_may_have_moved_to_a_file_not_read_yet_stays(self, moving) -> None:
        look = short_look(moving, files=10)
        assert (len(look.plan.moved), look.plan.removed, look.is_complete) == (10, (), False)

    def test_look_by_look_all_is_found(self, moving) -> None:
        looks = 0
        while not (look := short_look(moving, files=15)).plan.is_empty:
            run(moving.pipeline(), look)
            looks += 1
        assert looks == 3
        moving.assert_same_as_rebuild()

    def test_the_last_look_refuses_that_most_is_gone(self, moving) -> None:
        for number in range(30):
            moving.delete(f"neu/n{number}.md")
        run(moving.pipeline(), short_look(moving, files=5))
        with pytest.raises(VaultError, match="35 of 45"):
            short_look(moving, files=40)


def short_look(world, *, files: int) -> Look:
    """A look that has time to read so many files."""
    seconds = count()
    return look_at_vault(world.pipeline(), budget_s=files, clock=lambda: next(seconds))


def run(pipeline, look: Look) -> None:
    run_set = run_set_of(pipeline, look.plan)
    for step in STEPS.values():
        step(pipeline, run_set)
    commit(pipeline, run_set)
