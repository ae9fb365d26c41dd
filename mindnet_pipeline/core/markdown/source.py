"""marko's `Source` for long notes: positions stay those of the body, and a line's prefix is looked at once.

marko rewrites line ends, which moves every offset behind them, and matches the prefix of the open containers anew for
each element it tries. Here a CRLF becomes blank + LF (as long as before, and a blank at a line's end means nothing to
the block structure), and the place where a line's content starts is remembered.
"""

from __future__ import annotations

import re
from functools import lru_cache
from re import Match, Pattern
from typing import Any, TypeAlias

from marko.source import Source

MAX_DEPTH = 60
"""Open containers beyond which markers are text: deeper nesting is never writing, and marko recurses."""

_LINE = re.compile(r"[^\n]*\n?")
_BLANKS = " \t"

AnySource: TypeAlias = Any
"""A `BodySource` where marko's signatures say `Source`."""

compiled = lru_cache(maxsize=2048)(re.compile)


def same_length_lines(text: str) -> str:
    r"""The text with every line end as LF, and every character where it was.

    >>> same_length_lines("a\r\nb\rc")
    'a \nb\nc'
    """
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


class BodySource(Source):
    """A source whose positions are those of the note's body."""

    def __init__(self, text: str) -> None:
        super().__init__("")
        self._buffer = same_length_lines(text)
        self._seen: tuple[int, int, object, int] = (-1, 0, None, -1)

    @property
    def text(self) -> str:
        """The text that positions count in."""
        return self._buffer

    @property
    def depth(self) -> int:
        """How many containers are open."""
        return len(self._states)

    @property
    def prefix(self) -> str:
        """The pattern of what stands before the content of each line in the open containers."""
        states = self._states
        return "" if len(states) == 1 else "".join([state._prefix for state in states])  # noqa: SLF001 marko's way to extend it

    @property
    def _current_pos(self) -> int:
        return max(self.content_start(), self.pos)

    def content_start(self) -> int:
        """Where the current line's content starts; -1 if the line does not continue the open containers."""
        pos, states = self.pos, self._states
        depth = len(states)
        if depth == 1:
            return pos
        top = states[-1]
        seen_pos, seen_depth, seen_top, start = self._seen
        if seen_pos != pos or seen_depth != depth or seen_top is not top:
            prefix = self.prefix
            start = self._find_content(prefix) if prefix else pos
            self._seen = (pos, depth, top, start)
        return start

    def _update_prefix(self) -> None:
        super()._update_prefix()
        self._seen = (-1, 0, None, -1)

    def _find_content(self, prefix: str) -> int:
        pos, buffer = self.pos, self._buffer
        end = buffer.find("\n", pos) + 1 or len(buffer)
        match = compiled(prefix).match(buffer, pos, end)
        if match and "\t" not in match.group():
            return match.end()
        line = buffer[pos:end]
        if "\t" not in line:
            blank = line.isspace() and compiled(prefix).match(" " * 99)
            return max(end - 1, pos) if blank and line[-1] == "\n" else -1
        length = Source.match_prefix(prefix, line)
        return pos + length if length >= 0 else -1

    def first_character(self, start: int) -> str:
        """The line's first character after up to three blanks; a blank for indented code, "" for a blank line."""
        buffer, size = self._buffer, len(self._buffer)
        at = start
        while at < size and buffer[at] == " " and at - start < 4:
            at += 1
        if at < size and at - start < 4 and buffer[at] not in "\t\n":
            return buffer[at]
        while at < size and buffer[at] in _BLANKS:
            at += 1
        if at == size or buffer[at] == "\n":
            return ""
        return buffer[at] if self._column(at) - self._column(start) < 4 else " "

    def _column(self, at: int) -> int:
        """The column of a position of the current line; a tab goes on to the next multiple of four (CommonMark 2.2)."""
        return len(self._buffer[self.pos : at].expandtabs(4))

    def line_end(self, start: int) -> int:
        """The position after the line end of the line that `start` lies in."""
        return self._buffer.find("\n", start) + 1 or len(self._buffer)

    def expect_re(self, regexp: Pattern[str] | str) -> Match[str] | None:
        """Match a pattern at the line's content."""
        start = self.content_start()
        if start < 0:
            return None
        self.match = (compiled(regexp) if isinstance(regexp, str) else regexp).match(self._buffer, start)
        return self.match

    def next_line(self, require_prefix: bool = True) -> str | None:  # type: ignore[override]
        """The current line, from its content on, or from its start if `require_prefix` is false."""
        start = self.content_start() if require_prefix else self.pos
        if start < 0:
            self.match = None
            return None
        self.match = _LINE.match(self._buffer, start)
        return self.match.group() if self.match else None
