"""`python -m mindnet_pipeline.query "question"`: ask the vault and see why each hit is there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from mindnet_pipeline import cli

if TYPE_CHECKING:
    from mindnet_pipeline.retrieval.results import SearchResult
    from mindnet_pipeline.settings import Settings

app = typer.Typer(add_completion=False)


@app.command(
    epilog='Example: python -m mindnet_pipeline.query "Warum nutzen wir Qdrant?" -k 5 --explain --type decision'
)
def query(  # noqa: PLR0913, PLR0917 - a command line has as many options as it needs
    question: Annotated[str, typer.Argument(help="What you want to know, in any words.")],
    limit: Annotated[
        int | None, typer.Option("-k", help="How many hits; else results.limit of retriever.yaml.")
    ] = None,
    explain: Annotated[bool, typer.Option(help="Say why each hit is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
    type_: Annotated[list[str] | None, typer.Option("--type", help="Only notes of this type. Repeatable.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only notes with this tag or one below it. Repeatable.")] = None,
    folder: Annotated[list[str] | None, typer.Option(help="Only notes below this folder. Repeatable.")] = None,
    note: Annotated[list[str] | None, typer.Option(help="Only this note: id, path or title. Repeatable.")] = None,
    lang: Annotated[list[str] | None, typer.Option(help="Only text in this language (de, en …). Repeatable.")] = None,
    since: Annotated[
        str, typer.Option(help="Created (frontmatter) in or after this year, month or day: 2025, 2025-03, 2025-03-05.")
    ] = "",
    until: Annotated[str, typer.Option(help="Created in or before this year, month or day.")] = "",
    where: Annotated[list[str] | None, typer.Option(help="Frontmatter key=value. Repeatable.")] = None,
    log: Annotated[bool, typer.Option(help="Keep the question in the feedback log, to learn from.")] = True,
    ask: Annotated[bool, typer.Option(help="On a terminal, ask for a rating afterwards.")] = True,
    intent: Annotated[
        str, typer.Option(help="Kind of question by its name in decision_engine.yaml, auto to recognise it, or off.")
    ] = "auto",
) -> None:
    """Search the vault by meaning, words and links."""
    # Imported from here, not from deep within other imports: there its own calls can fall on the end of a piece of the
    # interpreter's stack, which CPython 3.11 then gets and gives back thousands of times (a tenth of a short command).
    import numpy  # noqa: F401, ICN001

    from mindnet_pipeline.retrieval.filters import Filters
    from mindnet_pipeline.retrieval.retriever import open_retriever

    filters = Filters(
        *(tuple(values or ()) for values in (type_, tag, folder, note, lang)),
        since=since,
        until=until,
        where=_pairs(where or []),
    )
    settings = cli.load_settings()
    with open_retriever(settings) as retriever:
        result = retriever.search(question, limit=limit, filters=filters, explain=explain or not as_json, intent=intent)
    if as_json:
        from mindnet_pipeline.retrieval.rendering import as_json as to_json

        cli.print_json(to_json(result))
    else:
        from mindnet_pipeline.retrieval.terminal import print_result

        print_result(result, settings.vault, explain=explain)
    if log:
        _learn(settings, result, ask=ask and not as_json)


def _learn(settings: Settings, result: SearchResult, *, ask: bool) -> None:
    """Log the question; ask for a rating if somebody sits there."""
    from mindnet_pipeline.learning.feedback_log import log_search

    problem = log_search(settings, result)
    if problem:
        print(problem, file=sys.stderr)
    elif ask and settings.feedback.log and settings.feedback.ask and sys.stdin.isatty() and sys.stdout.isatty():
        from mindnet_pipeline.learning.rating import ask_for_rating

        if said := ask_for_rating(settings, result, input):
            typer.echo(said)


def _pairs(written: list[str]) -> dict[str, str]:
    from mindnet_pipeline.core.errors import QueryError

    pairs = {}
    for pair in written:
        key, sign, value = pair.partition("=")
        if not sign or not key.strip():
            raise QueryError(f"--where {pair}: write key=value, such as --where status=active.")
        pairs[key.strip()] = value.strip()
    return pairs


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet query")


if __name__ == "__main__":
    sys.exit(main())
