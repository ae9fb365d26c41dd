"""`python -m mindnet_pipeline.export`: write the vault back from the collections alone, byte for byte."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mindnet_pipeline import cli
from mindnet_pipeline.core.counting import counted

if TYPE_CHECKING:
    from mindnet_pipeline.exporting import Outcome

app = typer.Typer(add_completion=False)

INCOMPLETE = 1
_SHOWN = 20
_FIGURES = ("written", "same", "kept", "refused")


@app.command(epilog="Example: python -m mindnet_pipeline.export --out ~/Restored")
def export(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where to: a new folder, or one to complete.")],
    from_chunks: Annotated[
        bool, typer.Option("--from-chunks", help="Take the texts from the chunks, joined, not from the notes.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that have other content.")] = False,
    vault: Annotated[str | None, typer.Option(help="Folder of the vault; else MINDNET_VAULT or pipeline.yaml.")] = None,
    data: Annotated[str | None, typer.Option(help="Data folder; else MINDNET_DATA or pipeline.yaml.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object.")] = False,
) -> int:
    """Write every indexed note as a file. Exit code 1 if a note was not written because of what is in the way."""
    from mindnet_pipeline.exporting import check_folder, export_notes
    from mindnet_pipeline.storage.vectors import open_store

    settings = cli.load_settings(vault=vault, data=data)
    check_folder(out, Path(settings.vault))
    with open_store(settings).reader(settings.store.wait_seconds) as reader:
        outcomes = export_notes(reader, out, from_chunks=from_chunks, overwrite=force)
        counts, problems = _taken(outcomes, reader.count("notes"), hidden=as_json or not sys.stderr.isatty())
    figures = {name: counts[name] for name in _FIGURES}
    if as_json:
        shown = [{"path": each.path, "reason": each.reason} for each in problems]
        cli.print_json({"out": str(out), **figures, "problems": shown})
    else:
        _print(out, figures, problems)
    return INCOMPLETE if problems else 0


def _taken(outcomes: Iterable[Outcome], total: int, *, hidden: bool) -> tuple[Counter[str], list[Outcome]]:
    """Let the export run, with a bar; how often each verdict came, and the notes that were not written."""
    counts: Counter[str] = Counter()
    problems = []
    with typer.progressbar(outcomes, length=total, label="Writing notes", file=sys.stderr, hidden=hidden) as shown:
        for outcome in shown:
            counts[outcome.verdict] += 1
            if outcome.reason:
                problems.append(outcome)
    return counts, sorted(problems, key=lambda outcome: outcome.path)


def _print(out: Path, figures: dict[str, int], problems: list[Outcome]) -> None:
    there = f", {figures['same']:,} were there already" if figures["same"] else ""
    typer.echo(f"{out}: {counted(figures['written'], 'note')} written{there}")
    for outcome in problems[:_SHOWN]:
        typer.echo(f"not written: {outcome.path}: {outcome.reason}", err=True)
    if len(problems) > _SHOWN:
        typer.echo(f"… and {len(problems) - _SHOWN:,} more (--json names all)", err=True)


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet export")


if __name__ == "__main__":
    sys.exit(main())
