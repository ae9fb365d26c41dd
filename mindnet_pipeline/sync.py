"""`python -m mindnet_pipeline.sync`: bring the index up to the vault, once, in this process.

The runs are recorded in the persistent Dagster instance, so that the UI and the command line show one history.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from mindnet_pipeline import cli
from mindnet_pipeline.core.counting import counted

app = typer.Typer(add_completion=False)

FIGURES = (
    "notes", "added", "changed", "moved", "removed", "relinked", "unchanged", "chunks", "edges", "unresolved",
    "embedded", "reused", "points", "warnings", "seconds",
)  # fmt: skip
_RATE_OVER_S = 120
"""Long texts are embedded before short ones, so a rate over less would swing, and the time left with it."""
_OUTPUT_STAYS_HERE = {
    "compute_logs": {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
}
"""Dagster would copy what this process prints into files and back, by processes that Ctrl-C ends with a traceback."""
_SUMMED = ("added", "changed", "moved", "removed", "relinked", "embedded", "reused", "points")


@app.command(epilog="Example: python -m mindnet_pipeline.sync --vault ~/Notes --json")
def sync(
    vault: Annotated[str | None, typer.Option(help="Folder of the vault; else MINDNET_VAULT or pipeline.yaml.")] = None,
    data: Annotated[str | None, typer.Option(help="Data folder; else MINDNET_DATA or pipeline.yaml.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object.")] = False,
    verify: Annotated[bool, typer.Option(help="Hash every file, whatever its size and time say.")] = False,
    rebuild: Annotated[bool, typer.Option(help="Make all rows and points anew (embeddings are reused).")] = False,
    allow_mass_delete: Annotated[
        bool, typer.Option(help="Delete notes from the index even if most of the vault is gone.")
    ] = False,
) -> None:
    """Read what changed, chunk, link, embed and store it. A second call with nothing changed does nothing."""
    started = time.perf_counter()
    settings = cli.load_settings(vault=vault, data=data)
    os.environ["MINDNET_VAULT"], os.environ["MINDNET_DATA"] = str(settings.vault), settings.data
    options = {"verify": verify, "rebuild": rebuild, "allow_mass_delete": allow_mass_delete}
    try:
        with _progress(shown=not as_json and sys.stderr.isatty()):
            figures = _run(settings, options, (lambda _line: None) if as_json else typer.echo)
    except KeyboardInterrupt:
        typer.echo("Stopped. What was made so far is kept; sync again to go on.", err=True)
        raise
    figures["seconds"] = round(time.perf_counter() - started, 2)
    if as_json:
        cli.print_json(figures)
    else:
        _print(figures, str(settings.vault))


def _run(settings: Any, options: Mapping[str, bool], say: Callable[[str], None]) -> dict[str, Any]:
    """All runs that are needed; the figures of the index and the sums over the runs."""
    from mindnet_pipeline.core.errors import VaultError
    from mindnet_pipeline.dagster_home import use_dagster_home
    from mindnet_pipeline.engine.account import index_figures
    from mindnet_pipeline.engine.first_model import prepare_before_first_sync
    from mindnet_pipeline.engine.pipeline import Pipeline
    from mindnet_pipeline.engine.planning import look_at_vault
    from mindnet_pipeline.engine.progress import listening
    from mindnet_pipeline.storage.embedders import describe_choice

    prepare_before_first_sync(settings, say)
    pipeline = Pipeline(settings)
    allow_mass_delete = options["allow_mass_delete"]
    look = look_at_vault(
        pipeline,
        allow_mass_delete=allow_mass_delete,
        verify=options["verify"],
        remake=(lambda _note_id: True) if options["rebuild"] else None,
    )
    if not look.notes and look.plan.is_empty:
        raise VaultError(f"{settings.vault}: no notes (*.md) here. Point MINDNET_VAULT at the folder of your vault.")
    home = None if os.environ.get("DAGSTER_HOME") else use_dagster_home(settings)
    rows: list[Mapping[str, Any]] = []
    if not look.plan.is_empty or look.plan.touched:
        device = pipeline.embedder.device
        engine = describe_choice(settings.embedding, settings.data) + (f", on {device}" if device else "")
        with listening(_once(lambda: say(f"embedding: {engine}"))):
            rows = list(_dagster_runs(pipeline, look, home, allow_mass_delete=allow_mass_delete))
    now = rows[-1] if rows else index_figures(pipeline.tables)
    figures = {**now, **{name: sum(row[name] for row in rows) for name in _SUMMED}}
    figures["unchanged"] = look.plan.unchanged
    return {name: figures.get(name, 0) for name in FIGURES}


def _once(act: Callable[[], None]) -> Callable[[str, int, int], None]:
    """A listener that acts at the first report: a run that is refused reports nothing."""
    waiting = [act]

    def listener(_step: str, _done: int, _total: int) -> None:
        while waiting:
            waiting.pop()()

    return listener


def _dagster_runs(
    pipeline: Any, look: Any, home: Path | None, *, allow_mass_delete: bool
) -> Iterator[Mapping[str, Any]]:
    """The runs in our own Dagster home, or in the user's, whose settings all hold."""
    from mindnet_pipeline.defs.events import use_bulk_events

    use_bulk_events()
    import dagster as dg

    from mindnet_pipeline.definitions import defs
    from mindnet_pipeline.defs.launching import sync_runs

    with dg.DagsterInstance.local_temp(str(home), _OUTPUT_STAYS_HERE) if home else dg.DagsterInstance.get() as instance:
        yield from sync_runs(defs, instance, pipeline, look, allow_mass_delete=allow_mass_delete)


@contextmanager
def _progress(*, shown: bool) -> Iterator[None]:
    """A bar per step on a terminal, with rate and time left."""
    if not shown:
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    from mindnet_pipeline.engine.progress import listening

    class Rate(ProgressColumn):
        """Notes or texts a second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.1f}/s" if speed else "", style="progress.data.speed")

    columns = (
        TextColumn("{task.description:<20}"), BarColumn(), MofNCompleteColumn(), Rate(), TimeElapsedColumn(),
        TimeRemainingColumn(),
    )  # fmt: skip
    console = Console(stderr=True)
    with Progress(*columns, console=console, speed_estimate_period=_RATE_OVER_S) as progress:
        tasks: dict[str, Any] = {}

        def listener(step: str, done: int, total: int) -> None:
            if step not in tasks:
                tasks[step] = progress.add_task(step, total=total)
            progress.update(tasks[step], completed=done, total=total)

        with listening(listener):
            yield


def _print(figures: Mapping[str, Any], vault: str) -> None:
    changes = ", ".join(f"{figures[name]:,} {name}" for name in _SUMMED[:5] if figures[name])
    typer.echo(f"{vault}: {changes or 'nothing changed'} ({figures['seconds']} s)")
    index = ", ".join(counted(figures[f"{thing}s"], thing) for thing in ("note", "chunk", "edge"))
    points = counted(figures["points"], "point")
    typer.echo(f"{index} · {figures['embedded']:,} embedded, {figures['reused']:,} reused, {points} written")
    if figures["warnings"] or figures["unresolved"]:
        typer.echo(
            f"{counted(figures['warnings'], 'warning')}, {counted(figures['unresolved'], 'unresolved link')}: "
            "see `python -m mindnet_pipeline.status`."
        )


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet sync")


if __name__ == "__main__":
    sys.exit(main())
