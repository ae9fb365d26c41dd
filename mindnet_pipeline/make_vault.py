"""Make a believable linked vault of any size: `python -m mindnet_pipeline.make_vault --notes 1000 DIR`.

Parses, calls `making`, writes the files, prints. The text of the notes comes from `mindnet_pipeline.making`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
import yaml

from mindnet_pipeline.core.errors import MindnetError, VaultError
from mindnet_pipeline.making.compose import compose_note
from mindnet_pipeline.making.plan import plan_vault
from mindnet_pipeline.making.questions import questions

_MARK = ".made-by-mindnet"
_SHOW_PROGRESS_FROM = 2_000

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@app.command(
    help="Make a linked Obsidian vault of made-up notes, German and English. The same seed gives the same bytes.",
    epilog="Examples:  make_vault --notes 200 /tmp/vault     |     "
    "make_vault --notes 10000 --seed 7 --questions golden.yaml --force /tmp/vault",
)
def make(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to; must be empty or new.")],
    notes: Annotated[int, typer.Option(min=1, help="How many notes.")] = 200,
    seed: Annotated[int, typer.Option(help="Another seed gives another vault.")] = 0,
    questions_file: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE", help="Also write 100 questions with known answers.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a vault that this command made before.")] = False,
) -> None:
    """The command itself."""
    _prepare(folder, force=force)
    write_vault(folder, notes, seed)
    if questions_file is not None:
        golden = [question.as_golden() for question in questions(seed, notes, 100)]
        questions_file.write_text(yaml.safe_dump(golden, allow_unicode=True, sort_keys=False), encoding="utf-8")
    typer.echo(f"{folder}: {notes:,} notes (seed {seed})")


def write_vault(folder: Path, notes: int, seed: int) -> None:
    """Write the vault's notes into the folder, which must exist."""
    plan = plan_vault(seed, notes)
    (folder / _MARK).touch()
    for parent in sorted({(folder / note.path).parent for note in plan}):
        parent.mkdir(parents=True, exist_ok=True)
    with typer.progressbar(
        plan, label="Writing notes", file=sys.stderr, hidden=notes < _SHOW_PROGRESS_FROM, update_min_steps=500
    ) as shown:
        for note in shown:
            (folder / note.path).write_bytes(compose_note(note, plan, seed).encode())


def _prepare(folder: Path, *, force: bool) -> None:
    """Make the folder; empty it only with --force and only if it bears this command's mark: never a real vault."""
    if folder.is_file():
        raise VaultError(f"{folder}: is a file. Give a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        if not force:
            raise VaultError(f"{folder}: is not empty. Choose another folder, or --force to replace a vault made here.")
        if not (folder / _MARK).is_file():
            raise VaultError(
                f"{folder}: was not made by this command, so --force does not delete it. Empty it by hand."
            )
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        app(args=list(sys.argv[1:] if argv is None else argv), prog_name="make_vault", standalone_mode=True)
    except MindnetError as error:
        print(f"make_vault: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"make_vault: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
