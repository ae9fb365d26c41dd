"""An answer while it is written: on a terminal Markdown, block by block, else plain text; then its sources."""

from __future__ import annotations

import re
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.style import Style
from rich.text import Text

from mindnet_pipeline.conversation.answering import Answer
from mindnet_pipeline.conversation.rendering import below
from mindnet_pipeline.retrieval.rendering import obsidian_link

_BLOCK_END = re.compile(r"\n[ \t]*\n")
_FENCE_LINE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Screen:
    """Shows one answer after another. On a terminal the block in the making is shown below the finished ones."""

    def __init__(self, vault: Path, output: IO[str] | None = None) -> None:
        self.console = Console(file=output, highlight=False)
        self._vault = vault
        self._block = ""
        self._live: Live | None = None

    def write(self, text: str) -> None:
        """Show a piece of the answer."""
        text = printable(text)
        if not self.console.is_terminal:
            print(text, end="", file=self.console.file, flush=True)
            return
        self._block += text
        while (end := _first_block(self._block)) is not None:
            self._stop_live()
            self.console.print(Markdown(self._block[:end]))
            self.console.print()
            self._block = self._block[end:].lstrip("\n")
        if self._block.strip():
            self._show_live()

    def end(self, answer: Answer) -> None:
        """The rest of the answer, what is to be said of it, and its sources."""
        self._stop_live()
        if not self.console.is_terminal:
            print(file=self.console.file)
        elif self._block.strip():
            self.console.print(Markdown(self._block))
        self._block = ""
        for notice in answer.notices:
            self.say(notice)
        self.sources(answer)

    def stop(self) -> None:
        """Nothing more comes of this answer."""
        self._stop_live()
        self._block = ""

    def sources(self, answer: Answer) -> None:
        """The lines below an answer; on a terminal each place opens its note in Obsidian."""
        lines = below(answer)
        if lines:
            self.console.print()
        for line in lines:
            link = obsidian_link(line.hit, self._vault.name) if line.hit else None
            style = Style(link=link) if link else Style(dim=line.text.startswith(" "))
            self.console.print(Text(printable(line.text), style=style), soft_wrap=not self.console.is_terminal)

    def say(self, text: str) -> None:
        """A line of the program's own."""
        self.console.print(Text(printable(text), style="yellow"), soft_wrap=not self.console.is_terminal)

    def _show_live(self) -> None:
        if self._live is None:
            self._live = Live(console=self.console, transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(Markdown(self._block), refresh=True)

    def _stop_live(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None


def printable(text: str) -> str:
    r"""The text without signs that steer a terminal: answers and notes must not move the cursor or change its title.

    >>> printable("Rot: \x1b[31m!\x1b]0;x\x07")
    'Rot: [31m!]0;x'
    """
    return _CONTROL.sub("", text)


def _first_block(text: str) -> int | None:
    """Where the first finished block ends: at a blank line outside of code."""
    for match in _BLOCK_END.finditer(text):
        if text[: match.start()].strip() and len(_FENCE_LINE.findall(text[: match.start()])) % 2 == 0:
            return match.end()
    return None
