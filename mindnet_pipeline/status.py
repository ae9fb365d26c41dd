"""`python -m mindnet_pipeline.status`: what is indexed, what to mend, store and model."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from mindnet_pipeline import cli
from mindnet_pipeline.core.counting import counted

app = typer.Typer(add_completion=False)

VAULT_PROBLEM = 1
_SHOWN = 20


@app.command(epilog="Example: python -m mindnet_pipeline.status --json")
def status(
    vault: Annotated[str | None, typer.Option(help="Folder of the vault; else MINDNET_VAULT or pipeline.yaml.")] = None,
    data: Annotated[str | None, typer.Option(help="Data folder; else MINDNET_DATA or pipeline.yaml.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
    show_all: Annotated[bool, typer.Option("--all", help="List every warning and link, not only the first.")] = False,
) -> None:
    """Show the state of the index, and what in the vault deserves a look.

    Exit code 1: the vault cannot be read or is another.
    """
    from mindnet_pipeline.engine.overview import overview
    from mindnet_pipeline.engine.pipeline import Pipeline

    facts = overview(Pipeline(cli.load_settings(vault=vault, data=data)))
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))
    else:
        _print(facts, None if show_all else _SHOWN)
    if facts["vault_problem"]:
        cli.warn(facts["vault_problem"])
        raise typer.Exit(VAULT_PROBLEM)


def _print(facts: Mapping[str, Any], limit: int | None) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    index = facts["index"]
    console.print(
        f"[bold]vault[/]  {facts['vault']}\n[bold]data[/]   {facts['data']}\n[bold]store[/]  {facts['store']}"
    )
    console.print(f"[bold]model[/]  {facts['model']}")
    if facts["last_run"]:
        console.print(f"[bold]synced[/] {facts['last_run']['finished_at']} ({facts['last_run']['seconds']} s)")
    else:
        console.print("nothing is indexed yet: `python -m mindnet_pipeline.sync`")
    console.print(
        "         " + ", ".join(counted(index[f"{thing}s"], thing) for thing in ("note", "chunk", "edge", "orphan"))
    )
    sections = (
        ("warnings", "What to mend", ("path", "line", "message")),
        ("unresolved", "Links that lead nowhere", ("path", "target", "kind")),
        ("ambiguous", "Links that could mean several notes", ("path", "target", "taken")),
        ("unfinished", "Notes of an interrupted run (the next sync repairs them)", ("note_id",)),
    )
    for name, heading, columns in sections:
        rows = facts[name]
        if not rows:
            continue
        table = Table(title=f"{heading} ({len(rows):,})", title_justify="left", title_style="bold", box=None)
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows[:limit]:
            table.add_row(*(str(row[column] if row[column] is not None else "") for column in columns))
        console.print()
        console.print(table)
        if limit and len(rows) > limit:
            console.print(f"… and {len(rows) - limit:,} more (--all)")


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet status")


if __name__ == "__main__":
    sys.exit(main())
