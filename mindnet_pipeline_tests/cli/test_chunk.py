from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mindnet_pipeline.chunk import main


def rows(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_file_becomes_one_line_a_chunk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text("---\nid: x\n---\n## A\n\nEins.\n\n## B\n\nZwei.\n", "utf-8")
    assert main([str(tmp_path / "a.md"), "--tokens", "words"]) == 0
    assert [row["chunk_id"] for row in rows(capsys)] == ["x#c01", "x#c02"]


def test_standard_input_is_read_without_files(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("Größe.\n".encode()), "utf-8"))
    assert main(["--tokens", "words", "--type", "journal", "--lang", "de"]) == 0
    (row,) = rows(capsys)
    assert (row["text"], row["type"], row["lang"], row["chunk_profile"]) == ("Größe.\n", "journal", "de", "medium")


def test_sizes_can_be_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text("Ein Satz mit Wörtern. " * 40, "utf-8")
    assert main([str(tmp_path / "a.md"), "--tokens", "words", "--sizes", "20-30,40,5,0"]) == 0
    assert all(isinstance(row["token_count"], int) and row["token_count"] <= 40 for row in rows(capsys))


@pytest.mark.parametrize(
    "arguments",
    [
        ["missing.md"],
        ["--type", "nonsense"],
        ["--sizes", "3"],
        ["--sizes", "9-3,10"],
        ["--tokens", "bytes"],
        ["--nope"],
    ],
)
def test_mistakes_are_one_line_and_exit_code_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*arguments, *([] if "--tokens" in arguments else ["--tokens", "words"])]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "jq -r .window" in capsys.readouterr().out


def test_neither_dagster_nor_qdrant_is_loaded() -> None:
    code = (
        "import sys; from mindnet_pipeline.chunk import main; main(['--tokens', 'words']); "
        "sys.exit(any(name.split('.')[0] in {'dagster', 'qdrant_client', 'qdrant_edge'} for name in sys.modules))"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], input=b"Text.\n", check=False, capture_output=True).returncode == 0
    )
