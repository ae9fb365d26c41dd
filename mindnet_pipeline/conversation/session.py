"""The loop: a question, its answer, the next question. Commands start with a slash."""

from __future__ import annotations

from collections.abc import Callable

from mindnet_pipeline.conversation.answering import Answer, Conversation
from mindnet_pipeline.conversation.terminal import Screen
from mindnet_pipeline.core.errors import MindnetError

_HELP = {
    "de": """/sources  Stellen der letzten Antwort noch einmal
/new      neues Gespräch: das bisher Gesagte gilt nicht mehr
/help     diese Hilfe
/quit     beenden (auch Strg-D); Strg-C bricht eine Antwort ab""",
    "en": """/sources  the passages of the last answer once more
/new      a new conversation: what was said so far is forgotten
/help     this help
/quit     leave (also Ctrl-D); Ctrl-C stops an answer""",
}
_WORDS = {
    "de": {
        "greeting": "Frag deine Notizen. /help zeigt die Befehle, /quit beendet.",
        "new": "Neues Gespräch.",
        "none": "Es gibt noch keine Antwort.",
        "unknown": "Den Befehl {0} gibt es nicht; /help zeigt alle.",
        "error": "Fehler: {0}",
    },
    "en": {
        "greeting": "Ask your notes. /help shows the commands, /quit leaves.",
        "new": "A new conversation.",
        "none": "There is no answer yet.",
        "unknown": "There is no command {0}; /help shows all.",
        "error": "error: {0}",
    },
}
_PROMPT = "› "


class Session:
    """An interactive conversation. `read` gives the next line for a prompt and raises EOFError at the end."""

    def __init__(self, conversation: Conversation, screen: Screen, read: Callable[[str], str], language: str) -> None:
        self._conversation = conversation
        self._screen = screen
        self._read = read
        self._language = language
        self._last: Answer | None = None

    def run(self) -> None:
        """Ask and answer until the end."""
        self._screen.say(self._words("greeting"))
        while True:
            try:
                line = self._read(_PROMPT).strip()
                if line in {"/quit", "/exit", "/q"}:
                    return
                if line.startswith("/"):
                    self._command(line)
                elif line:
                    self._answer(line)
            except EOFError:
                return
            except KeyboardInterrupt:  # ends what goes on; while the model speaks, the conversation takes it
                self._screen.stop()
                self._screen.say("")

    def _answer(self, question: str) -> None:
        try:
            answer = self._conversation.ask(question, self._screen.write)
        except MindnetError as error:
            self._screen.stop()
            self._screen.say(self._words("error").format(error))
        else:
            self._last = answer
            self._screen.end(answer)

    def _command(self, line: str) -> None:
        if line == "/help":
            self._screen.say(_HELP[self._language])
        elif line == "/new":
            self._conversation.forget()
            self._last = None
            self._screen.say(self._words("new"))
        elif line == "/sources":
            if self._last is None:
                self._screen.say(self._words("none"))
            else:
                self._screen.sources(self._last)
        else:
            self._screen.say(self._words("unknown").format(line.split(maxsplit=1)[0]))

    def _words(self, key: str) -> str:
        return _WORDS[self._language][key]
