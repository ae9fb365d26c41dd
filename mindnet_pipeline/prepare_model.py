"""`python -m mindnet_pipeline.prepare_model [FOLDER]`: build the onnx engine's model.

A first sync does so by itself (engine/first_model.py). Once something is indexed only this command does: `auto` uses
the model from then on, another engine has another model key, and everything is embedded anew, once.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from mindnet_pipeline import cli

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: python -m mindnet_pipeline.prepare_model")
def prepare_model(
    model: Annotated[
        str | None,
        typer.Argument(metavar="[FOLDER]", help="A sentence-transformers model folder; else the configured model."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was made as one JSON object.")] = False,
) -> None:
    """Make the fast version of the embedding model, once, from what is on this machine; nothing is downloaded.

    Any sentence-transformers model that makes one vector of one text will do. The BERT family takes seconds; other
    kinds are exported through torch, which takes up to some minutes; it is not needed afterwards.
    """
    from mindnet_pipeline.storage.embedders import chosen_engine
    from mindnet_pipeline.storage.embedders.prepared import read_prepared
    from mindnet_pipeline.storage.embedders.preparing import prepare

    settings = cli.load_settings()
    model = settings.embedding.model if model is None else model
    before = chosen_engine(settings.embedding, settings.data)
    with _progress(shown=not as_json) as progress:
        folder = prepare(model, settings.data, progress)
    made = read_prepared(folder)
    assert made is not None  # noqa: S101 - prepare() has just made or checked it
    if as_json:
        facts = {"folder": str(folder), "model": made.model, "precision": made.precision, "cosine": made.cosine}
        cli.print_json(facts)
        return
    typer.echo(f"{folder}: ready, {_precision(made.precision, made.cosine)}")
    typer.echo(_consequence(before, model, settings))


def _precision(precision: str, cosine: float) -> str:
    if precision == "int8":
        return f"in eight bits (cosine {cosine:.4f} to its vectors in float32)"
    return "in float32, as its vectors in eight bits were too far from these"


def _consequence(before: str, model: str, settings: Any) -> str:
    """One line: whether the model is in use now, and that a change of engine embeds everything anew."""
    from mindnet_pipeline.storage.embedders import chosen_engine

    options = settings.embedding
    if model != options.model or chosen_engine(options, settings.data) != "onnx":
        return "It is not in use: set embedding.engine to onnx and embedding.model; then all is embedded anew, once."
    if before == "onnx":
        return "The engine onnx is in use."
    return "The engine onnx is in use from now on: the next sync embeds everything anew, once."


@contextmanager
def _progress(*, shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    """A bar per stage on a terminal, nothing elsewhere."""
    if not shown or not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done)

        yield show


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet prepare-model")


if __name__ == "__main__":
    sys.exit(main())
