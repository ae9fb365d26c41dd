"""Checks over a data folder: what is planted anywhere is found, also where earlier counts are trusted."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from mindnet_pipeline.core.model import CheckReport
from mindnet_pipeline.engine.checking import CHECKS, check_store, check_tables
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.storage.tables import TableName
from mindnet_pipeline.storage.vectors.protocol import Point
from mindnet_pipeline_tests.engine.conftest import World
from mindnet_pipeline_tests.engine.vaults import half_write

NOTES = {
    "a.md": "---\nid: a\ntype: project\n---\n## Eins\n\nEin Satz mit [[b]] und [[fehlt]].\n\n## Zwei\n\nNoch [[c]].\n",
    "b.md": "---\nid: b\n---\nText über [[a]].\n",
    "c.md": "---\nid: c\ntitle: Ziel\n---\nOhne Verweis.\n",
    "d.md": "---\nid: d\n---\nVerweist auf [[c|Ziel]].\n",
}


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A synced vault whose tables were counted once."""
    world = World(tmp_path_factory.mktemp("synced"))
    for path, text in NOTES.items():
        world.write(path, text)
    world.sync()
    assert [report.name for report in check_tables(world.pipeline()) if not report.passed] == ["every_link_resolves"]
    return world


@pytest.fixture
def world(synced: World, folder: Path) -> World:
    """A copy of it."""
    shutil.copytree(synced.folder, folder, dirs_exist_ok=True)
    return World(folder)


@pytest.fixture
def pipeline(world: World) -> Pipeline:
    return world.pipeline()


def red(pipeline: Pipeline, *, anew: bool) -> set[str]:
    return {report.name for report in check_tables(pipeline, anew=anew) if not report.passed} - {"every_link_resolves"}


def report_of(pipeline: Pipeline, name: str, *, anew: bool) -> CheckReport:
    (report,) = check_tables(pipeline, [name], anew=anew)
    return report


def replace(pipeline: Pipeline, table: TableName, note_id: str, change: Callable[[pa.Table], pa.Table]) -> None:
    rows = pipeline.tables.read(table, [note_id])
    pipeline.tables.replace(table, [note_id], change(rows))


def with_first(column: str, value: object) -> Callable[[pa.Table], pa.Table]:
    def change(rows: pa.Table) -> pa.Table:
        values = [value, *rows[column].to_pylist()[1:]]
        at = rows.schema.get_field_index(column)
        return rows.set_column(at, rows.schema.field(at), pa.array(values, rows.schema.field(at).type))

    return change


def without(**wanted: str) -> Callable[[pa.Table], pa.Table]:
    def change(rows: pa.Table) -> pa.Table:
        for column, value in wanted.items():
            rows = rows.filter(pc.not_equal(rows[column], value))
        return rows

    return change


PLANTED: dict[str, tuple[TableName, str, Callable[[pa.Table], pa.Table]]] = {
    "chunks_join_to_fulltext": ("chunks", "a", with_first("text", "anders")),
    "belongs_to_edges_match_chunks": ("edges", "c", without(kind="belongs_to")),
    "next_and_prev_edges_match_neighbours": ("edges", "a", without(kind="next")),
    "references_match_distinct_targets_per_chunk": ("edges", "b", without(kind="references")),
    "explicit_edges_match_written_links": ("edges", "d", without(kind="references")),
    "backlinks_match_distinct_explicit_targets": ("edges", "b", without(kind="backlink")),
    "every_edge_source_exists": ("edges", "c", with_first("source_id", "weg")),
    "every_resolved_target_exists": ("edges", "d", with_first("target_id", "weg")),
    "edge_keys_are_unique": ("edges", "c", lambda rows: pa.concat_tables([rows, rows])),
    "confidences_are_probabilities": ("edges", "c", with_first("confidence", 2.0)),
    "chunk_ids_are_unique": ("chunks", "a", with_first("chunk_id", "b#c01")),
    "note_ids_are_unique": ("notes", "c", lambda rows: pa.concat_tables([rows, rows])),
    "note_paths_are_unique": ("notes", "c", with_first("path", "d.md")),
}


@pytest.mark.parametrize("anew", [True, False], ids=["anew", "trusting"])
@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_behind_our_back_is_found(pipeline: Pipeline, name: str, anew: bool) -> None:
    table, note_id, change = PLANTED[name]
    replace(pipeline, table, note_id, change)
    assert name in red(pipeline, anew=anew)


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_is_found_again_until_it_is_mended(pipeline: Pipeline, name: str) -> None:
    table, note_id, change = PLANTED[name]
    sound = pipeline.tables.read(table, [note_id])
    replace(pipeline, table, note_id, change)
    first = report_of(pipeline, name, anew=False)
    assert report_of(pipeline, name, anew=False).violations == first.violations != ()
    pipeline.tables.replace(table, [note_id], sound)
    assert report_of(pipeline, name, anew=False).passed


def test_a_row_that_strayed_into_another_bucket_is_found(pipeline: Pipeline, world) -> None:
    chunks = Path(world.folder / "data" / "chunks")
    home = next(file for file in sorted(chunks.glob("*.parquet")))
    away = next(chunks / f"{n:04d}.parquet" for n in range(4) if not (chunks / f"{n:04d}.parquet").exists())
    shutil.move(home, away)
    assert "every_chunk_note_exists" in red(pipeline, anew=False)


def test_a_name_that_appeared_reaches_the_links_of_unchanged_files(pipeline: Pipeline, world) -> None:
    world.write("neu.md", "---\nid: neu\ntitle: fehlt\n---\nDas Ziel, das fehlte.\n")
    half_write(pipeline)
    assert "every_unresolved_target_is_missing" in red(pipeline, anew=False)


def test_only_changed_files_are_counted_again(pipeline: Pipeline, world) -> None:
    before = report_of(pipeline, "chunks_join_to_fulltext", anew=False)
    world.write("b.md", NOTES["b.md"] + "Ein Satz mehr.\n")
    world.sync()
    after = report_of(pipeline, "chunks_join_to_fulltext", anew=False)
    assert before.looked_at.startswith("0 of 4 files")
    assert after.looked_at.startswith("1 of 4 files")
    assert (after.expected, after.found) == (4, 4)


def test_trusted_counts_give_the_same_reports(pipeline: Pipeline) -> None:
    def figures(*, anew: bool) -> list[tuple[object, ...]]:
        reports = check_tables(pipeline, anew=anew)
        return [(r.name, r.description, r.expected, r.found, r.violations, r.remedy) for r in reports]

    assert figures(anew=False) == figures(anew=True)
    assert [name for name, *_ in figures(anew=False)] == list(CHECKS)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 0, "counts": {"chunks_join_to_fulltext": {}}}'])
def test_lost_or_foreign_counts_are_made_anew(pipeline: Pipeline, world, content: str) -> None:
    (world.folder / "data" / "counted.json").write_text(content)
    assert report_of(pipeline, "chunks_join_to_fulltext", anew=False).looked_at.startswith("4 of 4 files")


class TestTheStore:
    @pytest.mark.parametrize("anew", [True, False])
    def test_a_store_that_fits_passes_and_says_what_was_compared(self, pipeline: Pipeline, anew: bool) -> None:
        report = check_store(pipeline, anew=anew)
        rows = sum(pipeline.tables.count(name) for name in ("notes", "chunks", "edges"))
        assert (report.passed, report.expected, report.found) == (True, rows, rows)
        assert ("id" in report.looked_at.split()) == anew

    @pytest.mark.parametrize("anew", [True, False])
    def test_a_lost_point_is_named(self, pipeline: Pipeline, anew: bool) -> None:
        with pipeline.store.writer(pipeline.facts) as writer:
            writer.delete_notes(["c"])
        subjects = {violation.subject_id for violation in check_store(pipeline, anew=anew).violations}
        assert {"notes c", "chunks c#c01"} <= subjects

    @pytest.mark.parametrize("anew", [True, False])
    def test_a_point_left_over_is_named(self, pipeline: Pipeline, anew: bool) -> None:
        with pipeline.store.writer(pipeline.facts) as writer:
            writer.upsert("notes", [Point("weg", {"note_id": "weg"})])
        (violation,) = check_store(pipeline, anew=anew).violations
        assert (violation.subject_id, violation.message) == ("notes weg", "1 too many.")

    def test_points_of_the_same_number_and_other_ids_are_found_by_their_ids(self, pipeline: Pipeline) -> None:
        with pipeline.store.writer(pipeline.facts) as writer:
            writer.delete_notes(["c"])
            writer.upsert("chunks", [Point("c#c99", {"note_id": "c"})])
        subjects = {violation.subject_id for violation in check_store(pipeline).violations}
        assert {"chunks c#c01", "chunks c#c99"} <= subjects
