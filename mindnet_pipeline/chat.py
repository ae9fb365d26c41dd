"""`python -m mindnet_pipeline.chat ["question"]`: talk with the vault; each answer names its passages."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from mindnet_pipeline import cli

if TYPE_CHECKING:
    from mindnet_pipeline.conversation.answering import Answer, Conversation
    from mindnet_pipeline.settings import Settings

app = typer.Typer(add_completion=False)
FAILED = 1


@app.command(
    epilog='Example: python -m mindnet_pipeline.chat "Warum nutzen wir Qdrant?" (without a question: a conversation). '
    "Exit code 1: a model is there but did not answer; 0 also if the vault holds nothing or no model is reachable."
)
def chat(  # noqa: PLR0913, PLR0917 - a command line has as many options as it needs
    question: Annotated[
        str | None, typer.Argument(help="What you want to know. Without it: a conversation, or lines from a pipe.")
    ] = None,
    passages: Annotated[
        int | None, typer.Option("-k", help="How many passages at most; else chat.passages of pipeline.yaml.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print each answer as one JSON object on a line.")] = False,
    model: Annotated[str, typer.Option(help="The language model; else chat.model or MINDNET_LLM_MODEL.")] = "",
    type_: Annotated[list[str] | None, typer.Option("--type", help="Only notes of this type. Repeatable.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only notes with this tag or one below it. Repeatable.")] = None,
    folder: Annotated[list[str] | None, typer.Option(help="Only notes below this folder. Repeatable.")] = None,
    intent: Annotated[
        str, typer.Option(help="Kind of question by its name in decision_engine.yaml, auto to recognise it, or off.")
    ] = "auto",
    log: Annotated[bool, typer.Option(help="Keep the questions in the feedback log, to learn from.")] = True,
    show_prompt: Annotated[
        bool, typer.Option(help="Print what the model would be told, and ask nobody. Needs a question.")
    ] = False,
) -> None:
    """Ask the vault and get an answer in sentences, from any server that speaks the OpenAI protocol."""
    from mindnet_pipeline.conversation.answering import Asking, Conversation
    from mindnet_pipeline.core.errors import QueryError
    from mindnet_pipeline.retrieval.filters import Filters

    filters = Filters(types=tuple(type_ or ()), tags=tuple(tag or ()), folders=tuple(folder or ()))
    keep = None
    if log and not show_prompt:
        from mindnet_pipeline.learning.feedback_log import log_search as keep

    conversation = Conversation(_loader(model), Asking(filters, passages, intent), log=keep)
    if question is None and not show_prompt and sys.stdin.isatty():
        _converse(conversation)
        return
    questions = [question] if question is not None else [line.strip() for line in sys.stdin if line.strip()]
    if not questions:
        raise QueryError("There is no question. Write one after `chat`, or pipe one in.")
    if show_prompt:
        for message in conversation.prompt_for(" ".join(questions)).messages:
            typer.echo(f"--- {message['role']}\n{message['content']}")
        return
    answers = [_answer(conversation, each, as_json=as_json) for each in questions]
    if any(answer.outcome == "failed" for answer in answers):
        raise typer.Exit(FAILED)


def _loader(model: str) -> Callable[[], Settings]:
    """Reads the settings, with the model of the command line."""

    def load() -> Settings:
        settings = cli.load_settings()
        return replace(settings, chat=settings.chat.model_copy(update={"model": model})) if model else settings

    return load


def _converse(conversation: Conversation) -> None:
    """Ask and answer until the end; the line can be edited as in a shell, and no history of it is written."""
    with contextlib.suppress(ImportError):  # not there on Windows
        import readline  # noqa: F401 - changes how `input` reads

    from mindnet_pipeline.conversation.session import Session
    from mindnet_pipeline.conversation.terminal import Screen

    settings = conversation.settings
    Session(conversation, Screen(settings.vault), input, settings.language).run()


def _answer(conversation: Conversation, question: str, *, as_json: bool) -> Answer:
    """One question, one answer, printed."""
    if as_json:
        from mindnet_pipeline.conversation.rendering import as_json as to_json

        answer = conversation.ask(question, lambda _text: None)
        cli.print_json(to_json(answer))
        return answer
    from mindnet_pipeline.conversation.terminal import Screen

    screen = Screen(conversation.settings.vault)
    try:
        answer = conversation.ask(question, screen.write)
    except BaseException:
        screen.stop()
        raise
    screen.end(answer)
    return answer


def main(argv: list[str] | None = None) -> int:
    """Parse, call, return the exit code."""
    return cli.run(app, argv, name="mindnet chat")


if __name__ == "__main__":
    sys.exit(main())
