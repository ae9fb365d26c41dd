"""Runs that take a part of what changed: some partitions, or as many notes as one may. Each leaves one note a path."""

from __future__ import annotations

import pytest

from mindnet_pipeline.engine.commit import commit
from mindnet_pipeline.engine.planning import look_at_vault
from mindnet_pipeline.engine.run_set import run_set_of
from mindnet_pipeline.engine.sync import STEPS
from mindnet_pipeline_tests.engine.vaults import half_write, points_of, rows_of, run_partitions


@pytest.fixture
def contested(world):
    """Two files claim one id, and the one that had it was deleted."""
    world.write("x.md", "---\nid: gleich\n---\nInhalt X.\n")
    world.write("yy.md", "---\nid: gleich\n---\nInhalt Y, mit [[b]].\n")
    world.write("b.md", "Verweist auf [[yy]].\n")
    world.sync()
    world.delete("x.md")
    return world


def test_the_note_whose_path_is_taken_over_goes_with_the_run(contested) -> None:
    run_partitions(contested.pipeline(), "gleich")
    assert contested.paths() == {"gleich": "yy.md", "b": "b.md"}
    assert set(points_of(contested.pipeline())["notes"]) == {"gleich", "b"}
    contested.sync()
    contested.assert_same_as_rebuild()


def test_so_it_does_if_another_file_has_its_id_now(world) -> None:
    world.write("a.md", "---\nid: eins\n---\nInhalt A.\n")
    world.write("b.md", "---\nid: drei\n---\nInhalt B.\n")
    world.sync()
    world.write("a.md", "---\nid: zwei\n---\nInhalt A, neu.\n")
    world.write("b.md", "---\nid: eins\n---\nInhalt B, neu.\n")
    run_partitions(world.pipeline(), "zwei")
    assert world.paths() == {"zwei": "a.md", "drei": "b.md"}
    world.sync()
    world.assert_same_as_rebuild()


def test_every_part_of_a_large_change_leaves_one_note_a_path(world) -> None:
    for number in range(4):
        world.write(f"n{number}.md", f"---\nid: k{number}\n---\nNotiz {number}.\n")
    world.sync()
    for number in range(4):
        world.write(f"n{number}.md", f"---\nid: k{(number + 1) % 4}\n---\nNotiz {number}, neu.\n")
    world.options = {"max_notes_per_run": 1}
    for _ in range(10):
        pipeline = world.pipeline()
        look = look_at_vault(pipeline)
        if look.plan.is_empty:
            break
        run_set = run_set_of(pipeline, look.plan)
        for step in STEPS.values():
            step(pipeline, run_set)
        commit(pipeline, run_set)
        paths = pipeline.tables.read_manifest(["path"])["path"].to_pylist()
        assert sorted(world.paths().values()) == sorted(set(paths)) == paths
    world.assert_same_as_rebuild()


def test_a_second_note_at_a_path_goes_with_the_next_sync(world) -> None:
    world.write("a.md", "Text.\n")
    world.sync()
    tables = world.pipeline().tables
    for table in ("notes", "chunks"):
        rows = tables.read(table)
        at = rows.schema.get_field_index("note_id")
        tables.replace(table, ["0"], rows.set_column(at, rows.schema.field(at), [["0"] * rows.num_rows]))
    tables.write_manifest(tables.read("notes", columns=tables.read_manifest().column_names))
    world.sync()
    assert {row["note_id"] for row in rows_of(world.pipeline())["chunks"]} == {"a"}
    world.assert_same_as_rebuild()


@pytest.mark.parametrize("meanwhile", ["---\ntitle: Der Name\n---\nMit Titel.\n", None], ids=["named", "deleted"])
def test_what_was_linked_by_a_half_written_note_is_linked_anew_with_it(world, meanwhile: str | None) -> None:
    world.write("a.md", "[[Der Name]] und [[b]]\n")
    world.write("b.md", "Ohne Titel.\n")
    world.write("c.md", "Daneben.\n")
    world.sync()
    if meanwhile is None:
        world.delete("b.md")
    else:
        world.write("b.md", meanwhile)
    half_write(world.pipeline())
    world.write("c.md", "Daneben, geändert.\n")
    run_partitions(world.pipeline(), "c")
    world.write("b.md", "Ohne Titel.\n")
    world.sync()
    world.assert_same_as_rebuild()


def test_a_half_written_note_that_a_part_relinks_is_still_half_written(world) -> None:
    world.write("a.md", "[[Der Name]]\n")
    world.write("b.md", "Ohne Titel.\n")
    world.sync()
    world.write("a.md", "Ganz anders, mit [[Der Name]].\n")
    half_write(world.pipeline())
    world.write("b.md", "---\ntitle: Der Name\n---\nMit Titel.\n")
    run_partitions(world.pipeline(), "b")
    world.write("a.md", "[[Der Name]]\n")
    world.sync()
    world.assert_same_as_rebuild()
