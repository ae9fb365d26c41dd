"""How long after a note is saved its new text is found, with the process of `make ui` running as users run it.

    python benchmarks/edit_to_searchable.py [--notes 0] [--times 10] [--embedder auto] [--folder DIR]

A vault (a copy of vault_sample, or a made one of that many notes) lives in DIR, a temporary folder by default. Ten
times a note gets a sentence with a word of its own, anywhere between two looks of the sensor, and the word is asked for
until it is found. Printed: seconds until then, and where they went: until the run was asked for, until its process
began to work, and the work.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
GIVE_UP_S = 900.0


@contextlib.contextmanager
def user_interface(environment: dict[str, str]) -> Iterator[None]:
    """What `make ui` starts, on a free port, while the block runs."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "mindnet_pipeline.ui", "--port", str(port)]
    log = Path(environment["MINDNET_DATA"]).with_name("ui.log").open("w")
    process = subprocess.Popen(
        command, env=os.environ | environment, cwd=ROOT, stdout=log, stderr=log, start_new_session=True
    )
    try:
        yield
    finally:
        # Started in the background of a shell, a process ignores the first of them, and its children with it.
        for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, ending)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(30)
        log.close()


def seconds_until_found(settings: Any, word: str) -> float:
    """Ask for a word until a hit has it; the moment when it did."""
    from mindnet_pipeline.core.errors import MindnetError  # noqa: PLC0415
    from mindnet_pipeline.retrieval.retriever import open_retriever  # noqa: PLC0415

    deadline = time.time() + GIVE_UP_S
    while time.time() < deadline:
        with contextlib.suppress(MindnetError), open_retriever(settings) as retriever:
            if any(word in hit.text for hit in retriever.search(f"Was ist {word}?", limit=20).hits):
                return time.time()
        time.sleep(0.5)
    sys.exit(f"{word} was not found within {GIVE_UP_S:.0f} s")


def latest_run() -> Any:
    """The record of the run that came last."""
    import dagster as dg  # noqa: PLC0415

    with dg.DagsterInstance.get() as instance:
        return instance.get_run_records(limit=1)[0]


def measure(vault: Path, settings: Any, times: int) -> list[tuple[float, ...]]:
    """Rows of (until found, until asked for, until begun, the work so far) in seconds."""
    chance = random.Random(1)
    notes = sorted(vault.rglob("*.md"))
    rows = []
    for number in range(times):
        time.sleep(chance.uniform(6.0, 11.0))
        word = f"suchwort{chance.randrange(10**9):09d}"
        note = notes[number * len(notes) // times]
        saved = time.time()
        note.write_text(note.read_text(encoding="utf-8") + f"\nNeu ist das {word}.\n", encoding="utf-8")
        found = seconds_until_found(settings, word)
        run = latest_run()
        rows.append(
            (found - saved, run.create_timestamp.timestamp() - saved, run.start_time - saved, found - run.start_time)
        )
        print("".join(f"{value:>12.1f}" for value in rows[-1]), flush=True)
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=0, help="size of the made vault; 0: a copy of vault_sample")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="edit-to-searchable-") as temporary:
        folder = arguments.folder or Path(temporary)
        vault, data = folder / "vault", folder / "data"
        shutil.rmtree(vault, ignore_errors=True)
        if arguments.notes:
            make = [sys.executable, "-m", "mindnet_pipeline.make_vault", "--notes", str(arguments.notes), str(vault)]
            subprocess.run(make, check=True, cwd=ROOT)
        else:
            shutil.copytree(ROOT / "vault_sample", vault)
        environment = {
            "MINDNET_VAULT": str(vault),
            "MINDNET_DATA": str(data),
            "MINDNET_EMBEDDER": arguments.embedder,
            "PYTHONDONTWRITEBYTECODE": "",  # as users have it: compiled files are kept
        }
        os.environ.update(environment)
        from mindnet_pipeline.dagster_home import use_dagster_home  # noqa: PLC0415
        from mindnet_pipeline.settings import load_settings  # noqa: PLC0415

        settings = load_settings()
        first = "anfangswort"
        (vault / "Anfang.md").write_text(f"Hier steht das {first}.\n", encoding="utf-8")
        with user_interface(environment):
            started = time.time()
            print(f"from starting the UI to a searchable vault: {seconds_until_found(settings, first) - started:.1f} s")
            use_dagster_home(settings)
            print(f"{'until found':>12}{'asked for':>12}{'begun':>12}{'the work':>12}")
            rows = measure(vault, settings, arguments.times)
        medians = [statistics.median(column) for column in zip(*rows, strict=True)]
        print("".join(f"{value:>12.1f}" for value in medians), " median")


if __name__ == "__main__":
    main()
