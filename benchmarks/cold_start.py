"""How long a command line takes from the shell to its answer, each time in a fresh process, and how much memory.

    MINDNET_DATA=… python benchmarks/cold_start.py [--runs 10] [QUESTION]

The data folder must hold a synced index: its engine is the one that is measured. Printed: median, least and most wall
clock of `query --explain`, the processor time, the peak memory, and beside it what the interpreter with numpy and
pydantic alone takes, which tells a slow machine from a slow program.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """What one process took: seconds of wall clock and processor, megabytes at most."""

    wall: float
    processor: float
    memory: float


def run(command: Sequence[str]) -> Run:
    """Start the interpreter with these arguments and wait for it; stop if it fails."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if status:
        sys.exit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def report(name: str, runs: Sequence[Run]) -> str:
    """One line."""
    walls = [each.wall for each in runs]
    processor = statistics.median(each.processor for each in runs)
    return (
        f"{name:<20} wall median {statistics.median(walls):.2f} s ({min(walls):.2f} to {max(walls):.2f}), "
        f"processor {processor:.2f} s, memory {max(each.memory for each in runs):.0f} MB"
    )


def main() -> None:
    """Parse and run, by turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("question", nargs="?", default="Warum nutzen wir Qdrant?")
    parser.add_argument("--runs", type=int, default=10)
    given = parser.parse_args()
    commands = {
        "query --explain": ["-m", "mindnet_pipeline.query", given.question, "--explain"],
        "query --json": ["-m", "mindnet_pipeline.query", given.question, "--json"],
        "numpy and pydantic": ["-c", "import numpy; from pydantic import BaseModel"],
    }
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(given.runs + 1):
        for name, command in commands.items():
            found[name].append(run(command))
    for name, runs in found.items():
        print(report(name, runs[1:]))


if __name__ == "__main__":
    main()
