"""The console scripts of an installed package, run from a folder that knows nothing of the project."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("setuptools")
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE", "setup.py"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(
        ROOT / "mindnet_pipeline", source / "mindnet_pipeline", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "config", source / "config")
    target = tmp_path_factory.mktemp("installed")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target", str(target)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True)
    return target


@pytest.mark.slow
def test_mindnet_chunk_reads_a_pipe(installed: Path, tmp_path: Path) -> None:
    script = next((installed / "bin").glob("mindnet-chunk*"))
    done = subprocess.run(
        [str(script), "--tokens", "words"],
        input="## Größe\n\nEin Satz.\n".encode(),
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
    )
    (row,) = map(json.loads, done.stdout.decode("utf-8").splitlines())
    assert (row["section_title"], row["text"]) == ("Größe", "## Größe\n\nEin Satz.\n")


@pytest.mark.slow
def test_a_configuration_without_kinds_of_question_has_the_installed_ones(installed: Path, tmp_path: Path) -> None:
    shutil.copy(ROOT / "config" / "types.yaml", tmp_path)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from mindnet_pipeline import settings; print(*settings.load_settings().decisions.intents)",
        ],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed), "MINDNET_CONFIG": str(tmp_path)},
    )
    assert "why" in done.stdout.split()
