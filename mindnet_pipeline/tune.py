"""`python -m mindnet_pipeline.tune`: weights learned from ratings, proposed, adopted and taken back."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mindnet_pipeline import cli
from mindnet_pipeline.core.counting import counted

if TYPE_CHECKING:
    from mindnet_pipeline.learning.adoption import Step
    from mindnet_pipeline.learning.proposals import GoldenCheck, MeasureRow, Proposal
    from mindnet_pipeline.learning.tuning import Outcome
    from mindnet_pipeline.settings import Settings
    from mindnet_pipeline.settings.retriever import Weights

app = typer.Typer(add_completion=False)


@app.command(epilog="Example: python -m mindnet_pipeline.tune, then: python -m mindnet_pipeline.tune --adopt last")
def tune(
    adopt: Annotated[
        str, typer.Option(metavar="PROPOSAL", help="Take a proposal over (`last`, id or beginning).")
    ] = "",
    rollback: Annotated[bool, typer.Option("--rollback", help="Bring back the weights from before.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="Show proposals and what was adopted.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Learn the weights of search from ratings. Proposes only: nothing changes until --adopt."""
    from mindnet_pipeline.core.errors import QueryError

    if sum(map(bool, (adopt, rollback, list_))) > 1:
        raise QueryError("--adopt, --rollback and --list each stand alone.")
    settings = cli.load_settings()
    if list_:
        _list(settings, as_json=as_json)
    elif adopt or rollback:
        _change(settings, adopt, as_json=as_json)
    else:
        _propose(settings, as_json=as_json)


def _propose(settings: Settings, *, as_json: bool) -> None:
    from mindnet_pipeline.learning.feedback_log import utc_now
    from mindnet_pipeline.learning.tuning import gather_pairs, tune

    gathered = gather_pairs(settings)
    if gathered.unreadable:
        print(f"passed over unreadable lines: {', '.join(gathered.unreadable[:3])}", file=sys.stderr)
    outcome = tune(settings, gathered.pairs, utc_now())
    if as_json:
        cli.print_json({"reason": outcome.reason, **_shown(outcome)})
        return
    if outcome.learned:
        _print_tables(settings.retriever.weights, outcome)
    if outcome.proposal is None:
        typer.echo(f"no proposal: {outcome.reason}")
    else:
        news = f"{outcome.reason}; " if outcome.reason else ""
        typer.echo(f"{news}take it over with: python -m mindnet_pipeline.tune --adopt {outcome.proposal.id}")


def _shown(outcome: Outcome) -> dict[str, Any]:
    return {
        "proposal": outcome.proposal.id if outcome.proposal else None,
        "weights": outcome.learned.model_dump() if outcome.learned else None,
        "measures": [row.model_dump() for row in outcome.measures],
        "golden": outcome.golden.model_dump(mode="json") if outcome.golden else None,
    }


def _change(settings: Settings, adopted: str, *, as_json: bool) -> None:
    from mindnet_pipeline.learning import adoption, proposals
    from mindnet_pipeline.learning.feedback_log import utc_now

    if adopted:
        step = adoption.adopt(settings, proposals.find(proposals.proposals(settings), adopted), utc_now())
        said = f"adopted {step.proposal}; back with: python -m mindnet_pipeline.tune --rollback"
    else:
        step = adoption.rollback(settings, utc_now())
        kept = f"; your edits since are kept in tuning/versions/{step.edited}" if step.edited else ""
        said = f"took {step.proposal} back{kept}"
    if as_json:
        import dataclasses

        cli.print_json({**dataclasses.asdict(step), "weights": settings.retriever.weights.model_dump()})
    else:
        typer.echo(said)


def _list(settings: Settings, *, as_json: bool) -> None:
    import dataclasses

    from mindnet_pipeline.learning.adoption import adoptions, history
    from mindnet_pipeline.learning.proposals import proposals

    known, steps = proposals(settings), history(settings)
    in_force = {step.proposal for step in adoptions(steps)}
    if as_json:
        rows = [{**each.model_dump(mode="json"), "adopted": each.id in in_force} for each in known]
        cli.print_json({"proposals": rows, "history": [dataclasses.asdict(step) for step in steps]})
        return
    for each in known:
        typer.echo(_line(each, in_force))
    for step in steps:
        typer.echo(_step(step))
    if not known:
        typer.echo("no proposals yet")


def _line(proposal: Proposal, in_force: set[str]) -> str:
    gains = ", ".join(f"{row.measure} {row.before:.3f} → {row.after:.3f}" for row in proposal.measures)
    adopted = "  (adopted)" if proposal.id in in_force else ""
    return f"{proposal.id}  {counted(proposal.ratings, 'rating')}  {gains}{adopted}"


def _step(step: Step) -> str:
    return f"{step.time[:16]}  {step.action} {step.proposal}"


def _print_tables(present: Weights, outcome: Outcome) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    learned = outcome.learned.model_dump() if outcome.learned else {}
    console.print(_table("weight", {name: (value, learned[name]) for name, value in present.model_dump().items()}))
    console.print(_measures(outcome.measures))
    if outcome.golden:
        console.print(_golden(outcome.golden))


def _table(title: str, rows: Mapping[str, tuple[float, float]]) -> Any:
    from rich.table import Table

    table = Table(title, "now", "learned", box=None, padding=(0, 2, 0, 0), header_style="bold")
    for name, (before, after) in rows.items():
        table.add_row(name, f"{before:g}", f"{after:g}")
    return table


def _measures(rows: tuple[MeasureRow, ...]) -> Any:
    from rich.table import Table

    heads = ("held-out questions", "now", "learned", "gain", "95 % interval")
    table = Table(*heads, box=None, padding=(0, 2, 0, 0), header_style="bold")
    for row in rows:
        interval = f"{row.low:+.3f} to {row.high:+.3f}"
        table.add_row(row.measure, f"{row.before:.3f}", f"{row.after:.3f}", f"{row.gain:+.3f}", interval)
    return table


def _golden(golden: GoldenCheck) -> Any:
    if golden.not_checked:
        return f"golden questions not checked: {golden.not_checked}"
    return _table(
        f"golden ({golden.questions})", {name: (value, golden.after[name]) for name, value in golden.before.items()}
    )


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet tune")


if __name__ == "__main__":
    sys.exit(main())
