"""The loop: questions, commands, the end; what a terminal shows and what a pipe gets."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from mindnet_pipeline.conversation.session import Session
from mindnet_pipeline.conversation.terminal import Screen
from mindnet_pipeline_tests.conversation import model_server as reply
from mindnet_pipeline_tests.conversation.model_server import ModelServer
from mindnet_pipeline_tests.conversation.talks import QUESTION, Talk


def lines(*written: str | type[BaseException]) -> Callable[[str], str]:
    """A person who writes these lines and then closes the input; an exception is raised in a line's place."""
    coming = iter(written)

    def read(_prompt: str) -> str:
        line = next(coming, EOFError)
        if isinstance(line, str):
            return line
        raise line

    return read


def session(talk: Talk, *written: str | type[BaseException], language: str = "de") -> str:
    """What is shown while these lines are written."""
    screen = Screen(Path("Notizen"), shown := io.StringIO())
    Session(talk.begin(), screen, lines(*written), language).run()
    return shown.getvalue()


def test_an_answer_is_followed_by_its_sources(talk: Talk) -> None:
    shown = session(talk, QUESTION)
    assert "Weil die Notizen im Haus bleiben [1].\n\nQuellen:\n[1] Beet · beet#c01 · beet.md:1\n" in shown


@pytest.mark.parametrize("command", ["/quit", "/exit", "/q"])
def test_quit_ends_it(talk: Talk, server: ModelServer, command: str) -> None:
    session(talk, command, QUESTION)
    assert server.requests == []


def test_sources_come_once_more(talk: Talk) -> None:
    assert session(talk, QUESTION, "/sources").count("[1] Beet · beet#c01") == 2
    assert "Es gibt noch keine Antwort." in session(talk, "/sources")


def test_new_forgets_what_was_said(talk: Talk, server: ModelServer) -> None:
    assert "Es gibt noch keine Antwort." in session(talk, QUESTION, "/new", "/sources", QUESTION)
    assert len(server.requests[-1]["messages"]) == 2


def test_help_names_every_command(talk: Talk) -> None:
    for language in ("de", "en"):
        shown = session(talk, "/help", language=language)
        assert all(command in shown for command in ("/sources", "/new", "/help", "/quit"))


def test_an_unknown_command_is_no_question(talk: Talk, server: ModelServer) -> None:
    assert "There is no command /frobnicate" in session(talk, "/frobnicate x", language="en")
    assert server.requests == []


def test_empty_lines_are_ignored(talk: Talk, server: ModelServer) -> None:
    session(talk, "", "   ")
    assert server.requests == []


def test_interrupting_the_prompt_clears_the_line_and_goes_on(talk: Talk, server: ModelServer) -> None:
    session(talk, KeyboardInterrupt, QUESTION)
    assert len(server.requests) == 1


def test_interrupting_while_sources_are_shown_goes_on_too(talk: Talk, server: ModelServer) -> None:
    screen = Screen(Path("Notizen"), io.StringIO())
    screen.sources = lambda _answer: interrupt()  # type: ignore[method-assign]
    Session(talk.begin(), screen, lines(QUESTION, QUESTION), "de").run()
    assert len(server.requests) == 2


def interrupt() -> None:
    raise KeyboardInterrupt


def test_what_cannot_be_searched_for_is_one_line_and_the_next_question_works(talk: Talk) -> None:
    talk.write("retriever.yaml", "weigths: {}")
    broken = session(talk, QUESTION)
    assert "Fehler: " in broken
    assert "did you mean `weights`" in broken


def test_a_failed_answer_shows_the_passages_and_the_talk_goes_on(talk: Talk, server: ModelServer) -> None:
    server.says(reply.refuses(500, {"error": "kaputt"}), "Nun ja [1].")
    shown = session(talk, QUESTION, QUESTION)
    assert "meldet einen Fehler 500: kaputt." in shown
    assert "Passende Stellen:\n[1] Beet" in shown
    assert "Nun ja [1]." in shown


def test_an_answer_without_numbers_lists_what_was_read(talk: Talk, server: ModelServer) -> None:
    server.says("Wegen der Sonne.")
    assert "Das Modell hat keine Stelle genannt. Gelesen hat es diese:\n[1] Beet" in session(talk, QUESTION)


def on_a_terminal(talk: Talk) -> str:
    screen = Screen(Path("Notizen"))
    screen.console = Console(file=io.StringIO(), force_terminal=True, width=60, color_system="standard")
    Session(talk.begin(), screen, lines(QUESTION), "de").run()
    return screen.console.file.getvalue()


def test_a_terminal_gets_markdown_and_links_to_obsidian(talk: Talk, server: ModelServer) -> None:
    server.says("Die **Sonne** [1].\n\n1. Eins\n2. Zwei\n\n```\na\n\nb\n```\n\nEnde.")
    shown = on_a_terminal(talk)
    assert "\x1b[1mSonne\x1b[0m" in shown
    assert "obsidian://open?vault=Notizen&file=beet" in shown
    assert shown.index("Eins") < shown.index("Ende.")


def test_a_terminal_is_not_steered_by_an_answer(talk: Talk, server: ModelServer) -> None:
    server.says("Rot \x1b]0;Titel\x07 und \x9b2J Ende [1].")
    shown = on_a_terminal(talk)
    assert "\x1b]0;" not in shown
    assert "\x9b" not in shown
