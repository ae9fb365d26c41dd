"""Citations in an answer, checked while it comes in: a number that names no passage is taken out and reported. Pure.

A citation is a bracket with one or more numbers: `[1]`, `[1, 3]`, `[2-4]`, `[^1]`, `[Quelle 2]`, `【1†source】`. What
is passed on is always `[1][3]`. Text in code is left alone: `row[0]` is no citation there. Not here: which passage a
number is.
"""

from __future__ import annotations

import re

_LONGEST = 80
"""A bracket or a span of inline code that is not closed within so many characters is plain text."""

_PLAIN = re.compile(r"[^\s`\[【~]+|[^\S \t]")
_BLANKS = re.compile(r"[ \t]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_TICKS = re.compile(r"`+")
_BRACKET = re.compile(r"\[([^\[\]\n]*)\]|【([^【】\n]*)】")
_WORD = r"(?:Quellen?|Sources?|Passagen?|Passages?|Stellen?|Notiz(?:en)?|Notes?|Nr\.?|No\.?|#|\^)?\s*"
_NUMBERS = re.compile(rf"\s*{_WORD}\d+(?:\s*(?:,|;|/|-|–|bis|to|und|and|&)\s*{_WORD}\d+)*\s*(?:†.*)?", re.IGNORECASE)
_RANGE = re.compile(r"(\d+)\s*(?:-|–|bis|to)\s*(\d+)|(\d+)")


class CitationFilter:
    """Takes an answer in pieces and gives it back, as far as it is certain; `count` is the number of passages.

    What comes out does not depend on how the text is cut into pieces. `cited` and `removed` are in the order of their
    first appearance.
    """

    def __init__(self, count: int) -> None:
        self.cited: list[int] = []
        self.removed: list[int] = []
        self._count = count
        self._held = ""
        self._fence = ""
        self._line_start = True

    def feed(self, piece: str) -> str:
        """What can be passed on now."""
        self._held += piece
        return self._pass_on(final=False)

    def close(self) -> str:
        """What was still held back."""
        return self._pass_on(final=True)

    def _pass_on(self, *, final: bool) -> str:
        passed: list[str] = []
        while self._held:
            taken = self._next(final=final)
            if taken is None:
                break
            text, length = taken
            if length:
                self._line_start = self._held[length - 1] == "\n"
            self._held = self._held[length:]
            passed.append(text)
        return "".join(passed)

    def _next(self, *, final: bool) -> tuple[str, int] | None:
        """The next text to pass on and how many held characters it stands for; None while that is not certain."""
        if self._line_start or self._fence:
            line = self._fenced_line(final=final)
            if line is None or line[1]:
                return line
        blanks = _BLANKS.match(self._held)
        start = blanks.end() if blanks else 0
        if start == len(self._held):
            return (self._held, start) if final else None
        if self._held[start] in "[【":
            return self._bracket(start, final=final)
        if start:
            return self._held[:start], start
        if self._held[0] == "`":
            return self._inline_code(final=final)
        match = _PLAIN.match(self._held)
        end = match.end() if match else 1
        return self._held[:end], end

    def _fenced_line(self, *, final: bool) -> tuple[str, int] | None:
        """A line that opens, closes or lies inside a fence, whole; ("", 0) if the line is none of these."""
        end = self._held.find("\n") + 1
        if not end and not final and (self._fence or self._may_open_a_fence()):
            return None
        line = self._held[:end] if end else self._held
        opening = _FENCE.match(line)
        if self._fence:
            closing = opening and opening[1].startswith(self._fence) and not line[opening.end() :].strip()
            self._fence = "" if closing else self._fence
            return line, len(line)
        if opening:
            self._fence = opening[1]
            return line, len(line)
        return "", 0

    def _may_open_a_fence(self) -> bool:
        start = self._held.lstrip(" ")
        return not start or bool(re.fullmatch(r"`{1,2}|~{1,2}", start)) or bool(_FENCE.match(self._held))

    def _inline_code(self, *, final: bool) -> tuple[str, int] | None:
        ticks = _TICKS.match(self._held)
        run = ticks[0] if ticks else "`"
        rest = self._held[len(run) :]
        line, newline, _ = rest.partition("\n")
        closing = re.search(rf"(?<!`){run}(?!`)", line)
        may_grow = not (newline or final or len(rest) > _LONGEST)
        if may_grow and (closing is None or closing.end() == len(rest)):
            return None
        end = len(run) + (closing.end() if closing else 0)
        return self._held[:end], end

    def _bracket(self, start: int, *, final: bool) -> tuple[str, int] | None:
        rest = self._held[start : start + _LONGEST]
        bracket = _BRACKET.match(rest)
        if bracket is None:
            closed = len(rest) == _LONGEST or re.search(r"[\n\[【]", rest[1:])
            return (self._held[: start + 1], start + 1) if final or closed else None
        content = bracket[1] if bracket[1] is not None else bracket[2]
        end = start + bracket.end()
        if not _NUMBERS.fullmatch(content):
            return self._held[: start + 1], start + 1
        known = self._known(content)
        return (self._held[:start] + "".join(f"[{number}]" for number in known) if known else "", end)

    def _known(self, content: str) -> list[int]:
        known = []
        for low, high, single in _RANGE.findall(content.partition("†")[0]):
            ends = [int(single)] if single else sorted((int(low), int(high)))
            valid = all(1 <= number <= self._count for number in ends)
            numbers = list(range(ends[0], ends[-1] + 1)) if valid else ends
            for number in numbers:
                record = self.cited if 1 <= number <= self._count else self.removed
                if number not in record:
                    record.append(number)
                if record is self.cited:
                    known.append(number)
        return list(dict.fromkeys(known))


def without_citations(text: str) -> str:
    """The text without any citation: their numbers mean nothing beside other passages.

    >>> without_citations("Weil die Notizen im Haus bleiben [1][3]. Und [das] auch [2].")
    'Weil die Notizen im Haus bleiben. Und [das] auch.'
    """
    check = CitationFilter(0)
    return check.feed(text) + check.close()
