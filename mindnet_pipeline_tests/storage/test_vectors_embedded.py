"""What only the embedded store does: one holder at a time, crashes, folders."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import StoreError, StoreLockedError
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.generations import generation_name
from mindnet_pipeline.storage.vectors.protocol import Point, SparseVector, StoreFacts, StoreWriter, Where
from mindnet_pipeline_tests.storage.samples import search

FACTS = StoreFacts("words", 0)

WRITE_FOR_EVER = """
import sys
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import Point, StoreFacts
store = EmbeddedStore(sys.argv[1])
writer = store.writer(StoreFacts("words", 0))
store.switch(writer.facts)
for number in range(10**6):
    writer.upsert("notes", [Point(f"n{number}", {"note_id": f"n{number}"})])
    print(number, flush=True)
"""

WRITE_AND_DIE = """
import os, signal
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import Point, StoreFacts
store, facts = EmbeddedStore({folder!r}), StoreFacts("words", 0)
with store.kept_open():
    with store.writer(facts) as writer:
        writer.upsert("notes", [Point("a", {{"note_id": "a"}})])
    store.switch(facts)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def store(quick_folder: Path) -> EmbeddedStore:
    made = EmbeddedStore(str(quick_folder))
    with made.writer(FACTS) as writer:
        writer.upsert("notes", [Point("a", {"note_id": "a"})])
    made.switch(FACTS)
    return made


@contextmanager
def writing_process(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", WRITE_FOR_EVER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def read_numbers(process: subprocess.Popen[str], upto: int) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if int(line) >= upto:
            return int(line)
    raise AssertionError("the writer ended early")


def test_a_second_process_is_told_who_holds_the_store(tmp_path):
    with writing_process(tmp_path) as process:
        read_numbers(process, 0)
        with pytest.raises(StoreLockedError, match=rf"process {process.pid} "):
            EmbeddedStore(str(tmp_path)).reader(wait_s=0.1)


def test_nothing_written_is_lost_when_the_writer_is_killed(tmp_path):
    with writing_process(tmp_path) as process:
        read_numbers(process, 20)
        process.send_signal(signal.SIGKILL)
        assert process.stdout is not None
        last = max([20, *(int(line) for line in process.stdout if line.strip().isdigit())])
        process.wait()
    with EmbeddedStore(str(tmp_path)).reader(wait_s=5) as reader:
        assert {found.logical_id for found in reader.scan("notes")} >= {f"n{number}" for number in range(last + 1)}


def test_a_waiting_reader_goes_on_when_the_holder_lets_go(store):
    writer = store.writer(FACTS)
    threading.Timer(0.3, writer.close).start()
    with store.reader(wait_s=20) as reader:
        assert reader.count("notes") == 1


def test_waiting_stops_at_the_time_limit(store):
    now = [0.0]
    impatient = EmbeddedStore(
        str(store._root.parent), clock=lambda: now[0], sleep=lambda pause: now.__setitem__(0, now[0] + pause)
    )
    with store.reader(), pytest.raises(StoreLockedError, match="waited 2 s"):
        impatient.reader(wait_s=2)
    assert now[0] == pytest.approx(2, abs=0.3)


def test_the_holder_file_is_gone_after_closing(store):
    store.reader().close()
    assert not list(store._root.rglob("holder.json"))


def test_the_facts_are_read_without_a_lock(store):
    with store.writer(FACTS):
        assert (store.current(), store.generations()) == (FACTS, [FACTS])


def test_a_reader_keeps_its_generation_through_a_switch_and_it_goes_with_the_next(store):
    newer = StoreFacts("words", 0, schema_version=99)
    reader = store.reader()
    store.writer(newer).close()
    store.switch(newer)
    assert reader.count("notes") == 1
    reader.close()
    store.switch(newer)
    assert store.generations() == [newer]
    with store.reader() as fresh:
        assert (fresh.facts, fresh.count("notes")) == (newer, 0)


def test_an_unfinished_generation_of_a_dead_process_is_cleared_away(store):
    left = store._root / f"{generation_name(FACTS)}.999999999.part"
    left.mkdir()
    store.switch(FACTS)
    assert not left.exists()


def test_a_broken_pointer_means_nothing_is_indexed(store):
    (store._root / "CURRENT.json").write_text("{", encoding="utf-8")
    assert store.current() is None


def test_a_missing_generation_is_named(store):
    current = store._root / "CURRENT.json"
    current.write_text(json.dumps({"model_key": "other", "dimension": 3, "schema_version": 1}), encoding="utf-8")
    with pytest.raises(StoreError, match="missing"):
        store.reader(wait_s=0)


def test_a_data_folder_in_object_storage_is_refused():
    with pytest.raises(StoreError, match="MINDNET_QDRANT_URL"):
        EmbeddedStore("s3://bucket/data")


def test_a_closed_reader_says_so(store):
    reader = store.reader()
    reader.close()
    with pytest.raises(StoreError, match="closed"):
        reader.lookup("edges", Where())


def test_opening_the_embedded_store_imports_no_server_client():
    code = "import sys, mindnet_pipeline.storage.vectors.embedded; print('qdrant_client' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert done.stdout.strip() == "False"


def test_a_chunk_without_vectors_is_found_by_filter_alone(store):
    with store.writer(FACTS) as writer:
        writer.upsert("chunks", [Point("a#c01", {"note_id": "a"})])
    with store.reader() as reader:
        assert reader.count("chunks") == 1
        assert search(reader, SparseVector((1,), (1.0,)), 5) == []


def fill_chunks(writer: StoreWriter, count: int) -> None:
    """As many chunks as notes, all with the word 1, the first thousand with 2, the others with 3."""
    vectors = [SparseVector((1, 2 if number < 1_000 else 3), (1.0, 1.0)) for number in range(count)]
    writer.upsert("chunks", [Point(f"n{n}#c01", {"note_id": f"n{n}"}, sparse=each) for n, each in enumerate(vectors)])


def test_deleted_chunks_that_are_not_tidied_away_yet_do_not_weigh_words(quick_folder):
    scores = {}
    for name in ("new", "written again"):
        store = EmbeddedStore(str(quick_folder / name))
        with store.writer(FACTS) as writer:
            fill_chunks(writer, 2_000)
        if name == "written again":
            with store.writer(FACTS) as writer:
                writer.delete_notes([f"n{number}" for number in range(1_000)])
                fill_chunks(writer, 1_000)
        store.switch(FACTS)
        with store.reader() as reader:
            found = search(reader, SparseVector((2, 3), (1.0, 1.0)), 2_000)
        scores[name] = {hit.logical_id: round(hit.score, 4) for hit in found}
    assert scores["written again"] == scores["new"]


class TestKeptOpen:
    def test_the_next_writer_sees_what_the_last_one_wrote(self, store):
        with store.kept_open():
            with store.writer(FACTS) as writer:
                writer.upsert("notes", [Point("b", {"note_id": "b"})])
            with store.writer(FACTS) as writer:
                assert writer.logical_ids("notes") == {"a", "b"}

    def test_nobody_else_can_open_it(self, store, quick_folder):
        with store.kept_open():
            store.writer(FACTS).close()
            with pytest.raises(StoreLockedError):
                EmbeddedStore(str(quick_folder)).reader(wait_s=0.1)

    def test_at_the_end_others_read_what_was_written(self, store, quick_folder):
        with store.kept_open(), store.writer(FACTS) as writer:
            writer.upsert("notes", [Point("b", {"note_id": "b"})])
        with EmbeddedStore(str(quick_folder)).reader(wait_s=0.1) as reader:
            assert {found.logical_id for found in reader.scan("notes")} == {"a", "b"}

    def test_what_a_closed_writer_wrote_outlives_the_process(self, tmp_path):
        script = WRITE_AND_DIE.format(folder=str(tmp_path))
        subprocess.run([sys.executable, "-c", script], check=False)
        with EmbeddedStore(str(tmp_path)).reader(wait_s=5) as reader:
            assert [found.logical_id for found in reader.scan("notes")] == ["a"]

    def test_another_generation_can_be_written_and_switched_to(self, store):
        other = StoreFacts("other words", 0)
        with store.kept_open():
            store.writer(FACTS).close()
            store.writer(other).close()
            store.switch(other)
        assert store.generations() == [other]
