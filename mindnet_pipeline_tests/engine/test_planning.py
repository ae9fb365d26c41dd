"""When a run is worth another look at the vault."""

from __future__ import annotations

import pytest

from mindnet_pipeline.core.sync import Seen, SyncPlan, Upsert
from mindnet_pipeline.engine.planning import Look, asks_for_another


def look(notes: int) -> Look:
    upserts = (Upsert(f"n{number}", Seen(f"n{number}.md", 1, 1, "", "", ""), "") for number in range(notes))
    return Look(SyncPlan(tuple(upserts)), notes)


@pytest.mark.parametrize(("notes", "at_once", "expected"), [(3, 1000, False), (101, 1000, True), (3, 2, True)])
def test_another_look_is_for_long_runs_and_for_what_one_run_could_not_take(world, notes, at_once, expected):
    world.options = {"max_notes_per_run": at_once}
    assert asks_for_another(look(notes), world.pipeline()) is expected
