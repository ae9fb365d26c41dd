"""What a sync costs on a vault of any size: first, without change, after edits, beneath Dagster and through it.

    python benchmarks/sync_scale.py [--notes 10000] [--embedder none] [--folder DIR]

A vault is made in DIR (a temporary folder by default, removed at the end). Each measurement is a process of its own,
so that its peak memory is its own and nothing is warm but the files. Printed: seconds by the clock and of the processor
(the machine may have other work), peak memory, and what a first sync spends on its steps, on checks and on Dagster.
With the embedder `none`, the embedding is measured by itself on a smaller vault.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Figures = dict[str, Any]

_ASSET_PAGE = """query { assetNodeOrError(assetKey: {path: ["parsed_notes"]}) { ... on AssetNode {
  description opNames partitionStats { numMaterialized numFailed numPartitions numMaterializing }
  assetMaterializations(limit: 50) { timestamp partition runId metadataEntries { label } }
  assetChecksOrError { ... on AssetChecks { checks { name executionForLatestMaterialization { status } } } }
  dependencyKeys { path } } } }"""
_PARTITION_PAGE = """query { assetNodeOrError(assetKey: {path: ["chunks"]}) { ... on AssetNode {
  latestMaterializationByPartition(partitions: ["%s"]) { timestamp runId metadataEntries { label } }
  assetMaterializations(partitions: ["%s"], limit: 10) { timestamp runId } } } }"""


EMBEDDED_NOTES = 200
"""Embedding takes its time per window, whatever the vault's size: a small vault tells it."""


def sync() -> Figures:
    """The command line, through Dagster, and what its latest run spent on what."""
    from mindnet_pipeline.sync import main  # noqa: PLC0415 - each process measures its own imports

    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        code = main(["--json"])
    if code:
        sys.exit(code)
    return json.loads(shown.getvalue())


def first_sync() -> Figures:
    """A first sync, with the seconds of its steps and checks; the rest of its runs is Dagster's."""
    import dagster as dg  # noqa: PLC0415

    from mindnet_pipeline.engine import journal  # noqa: PLC0415

    figures = sync()
    with dg.DagsterInstance.get() as instance:
        (record,) = instance.get_run_records(limit=1)
        stats = instance.get_run_step_stats(record.dagster_run.run_id)
    steps = journal.read(_pipeline())["seconds"]
    checks = {
        each.step_key: each.end_time - each.start_time for each in stats if each.step_key.partition(".")[0] not in steps
    }
    rest = record.end_time - record.start_time - sum(steps.values()) - sum(checks.values())
    return {"by_step": {**steps, **checks, "Dagster": rest}, **figures}


def sync_beneath() -> Figures:
    """The same without Dagster."""
    from mindnet_pipeline.engine.sync import sync_once  # noqa: PLC0415

    pipeline = _pipeline()
    started = time.perf_counter()
    steps = dict(sync_once(pipeline).seconds)
    return {"by_step": steps, "the call": time.perf_counter() - started}


def tick() -> Figures:
    """One look of the vault sensor."""
    import dagster as dg  # noqa: PLC0415

    from mindnet_pipeline.dagster_home import use_dagster_home  # noqa: PLC0415
    from mindnet_pipeline.definitions import defs  # noqa: PLC0415
    from mindnet_pipeline.defs.sensors import vault_sensor  # noqa: PLC0415

    use_dagster_home(_pipeline().settings)
    with (
        dg.DagsterInstance.get() as instance,
        dg.build_sensor_context(
            instance=instance, definitions=defs, resources={"mindnet": defs.resources["mindnet"]}
        ) as context,
    ):
        started = time.perf_counter()
        outcome = vault_sensor(context)
    return {"seconds": time.perf_counter() - started, "says": outcome.skip_message}


def pages() -> Figures:
    """The asset's page and a partition's page, asked of a web server over GraphQL; the second answer counts."""
    from mindnet_pipeline.dagster_home import use_dagster_home  # noqa: PLC0415

    use_dagster_home(_pipeline().settings)
    key = _pipeline().tables.read_manifest(["note_id"])["note_id"][0].as_py()
    with _web_server() as address:
        return {
            "asset page": _second_answer(address, _ASSET_PAGE),
            "partition page": _second_answer(address, _PARTITION_PAGE % (key, key)),
        }


MEASURES: dict[str, Callable[[], Figures]] = {
    "first_sync": first_sync,
    "sync": sync,
    "sync_beneath": sync_beneath,
    "tick": tick,
    "pages": pages,
}


def measure(name: str) -> None:
    """Run one measurement in this process and print its figures as JSON."""
    started = time.perf_counter()
    figures = MEASURES[name]()
    wall = time.perf_counter() - started
    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    print(json.dumps({"wall": wall, "cpu": cpu, "peak_mb": usage.ru_maxrss / 1024, "figures": figures}))


def in_child(name: str, environment: dict[str, str]) -> Figures:
    """The figures of a measurement made by a process of its own."""
    command = [sys.executable, __file__, "--measure", name]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{name} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def edit(vault: Path, count: int, word: str) -> None:
    """Add a sentence to some notes, spread over the vault."""
    notes = sorted(vault.rglob("*.md"))
    for note in notes[:: max(1, len(notes) // count)][:count]:
        note.write_text(note.read_text(encoding="utf-8") + f"\nEin Satz mehr: {word}.\n", encoding="utf-8")


def rename(vault: Path) -> None:
    """Give one note another name."""
    note = sorted(vault.rglob("*.md"))[7]
    note.rename(note.with_name("Ganz anders benannt.md"))


def run(notes: int, embedder: str, folder: Path) -> None:
    """All measurements over one vault, printed as they come."""
    vault, data = folder / "vault", folder / "data"
    shutil.rmtree(data, ignore_errors=True)
    make = [sys.executable, "-m", "mindnet_pipeline.make_vault", "--notes", str(notes), "--force", str(vault)]
    subprocess.run(make, check=True)
    environment = {"MINDNET_VAULT": str(vault), "MINDNET_DATA": str(data), "MINDNET_EMBEDDER": embedder}
    environment["PYTHONDONTWRITEBYTECODE"] = ""  # Dagster without compiled files takes twenty seconds to import
    show("", "seconds", "CPU s", "peak MB", "")
    first = in_child("first_sync", environment)
    report("first sync", first)
    for step, seconds in first["figures"]["by_step"].items():
        show(f"  {step}", f"{seconds:.1f}", "", "", "")
    report("no change", in_child("sync", environment))
    for title, changed, name in (
        ("5 edits", lambda: edit(vault, 5, "Apfel"), "sync"),
        ("5 edits beneath Dagster", lambda: edit(vault, 5, "Birne"), "sync_beneath"),
        ("1 rename", lambda: rename(vault), "sync"),
        ("1,000 edits", lambda: edit(vault, 1000, "Quitte"), "sync"),
        ("sensor tick, no change", lambda: None, "tick"),
        ("web pages (server apart)", lambda: None, "pages"),
    ):
        changed()
        report(title, in_child(name, environment))
    if embedder == "none":
        embed(folder / "embedded", min(notes, EMBEDDED_NOTES))
    show("event database", "", "", f"{_size_of(data / 'dagster') / 2**20:.0f}", f"{events(data):,} events")
    show("tables and store", "", "", f"{(_size_of(data) - _size_of(data / 'dagster')) / 2**20:.0f}", "")


def embed(folder: Path, notes: int) -> None:
    """What the embedding adds, measured by itself: a first sync of a smaller vault with the default model."""
    vault, data = folder / "vault", folder / "data"
    make = [sys.executable, "-m", "mindnet_pipeline.make_vault", "--notes", str(notes), "--force", str(vault)]
    subprocess.run(make, check=True)
    environment = {"MINDNET_VAULT": str(vault), "MINDNET_DATA": str(data), "MINDNET_EMBEDDER": "auto"}
    shutil.rmtree(data, ignore_errors=True)
    measured = in_child("first_sync", environment | {"PYTHONDONTWRITEBYTECODE": ""})
    report(f"first sync of {notes:,} notes, embedded", measured)
    seconds, windows = measured["figures"]["by_step"]["embeddings"], measured["figures"]["embedded"]
    show("  embeddings", f"{seconds:.1f}", "", "", f"{windows / seconds:.1f} windows a second")


def report(title: str, measured: Figures) -> None:
    """One line of the table."""
    figures = measured["figures"]
    wanted = (
        "notes", "chunks", "edges", "relinked", "embedded", "the call", "says", "asset page", "partition page",
    )  # fmt: skip
    facts = [f"{name} {_short(figures[name])}" for name in wanted if figures.get(name)]
    seconds = figures["seconds"] if "says" in figures else measured["wall"]
    show(title, f"{seconds:.2f}", f"{measured['cpu']:.1f}", f"{measured['peak_mb']:.0f}", ", ".join(facts))


def show(*cells: str) -> None:
    """Print a row."""
    print(f"{cells[0]:<42}{cells[1]:>9}{cells[2]:>9}{cells[3]:>9}  {cells[4]}", flush=True)


def events(data: Path) -> int:
    """How many events the instance keeps."""
    import sqlite3  # noqa: PLC0415

    with contextlib.closing(sqlite3.connect(data / "dagster" / "history" / "runs" / "index.db")) as database:
        return int(database.execute("select count(*) from event_logs").fetchone()[0])


def _pipeline() -> Any:
    from mindnet_pipeline.engine.pipeline import Pipeline  # noqa: PLC0415
    from mindnet_pipeline.settings import load_settings  # noqa: PLC0415

    return Pipeline(load_settings())


@contextlib.contextmanager
def _web_server() -> Iterator[str]:
    """A Dagster web server on a free port of this machine, while the block runs."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    command = [sys.executable, "-m", "dagster_webserver", "-m", "mindnet_pipeline.definitions"]
    command += ["-h", "127.0.0.1", "-p", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(240):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{address}/server_info", timeout=5).close()  # noqa: S310 - our own server
                break
            time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait()


def _second_answer(address: str, query: str) -> float:
    """Seconds of an answer when the server has loaded what it needs."""
    request = urllib.request.Request(  # noqa: S310 - our own server
        f"{address}/graphql", json.dumps({"query": query}).encode(), {"Content-Type": "application/json"}
    )
    seconds = 0.0
    for _ in range(2):
        started = time.perf_counter()
        with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310
            content = json.load(answer)
        seconds = time.perf_counter() - started
        if "errors" in content:
            sys.exit(f"GraphQL: {content['errors'][0]['message']}")
    return seconds


def _size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.2f} s"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--embedder", default="none")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--measure", choices=MEASURES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure)
    elif arguments.folder:
        run(arguments.notes, arguments.embedder, arguments.folder)
    else:
        with tempfile.TemporaryDirectory(prefix="sync-scale-") as folder:
            run(arguments.notes, arguments.embedder, Path(folder))


if __name__ == "__main__":
    main()
