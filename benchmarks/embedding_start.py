"""What a question waits for in a cold process: each stage of the embedding engine's start, and what it imports.

    python benchmarks/embedding_start.py [--engine onnx] [--runs 5]

Each run is a process of its own; the middle of the runs is shown, wall clock and processor time. The imports are those
that take longest in one more run under `python -X importtime`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise

_IMPORTS_SHOWN = 12


def main() -> None:
    """Print the stages and the imports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("bundled", "onnx"), default="onnx")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--stages", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stages:
        print(json.dumps(stages(options.engine, options.stages)))
        return
    from mindnet_pipeline.storage.embedders.preparing import prepare  # noqa: PLC0415 - not in the measured processes

    with tempfile.TemporaryDirectory(prefix="start-") as data:
        prepare("", data)
        command = [__file__, "--engine", options.engine, "--stages", data]
        runs = [json.loads(run([*command]).stdout) for _ in range(options.runs)]
        for stage in runs[0]:
            wall, cpu = (statistics.median(made[stage][kind] for made in runs) for kind in (0, 1))
            print(f"{stage:<28}{wall * 1e3:>8.0f} ms{cpu * 1e3:>8.0f} ms of processor time")
        print("\nimports, each with what it brings:")
        for line in slowest(run(["-X", "importtime", *command]).stderr):
            print(line)


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter."""
    return subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True)


def stages(engine: str, data: str) -> dict[str, tuple[float, float]]:
    """Wall clock and processor time of each stage, in seconds."""
    laps = [("", time.perf_counter(), time.process_time())]

    def lap(name: str) -> None:
        laps.append((name, time.perf_counter(), time.process_time()))

    from mindnet_pipeline.settings import EmbeddingOptions  # noqa: PLC0415 - what is measured

    lap("settings and pydantic")
    from mindnet_pipeline.storage.embedders import open_embedder  # noqa: PLC0415 - what is measured

    lap("numpy and the protocol")
    embedder = open_embedder(EmbeddingOptions.model_validate({"engine": engine}), data)
    lap("the engine's imports")
    embedder.count_tokens(["Warum nutzen wir Qdrant?"])
    lap("vocabulary")
    embedder.embed_query("Warum nutzen wir Qdrant?")
    lap("model and first question")
    embedder.embed_query("Warum nutzen wir Qdrant?")
    lap("second question")
    return {name: (wall - before[1], cpu - before[2]) for before, (name, wall, cpu) in pairwise(laps)}


def slowest(trace: str) -> list[str]:
    """The imports that take longest, with all that they import."""
    rows = [
        line.split("|") for line in trace.splitlines() if line.startswith("import time:") and "cumulative" not in line
    ]
    rows = [row for row in rows if not row[2].strip().startswith("_") and row[2].count("  ") <= 6]
    rows.sort(key=lambda row: int(row[1]), reverse=True)
    return [f"{int(row[1]) / 1e3:>8.0f} ms {row[2].strip()}" for row in rows[:_IMPORTS_SHOWN]]


if __name__ == "__main__":
    main()
