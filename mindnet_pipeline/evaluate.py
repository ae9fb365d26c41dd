"""`python -m mindnet_pipeline.evaluate GOLDEN.yaml`: how good search is on questions with known answers."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mindnet_pipeline import cli

if TYPE_CHECKING:
    from mindnet_pipeline.evaluation.evaluation import Answered, Mean, Report
    from mindnet_pipeline.evaluation.golden import GoldenQuestion, Relevant
    from mindnet_pipeline.settings import RetrieverOptions, Settings

    Differences = Mapping[str, Mapping[str, Mapping[str, Mean]]]

app = typer.Typer(add_completion=False)

_ABLATIONS: Mapping[str, tuple[str, ...]] = {
    "no meaning": ("semantic",),
    "no words": ("lexical",),
    "no links": ("edge", "centrality"),
    "no centrality": ("centrality",),
    "no types": ("type",),
}
_NO_INTENTS = "no intents"
_NAMED = 10
"""So many missing places are named."""


@app.command(epilog="Example: python -m mindnet_pipeline.evaluate config/golden.yaml --ablate")
def evaluate(
    golden: Annotated[Path, typer.Argument(help="Questions with known answers; see config/golden.yaml.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
    ablate: Annotated[bool, typer.Option(help="Also switch each signal off and show what is lost.")] = False,
    intent: Annotated[
        str,
        typer.Option(help="Take each question for this kind (decision_engine.yaml), auto to recognise it, or off."),
    ] = "auto",
) -> None:
    """Ask every golden question and measure what is found."""
    from mindnet_pipeline.evaluation.asking import ask_all
    from mindnet_pipeline.evaluation.evaluation import compare_by_category, summarise
    from mindnet_pipeline.evaluation.golden import read_golden
    from mindnet_pipeline.retrieval.retriever import open_retriever

    questions = read_golden(golden)
    settings = cli.load_settings()
    missing = _missing_places(questions, golden, settings)
    with open_retriever(settings) as retriever:
        base = ask_all(questions, retriever, intent)
        ablations = {
            name: ask_all(questions, retriever.with_options(_without(settings.retriever, parts)), intent)
            for name, parts in (_ABLATIONS if ablate else {}).items()
        }
        if ablate and intent != "off":
            ablations[_NO_INTENTS] = ask_all(questions, retriever, "off")
    report = summarise(base)
    differences = {name: compare_by_category(base, answered) for name, answered in ablations.items()}
    if as_json:
        cli.print_json(_as_json(report, differences, base) | {"missing": [_shown(place) for place in missing]})
    else:
        _print(report, differences)


def _missing_places(questions: Sequence[GoldenQuestion], golden: Path, settings: Settings) -> list[Relevant]:
    """The places that the index does not have, with a warning that names them.

    Raises:
        ConfigError: it has none, so that nothing can be measured.
    """
    from mindnet_pipeline.core.errors import ConfigError
    from mindnet_pipeline.evaluation.asking import missing_places
    from mindnet_pipeline.evaluation.judging import places_of
    from mindnet_pipeline.storage.vectors import open_store

    with open_store(settings).reader(settings.store.wait_seconds) as reader:
        missing = missing_places(questions, reader)
    if not missing:
        return []
    named = ", ".join(map(_shown, missing[:_NAMED])) + (" …" if len(missing) > _NAMED else "")
    places = places_of(questions)
    if missing == places:
        raise ConfigError(
            f"{golden}: the index in {settings.data} has none of the notes that these questions are about ({named}). "
            "Sync their vault (MINDNET_VAULT, MINDNET_DATA), or write questions about yours as config/golden.yaml does."
        )
    cli.warn(
        f"{len(missing)} of {len(places)} places that answer are not in the index and count as not found: {named}. "
        f"Sync, or mend the paths and headings in {golden}."
    )
    return missing


def _shown(place: Relevant) -> str:
    return f"{place.path} › {place.section}" if place.section else place.path


def _without(options: RetrieverOptions, parts: Sequence[str]) -> RetrieverOptions:
    weights = options.weights.model_copy(update=dict.fromkeys(parts, 0.0))
    return options.model_copy(update={"weights": weights})


def _as_json(report: Report, differences: Differences, answered: Sequence[Answered]) -> dict[str, Any]:
    import dataclasses

    from mindnet_pipeline.evaluation.evaluation import ALL

    questions = [{"id": each.question.id, **each.values, "ms": round(each.seconds * 1000, 2)} for each in answered]
    plain = {
        name: {group: {m: dataclasses.asdict(d) for m, d in rows.items()} for group, rows in groups.items()}
        for name, groups in differences.items()
    }
    without = {name: groups[ALL] for name, groups in plain.items()}
    by_category = {name: {g: rows for g, rows in groups.items() if g != ALL} for name, groups in plain.items()}
    values = {"ablations": without, "ablations_by_category": by_category, "questions": questions}
    return {**dataclasses.asdict(report), **values}


def _print(report: Report, differences: Differences) -> None:
    from rich.console import Console

    from mindnet_pipeline.evaluation.asking import HITS
    from mindnet_pipeline.evaluation.evaluation import ALL

    console = Console(highlight=False)
    rows = {f"{name} ({report.counts[name]})": means for name, means in report.means.items()}
    console.print(_table("questions", rows, signed=False))
    if differences:
        console.print(_table("difference", {name: groups[ALL] for name, groups in differences.items()}, signed=True))
    if _NO_INTENTS in differences:
        console.print(_table(_NO_INTENTS, differences[_NO_INTENTS], signed=True))
    console.print("± is half the 95 % bootstrap interval over the questions", style="dim")
    console.print(f"latency with embedding: median {report.p50_ms:.0f} ms, 95 % below {report.p95_ms:.0f} ms")
    if report.missed:
        console.print(f"nothing relevant among {HITS} hits: {', '.join(report.missed)}")


def _table(title: str, rows: Mapping[str, Mapping[str, Mean]], *, signed: bool) -> Any:
    from rich.table import Column, Table

    from mindnet_pipeline.evaluation.measures import MEASURES

    table = Table(
        *(Column(head, no_wrap=True) for head in (title, *MEASURES)),
        box=None,
        padding=(0, 1, 0, 0),
        header_style="bold",
    )
    for name, means in rows.items():
        table.add_row(name, *(_cell(mean, signed=signed) for mean in means.values()))
    return table


def _cell(mean: Mean, *, signed: bool) -> str:
    """The mean and half its interval: `0.76±.12`."""
    half = f"{(mean.high - mean.low) / 2:.2f}".removeprefix("0")
    return f"{mean.value:+.2f}±{half}" if signed else f"{mean.value:.2f}±{half}"


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet evaluate")


if __name__ == "__main__":
    sys.exit(main())
