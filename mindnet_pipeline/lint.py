"""`python -m mindnet_pipeline.lint`: what is wrong in the notes, with file and line, before it costs an answer."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mindnet_pipeline import cli
from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.errors import VaultError

if TYPE_CHECKING:
    from mindnet_pipeline.linting import Problem

app = typer.Typer(add_completion=False)

_EXAMPLES = """Examples:

python -m mindnet_pipeline.lint                      the configured vault

python -m mindnet_pipeline.lint ~/Notes              another vault

python -m mindnet_pipeline.lint ~/Notes/Inbox        one of its folders: names of the whole vault count

python -m mindnet_pipeline.lint --json > lint.json   for programs

Exit code: 0 without errors (warnings may be there), 1 if a link is broken, an id is claimed twice or frontmatter cannot
be read, 2 if the vault or the configuration cannot be used."""


@app.command(epilog=_EXAMPLES)
def lint(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Folders and notes to look at; nothing: the whole vault.")
    ] = None,
    vault: Annotated[
        Path | None, typer.Option(help="The vault that the paths belong to; else the nearest folder with .obsidian.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print all problems as one JSON object.")] = False,
    errors_only: Annotated[bool, typer.Option("--errors-only", help="Leave the warnings out.")] = False,
) -> None:
    """Look for broken and ambiguous links, missing files, ids claimed twice, missing fields, unreadable frontmatter."""
    from mindnet_pipeline.linting import lint_vault
    from mindnet_pipeline.storage.vault import read_bytes, scan_vault

    asked = [_existing(path) for path in paths or ()]
    settings = cli.load_settings(vault=str(vault) if vault else None)
    root = settings.vault if vault or not asked else _vault_of(asked, settings.vault)
    scan = scan_vault(root, settings.sync.exclude)
    root = root.resolve()
    files = {path: read_bytes(root, path) for path in scan.files}
    only = _within(root, asked, files) if asked else None
    problems = lint_vault(files, _other_files(root), settings.registry, only)
    shown = [problem for problem in problems if not errors_only or problem.severity == "error"]
    errors = sum(problem.severity == "error" for problem in problems)
    for path, sentence in scan.problems:
        typer.echo(f"{path}: {sentence}", err=True)
    if as_json:
        _print_json(root, shown)
    else:
        _print(shown, len(files) if only is None else len(only))
    raise typer.Exit(1 if errors else 0)


def _other_files(root: Path) -> list[str]:
    """The paths of all files that are no notes, hidden ones aside. Links are followed, also out of the vault."""
    from mindnet_pipeline.storage.ignoring import is_hidden, is_note_name

    found: list[str] = []
    seen: set[str] = set()
    for folder, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)  # a link can lead to a folder above it
        folders[:] = [] if real in seen else [name for name in folders if not is_hidden(name)]
        seen.add(real)
        place = Path(folder).relative_to(root)
        shown = [name for name in map(_downloaded, names) if not is_hidden(name) and not is_note_name(name)]
        found += [(place / name).as_posix() for name in shown]
    return found


def _downloaded(name: str) -> str:
    """The file's name once it is here: what iCloud keeps elsewhere (`.name.icloud`) is in the vault all the same."""
    return name[1:-7] if name.startswith(".") and name.endswith(".icloud") else name


def _existing(path: Path) -> Path:
    path = path.expanduser()
    if not path.exists():
        raise VaultError(f"{path}: no such file or folder.")
    return path.resolve()


def _vault_of(asked: Sequence[Path], configured: Path) -> Path:
    """The configured vault if it holds all paths, else the nearest folder above with .obsidian or .git, else theirs."""
    configured = configured.resolve()
    if all(path.is_relative_to(configured) for path in asked):
        return configured
    common = Path(os.path.commonpath([path if path.is_dir() else path.parent for path in asked]))
    for folder in (common, *common.parents):
        if (folder / ".obsidian").is_dir() or (folder / ".git").exists():
            return folder
    return common


def _within(root: Path, asked: Sequence[Path], files: Iterable[str]) -> list[str]:
    """The notes of the vault that are among the paths or below them."""
    inside = [path.relative_to(root).as_posix() for path in asked if path.is_relative_to(root)]
    outside = [path for path in asked if not path.is_relative_to(root)]
    if outside:
        raise VaultError(f"{outside[0]}: not in the vault {root}. Name the vault with --vault.")
    if "." in inside:
        return list(files)
    folders = tuple(f"{path}/" for path in inside)
    return [path for path in files if path in inside or path.startswith(folders)]


def _print_json(root: Path, problems: Sequence[Problem]) -> None:
    rows = [{**asdict(problem), "severity": problem.severity} for problem in problems]
    errors = sum(row["severity"] == "error" for row in rows)
    facts = {"vault": str(root), "errors": errors, "warnings": len(rows) - errors, "problems": rows}
    typer.echo(json.dumps(facts, ensure_ascii=False, indent=1))


def _print(problems: Sequence[Problem], looked_at: int) -> None:
    """What is wrong in a note line by line; then, on one line for all notes alike, what only is not the convention."""
    from rich.console import Console
    from rich.text import Text

    from mindnet_pipeline.core.notes import LINT_ONLY

    console = Console(highlight=False, soft_wrap=True)

    def show(place: str, problem: Problem) -> None:
        weight = Text(problem.severity, style="bold red" if problem.severity == "error" else "yellow")
        console.print(Text.assemble((place, "bold"), ": ", weight, f" {problem.message} ", (problem.code, "dim")))

    alike: dict[str, list[Problem]] = {}
    for problem in problems:
        if problem.code in LINT_ONLY:
            alike.setdefault(problem.message, []).append(problem)
        else:
            show(_place(problem), problem)
    for same in sorted(alike.values(), key=len, reverse=True):
        more = f" and {counted(len(same) - 1, 'more note')}" if len(same) > 1 else ""
        show(f"{_place(same[0])}{more}", same[0])
    errors = sum(problem.severity == "error" for problem in problems)
    conventions = sum(map(len, alike.values()))
    of_them = f", {conventions:,} of them about conventions (--json names each)" if conventions else ""
    found = f"{counted(errors, 'error')}, {counted(len(problems) - errors, 'warning')}"
    console.print(f"{counted(looked_at, 'note')}: {found}{of_them}")


def _place(problem: Problem) -> str:
    return f"{problem.path}:{problem.line}" if problem.line else problem.path


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    return cli.run(app, argv, name="mindnet lint")


if __name__ == "__main__":
    sys.exit(main())
