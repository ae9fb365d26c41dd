"""The Parquet tables: whole notes are replaced, only their buckets are touched, and a crash tears nothing."""

from __future__ import annotations

import random
import uuid
from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.storage import files
from mindnet_pipeline.storage.rows import chunks_from, chunks_table, edges_table
from mindnet_pipeline.storage.schemas import MANIFEST_SCHEMA, SCHEMAS
from mindnet_pipeline.storage.tables import Tables
from mindnet_pipeline_tests.storage.samples import chunk, edge

IDS = [f"notiz-{number}" for number in range(20)]


def chunks_of(note_ids: Collection[str], count: int = 2, text: str = "Text.") -> pa.Table:
    return chunks_table([chunk(note_id, number, text=text) for note_id in note_ids for number in range(1, count + 1)])


def stored(data: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in (data / "chunks").iterdir()}


@pytest.fixture(params=["folder", "file URL", "memory URL"])
def tables(request: pytest.FixtureRequest, quick_folder: Path) -> Tables:
    places = {"folder": quick_folder, "file URL": quick_folder.as_uri(), "memory URL": f"memory://{uuid.uuid4().hex}"}
    return Tables(str(places[request.param]), buckets=4)


class TestOnEveryKindOfPlace:
    def test_before_the_first_write_every_table_is_empty_and_has_its_columns(self, tables: Tables) -> None:
        for name, schema in SCHEMAS.items():
            assert tables.read(name).schema.equals(schema)
            assert tables.count(name) == 0
        assert tables.read_manifest().schema.equals(MANIFEST_SCHEMA)

    def test_what_is_written_is_read_by_note_and_position(self, tables: Tables) -> None:
        shuffled = chunks_of(IDS).take(random.Random(7).sample(range(40), 40))
        assert tables.replace("chunks", IDS, shuffled) == 40
        rows = chunks_from(tables.read("chunks"))
        assert [(row.note_id, row.chunk_index) for row in rows] == [(i, n) for i in sorted(IDS) for n in (1, 2)]
        assert tables.count("chunks") == 40

    def test_some_notes_and_some_columns(self, tables: Tables) -> None:
        tables.replace("chunks", IDS, chunks_of(IDS))
        rows = tables.read("chunks", {IDS[3], IDS[1], "unbekannt"}, ("chunk_index", "chunk_id"))
        assert rows.column_names == ["chunk_index", "chunk_id"]
        assert rows["chunk_id"].to_pylist() == [f"{i}#c0{n}" for i in (IDS[1], IDS[3]) for n in (1, 2)]
        assert tables.read("chunks", ()).num_rows == 0

    def test_a_note_that_got_shorter_leaves_nothing_behind(self, tables: Tables) -> None:
        tables.replace("chunks", IDS, chunks_of(IDS, 3))
        tables.replace("chunks", IDS[:1], chunks_of(IDS[:1], 1))
        assert tables.read("chunks", IDS[:1], ("chunk_id",)).num_rows == 1
        assert tables.count("chunks") == 19 * 3 + 1

    def test_replacing_by_nothing_deletes(self, tables: Tables) -> None:
        tables.replace("chunks", IDS, chunks_of(IDS))
        tables.replace("chunks", IDS, chunks_of(()))
        assert tables.read("chunks").num_rows == 0

    def test_the_manifest_is_ordered_by_path(self, tables: Tables) -> None:
        rows = [dict.fromkeys(MANIFEST_SCHEMA.names) | {"path": path, "note_id": path} for path in ("b.md", "a.md")]
        tables.write_manifest(pa.Table.from_pylist(rows, MANIFEST_SCHEMA))
        assert tables.read_manifest(("path",))["path"].to_pylist() == ["a.md", "b.md"]

    def test_history_grows_by_rows_and_by_columns(self, tables: Tables) -> None:
        tables.append_history({"run": 1, "notes": 3})
        tables.append_history({"run": 2, "notes": 4, "grund": "neu"})
        assert tables.read_history().to_pylist() == [
            {"run": 1, "notes": 3, "grund": None},
            {"run": 2, "notes": 4, "grund": "neu"},
        ]


class TestBuckets:
    def test_one_note_changes_one_file(self, quick_folder: Path) -> None:
        tables = Tables(str(quick_folder), buckets=8)
        tables.replace("chunks", IDS, chunks_of(IDS))
        before = stored(quick_folder)
        tables.replace("chunks", IDS[:1], chunks_of(IDS[:1], text="Neu."))
        after = stored(quick_folder)
        assert before.keys() == after.keys()
        assert sum(before[name] != after[name] for name in before) == 1

    def test_an_empty_bucket_has_no_file(self, quick_folder: Path) -> None:
        tables = Tables(str(quick_folder), buckets=8)
        tables.replace("chunks", IDS, chunks_of(IDS))
        tables.replace("chunks", IDS, chunks_of(()))
        assert stored(quick_folder) == {}

    def test_a_folder_keeps_the_number_that_it_was_made_with(self, quick_folder: Path) -> None:
        Tables(str(quick_folder), buckets=8).replace("chunks", IDS, chunks_of(IDS))
        later = Tables(str(quick_folder), buckets=64)
        assert later.buckets == 8
        assert later.count("chunks") == 40

    def test_rows_of_a_note_that_is_not_replaced_are_an_error(self, quick_folder: Path) -> None:
        with pytest.raises(ValueError, match="notiz-1"):
            Tables(str(quick_folder)).replace("chunks", ["notiz-0"], chunks_of(["notiz-0", "notiz-1"]))


class TestSameContentSameTables:
    @settings(max_examples=15, deadline=None)
    @given(steps=st.lists(st.dictionaries(st.sampled_from(IDS[:6]), st.integers(0, 3), min_size=1), max_size=5))
    def test_however_it_came_about(self, steps: list[dict[str, int]]) -> None:
        grown = Tables(f"memory://{uuid.uuid4().hex}", buckets=3)
        final: Mapping[str, int] = {}
        for step in steps:
            rows = chunks_table([chunk(note_id, n) for note_id, count in step.items() for n in range(count)])
            grown.replace("chunks", step, rows)
            final = {**final, **step}
        fresh = Tables(f"memory://{uuid.uuid4().hex}", buckets=3)
        rows = chunks_table([chunk(note_id, n) for note_id, count in sorted(final.items()) for n in range(count)])
        fresh.replace("chunks", final, rows)
        assert grown.read("chunks").equals(fresh.read("chunks"))

    def test_bucket_by_bucket(self, quick_folder: Path) -> None:
        Tables(str(quick_folder / "a"), 4).replace("chunks", IDS, chunks_of(IDS))
        for note_id in reversed(IDS):
            Tables(str(quick_folder / "b"), 4).replace("chunks", [note_id], chunks_of([note_id]))
        assert stored(quick_folder / "a").keys() == stored(quick_folder / "b").keys()
        for name in stored(quick_folder / "a"):
            one, other = (pq.read_table(quick_folder / folder / "chunks" / name) for folder in "ab")
            assert one.equals(other)

    def test_edges_at_one_place_are_ordered_by_id(self, quick_folder: Path) -> None:
        tables = Tables(str(quick_folder), 4)
        tables.replace("edges", ["n"], edges_table([edge("n", "b"), edge("n", "a")]))
        assert tables.read("edges", columns=("target_id",))["target_id"].to_pylist() == ["a", "b"]


class TestOtherReaders:
    def test_pandas_reads_the_folder(self, quick_folder: Path) -> None:
        tables = Tables(str(quick_folder), 4)
        tables.replace("chunks", IDS, chunks_of(IDS))
        (quick_folder / "chunks" / ".tmp-left").write_bytes(b"half a fi")
        frame = pd.read_parquet(quick_folder / "chunks")
        assert sorted(frame["chunk_id"]) == sorted(tables.read("chunks")["chunk_id"].to_pylist())


class TestCrashes:
    def test_a_failed_write_leaves_the_last_good_file(
        self, quick_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        tables = Tables(str(quick_folder), 4)
        tables.replace("chunks", IDS, chunks_of(IDS))
        before = stored(quick_folder)

        def full_disk(_descriptor: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(files.os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space left"):
            tables.replace("chunks", IDS, chunks_of(IDS, 3))
        assert stored(quick_folder) == before

    def test_what_a_killed_writer_left_is_ignored_and_then_removed(self, quick_folder: Path) -> None:
        tables = Tables(str(quick_folder), 4)
        tables.replace("chunks", IDS, chunks_of(IDS))
        leftover = quick_folder / "chunks" / ".tmp-left"
        leftover.write_bytes(b"half a fi")
        assert tables.read("chunks").num_rows == 40
        tables.replace("chunks", IDS[:1], chunks_of(IDS[:1]))
        assert not leftover.exists()

    def test_a_damaged_file_is_named(self, quick_folder: Path) -> None:
        tables = Tables(str(quick_folder), 1)
        tables.replace("chunks", IDS, chunks_of(IDS))
        (quick_folder / "chunks" / "0000.parquet").write_bytes(b"PAR1 kaputt PAR1")
        with pytest.raises(StoreError, match=r"0000\.parquet is damaged"):
            tables.read("chunks")

    def test_tables_of_another_version_are_refused_with_a_sentence(self, quick_folder: Path) -> None:
        (quick_folder / "tables.json").write_text('{"version": 99, "buckets": 4}')
        with pytest.raises(StoreError, match="version 99"):
            Tables(str(quick_folder)).read("chunks")


def test_a_bucket_holds_the_rows_of_its_notes(tables: Tables) -> None:
    tables.replace("chunks", IDS, chunks_of(IDS))
    found = [tables.read_bucket("chunks", bucket, ("note_id",))["note_id"].to_pylist() for bucket in range(4)]
    assert sorted(each for ids in found for each in ids) == sorted(IDS * 2)
    assert not any(set(one) & set(other) for number, one in enumerate(found) for other in found[number + 1 :])


def test_the_digest_of_a_bucket_changes_with_its_rows_only(tables: Tables) -> None:
    assert tables.bucket_digest("chunks", 0) == ""
    tables.replace("chunks", IDS, chunks_of(IDS))
    before = [tables.bucket_digest("chunks", bucket) for bucket in range(4)]
    tables.replace("chunks", IDS[:1], chunks_of(IDS[:1], text="Anders."))
    after = [tables.bucket_digest("chunks", bucket) for bucket in range(4)]
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


def test_a_bucket_without_a_file_is_empty(tables: Tables) -> None:
    assert tables.read_bucket("edges", 3).num_rows == 0
