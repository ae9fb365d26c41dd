"""`python -m mindnet_pipeline.feedback QUERY_ID NODE_ID 1..5`: say how good a hit was."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from mindnet_pipeline import cli
from mindnet_pipeline.core.counting import counted

if TYPE_CHECKING:
    from mindnet_pipeline.learning.feedback_log import FeedbackLog
    from mindnet_pipeline.learning.labels import Label, Ratings
    from mindnet_pipeline.learning.situations import Situation

app = typer.Typer(add_completion=False)

_LATEST = 10


@app.command(
    epilog='Example: python -m mindnet_pipeline.feedback last 1 5 --note "exactly that". '
    "Without arguments: the latest questions; with a question only: its hits."
)
def feedback(
    query: Annotated[str, typer.Argument(metavar="[QUERY_ID]", help="`last`, an id, or its beginning.")] = "",
    node: Annotated[str, typer.Argument(metavar="[NODE_ID]", help="A hit's number, its chunk id or note id.")] = "",
    rating: Annotated[int | None, typer.Argument(metavar="[1..5]", help="1 useless … 5 just right.")] = None,
    note: Annotated[str, typer.Option(help="Why, in your own words.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Rate a hit of an earlier question, or look at what was asked and rated."""
    from mindnet_pipeline.core.errors import QueryError
    from mindnet_pipeline.learning.feedback_log import open_log
    from mindnet_pipeline.learning.labels import find_situation

    log = open_log(cli.load_settings())
    situations = _situations(log)
    if node and rating is None:
        raise QueryError(f"A rating is missing: write 1 to 5 after {node}.")
    if rating is not None:
        _rate(log, situations, (query, node, rating, note), as_json=as_json)
    elif query:
        _show_hits(find_situation(situations, query), _ratings(log), as_json=as_json)
    else:
        _show_questions(situations[-_LATEST:], _ratings(log), as_json=as_json)


def _situations(log: FeedbackLog) -> Sequence[Situation]:
    read = log.situations()
    _warn(read.unreadable)
    return read.values


def _ratings(log: FeedbackLog) -> Ratings:
    from mindnet_pipeline.learning.labels import ratings_of

    read = log.labels()
    _warn(read.unreadable)
    return ratings_of(read.values)


def _warn(unreadable: Sequence[str]) -> None:
    if unreadable:
        lines = counted(len(unreadable), "unreadable line")
        print(f"passed over {lines} ({', '.join(unreadable[:3])})", file=sys.stderr)


def _rate(log: FeedbackLog, situations: Sequence[Situation], said: tuple[str, str, int, str], *, as_json: bool) -> None:
    from mindnet_pipeline.learning.feedback_log import utc_now
    from mindnet_pipeline.learning.labels import label_of
    from mindnet_pipeline.learning.situations import written

    query, node, rating, note = said
    label = label_of(situations, query, node, rating, note=note, time=utc_now())
    log.add_label(label)
    typer.echo(written(label) if as_json else _noted(label, situations))


def _noted(label: Label, situations: Sequence[Situation]) -> str:
    asked = next(each.query for each in situations if each.query_id == label.query_id)
    return f"noted: {label.rating} for {label.chunk_id}, asked “{asked}”"


def _show_hits(situation: Situation, ratings: Ratings, *, as_json: bool) -> None:
    rows = [
        {
            "number": hit.shown,
            "chunk_id": hit.chunk_id,
            "score": hit.score,
            "rating": ratings.get((situation.query_id, hit.chunk_id)),
        }
        for hit in situation.shown
    ]
    if as_json:
        cli.print_json({"query_id": situation.query_id, "query": situation.query, "hits": rows})
        return
    typer.echo(f"{situation.query_id}  {situation.time[:16]}  “{situation.query}”")
    for row in rows:
        typer.echo(f"{row['number']:>3}  {row['score']:.3f}  {row['rating'] or '–'}  {row['chunk_id']}")


def _show_questions(situations: Sequence[Situation], ratings: Ratings, *, as_json: bool) -> None:
    from mindnet_pipeline.learning.labels import SHORT_ID

    rated = [sum(each.query_id == query_id for query_id, _ in ratings) for each in situations]
    if as_json:
        rows = [
            {"query_id": each.query_id, "time": each.time, "query": each.query, "ratings": count}
            for each, count in zip(situations, rated, strict=True)
        ]
        cli.print_json(rows)
        return
    for each, count in zip(situations, rated, strict=True):
        typer.echo(f"{each.query_id[:SHORT_ID]}  {each.time[:16]}  {count:>2} rated  “{each.query}”")
    if not situations:
        typer.echo("no questions in the log yet")


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet feedback")


if __name__ == "__main__":
    sys.exit(main())
