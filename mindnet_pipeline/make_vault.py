"""`python -m mindnet_pipeline.make_vault`: write a believable linked vault of any size.

Parses, calls `making`, writes the files, prints. The notes' text comes from `mindnet_pipeline.making`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
import yaml

from mindnet_pipeline import cli
from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.making.compose import compose_note
from mindnet_pipeline.making.plan import plan_vault
from mindnet_pipeline.making.questions import questions as known_questions

_MARK = ".made-by-mindnet"
_QUESTIONS = 100
_SHOW_PROGRESS_FROM = 2_000

app = typer.Typer(add_completion=False)


@app.command(
    epilog="Example: python -m mindnet_pipeline.make_vault --notes 10000 --seed 7 --questions golden.yaml /tmp/v"
)
def make_vault(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to: a new or an empty folder.")],
    notes: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many notes.")] = 200,
    seed: Annotated[int, typer.Option(help="Another seed gives another vault.")] = 0,
    questions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write 100 questions with known answers (YAML).")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a vault that this command has made.")] = False,
) -> None:
    """Make a vault of linked notes, German and English, of all types. The same seed gives the same bytes."""
    try:
        _prepare(folder, force=force)
        write_vault(folder, notes, seed)
        if questions is not None:
            _write_questions(questions, notes, seed)
    except OSError as error:
        raise VaultError(f"{error.filename or folder}: cannot be written ({error.strerror}).") from error
    typer.echo(f"{folder}: {counted(notes, 'note')} (seed {seed})")


def write_vault(folder: Path, notes: int, seed: int) -> None:
    """Write the notes into the folder, which must exist; on a terminal, show progress for big vaults."""
    plan = plan_vault(seed, notes)
    (folder / _MARK).touch()
    for parent in sorted({(folder / note.path).parent for note in plan}):
        parent.mkdir(parents=True, exist_ok=True)
    hidden = notes < _SHOW_PROGRESS_FROM or not sys.stderr.isatty()
    with typer.progressbar(plan, label="Writing notes", file=sys.stderr, hidden=hidden, update_min_steps=500) as shown:
        for note in shown:
            (folder / note.path).write_bytes(compose_note(note, plan, seed).encode())


def _write_questions(file: Path, notes: int, seed: int) -> None:
    golden = [question.as_golden() for question in known_questions(seed, notes, _QUESTIONS)]
    file.write_text(yaml.safe_dump(golden, allow_unicode=True, sort_keys=False), encoding="utf-8")


def _prepare(folder: Path, *, force: bool) -> None:
    """Make the folder. It is emptied only with --force and only if it bears this command's mark: never a real vault."""
    if folder.is_file():
        raise VaultError(f"{folder}: is a file. Give a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        if not force:
            raise VaultError(f"{folder}: is not empty. Choose another folder, or --force to replace a vault made here.")
        if not (folder / _MARK).is_file():
            raise VaultError(f"{folder}: was not made by this command, so --force leaves it alone. Empty it by hand.")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    return cli.run(app, argv, name="mindnet make-vault")


if __name__ == "__main__":
    sys.exit(main())
