"""Append-only files of JSON lines: many writers, killed writers, rotation."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import StoreError, StoreLockedError
from mindnet_pipeline.storage import json_lines
from mindnet_pipeline.storage.json_lines import JsonLines, brief_lock

BIG = 1 << 30


def lines(folder: Path, rotate_bytes: int = BIG) -> JsonLines:
    return JsonLines(folder, "log", rotate_bytes)


def test_records_come_back_in_the_order_they_were_written(tmp_path: Path) -> None:
    log = lines(tmp_path / "new" / "folder")
    for number in range(3):
        log.append(json.dumps({"n": number, "text": "Grüße\u2028\n"}, ensure_ascii=False))
    assert [record["n"] for record in log.read(json.loads).values] == [0, 1, 2]


def test_nothing_written_is_nothing_read(tmp_path: Path) -> None:
    assert lines(tmp_path / "missing").read(json.loads).values == ()
    assert not (tmp_path / "missing").exists()


def test_only_the_owner_may_read_the_log(tmp_path: Path) -> None:
    lines(tmp_path).append("{}")
    assert stat.S_IMODE((tmp_path / "log.jsonl").stat().st_mode) == 0o600


def test_writers_in_many_processes_tear_no_line(tmp_path: Path) -> None:
    code = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "from mindnet_pipeline.storage.json_lines import JsonLines\n"
        "log = JsonLines(Path(sys.argv[1]), 'log', 200_000)\n"
        "for n in range(40):\n"
        "    log.append(json.dumps({'who': sys.argv[2], 'n': n, 'filler': sys.argv[2] * 9_000}))\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), who]) for who in "abcd"]
    assert [writer.wait() for writer in writers] == [0, 0, 0, 0]
    read = lines(tmp_path).read(json.loads)
    assert read.unreadable == ()
    assert len(read.values) == 160
    for who in "abcd":
        assert [r["n"] for r in read.values if r["who"] == who] == list(range(40))
    assert len(list(tmp_path.glob("log-*.jsonl"))) >= 4


@pytest.mark.parametrize("torn", [b'{"n": 1, "te', b'{"n": 1, "text": "\xc3', b"\x00\x00\x00", b"{"])
def test_a_line_that_a_killed_writer_left_costs_itself_only(tmp_path: Path, torn: bytes) -> None:
    log = lines(tmp_path)
    log.append('{"n": 0}')
    with log.path.open("ab") as file:
        file.write(torn)
    log.append('{"n": 2}')
    read = log.read(json.loads)
    assert [record["n"] for record in read.values] == [0, 2]
    assert read.unreadable == ("log.jsonl:2",)


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    log = lines(tmp_path)
    log.append('{"n": 0}')
    with log.path.open("ab") as file:
        file.write(b'{"n": 1')
    assert log.read(json.loads).unreadable == ("log.jsonl:2",)


def test_a_full_file_is_kept_and_still_read(tmp_path: Path) -> None:
    log = lines(tmp_path, rotate_bytes=60)
    for number in range(12):
        log.append(json.dumps({"n": number, "filler": "x" * 20}))
    kept = list(tmp_path.glob("log-*.jsonl"))
    assert len(kept) >= 5
    assert all(file.stat().st_size <= 60 for file in (*kept, log.path))
    assert [record["n"] for record in log.read(json.loads).values] == list(range(12))


def test_a_record_larger_than_a_file_should_be_is_written_all_the_same(tmp_path: Path) -> None:
    log = lines(tmp_path, rotate_bytes=10)
    log.append(json.dumps({"n": 0, "filler": "x" * 1_000_000}))
    log.append('{"n": 1}')
    assert [record["n"] for record in log.read(json.loads).values] == [0, 1]


def test_text_that_is_no_unicode_is_written_with_a_sign_in_its_place(tmp_path: Path) -> None:
    log = lines(tmp_path)
    log.append(json.dumps({"text": "a\udc80b"}, ensure_ascii=False))
    assert log.read(json.loads).values == ({"text": "a?b"},)


def test_a_file_in_the_folders_place_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(StoreError, match="cannot be written"):
        lines(tmp_path / "taken").append("{}")


def test_a_held_lock_is_waited_for_and_then_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lines, "_WAIT_S", 0.05)
    with brief_lock(tmp_path / "log.lock"), pytest.raises(StoreLockedError, match=r"log\.lock"):
        lines(tmp_path).append("{}")
