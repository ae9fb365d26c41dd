"""What a model writes for itself before it answers, between `<think>` and `</think>`: left out. Pure.

Most servers keep it apart; some send it as the beginning of the answer. Only there is it looked for.
"""

from __future__ import annotations

_OPEN, _CLOSE = "<think>", "</think>"


class ThoughtFilter:
    """Takes an answer in pieces and gives it back without the thoughts at its beginning."""

    def __init__(self) -> None:
        self._held = ""
        self._answering = False

    def feed(self, piece: str) -> str:
        """What of it belongs to the answer, as far as that is certain."""
        if self._answering:
            return piece
        self._held += piece
        start = self._held.lstrip()
        if start.startswith(_OPEN):
            _, closed, answer = start.partition(_CLOSE)
            return self._begin(answer.lstrip()) if closed and answer.strip() else ""
        if _OPEN.startswith(start):
            return ""
        return self._begin(self._held)

    def close(self) -> str:
        """What was still held back: nothing, if the model did not finish thinking."""
        held, self._held = self._held, ""
        return "" if self._answering or held.lstrip().startswith(_OPEN) else held

    def _begin(self, answer: str) -> str:
        self._answering, self._held = True, ""
        return answer
