"""What goes to a language model and what comes back, as values. Pure; the server itself is `client.py`."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from mindnet_pipeline.core.errors import MindnetError

Message = dict[str, str]
"""`role` (system, user, assistant) and `content`."""

ProblemKind = Literal[
    "unreachable",
    "timeout",
    "broken",
    "unauthorized",
    "rate_limited",
    "model_missing",
    "other_protocol",
    "refused",
    "silent",
]


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of an answer; `finish` is set with the last one: `stop`, or `length` if it ended at the limit."""

    text: str
    finish: str = ""


@dataclass(frozen=True, slots=True)
class Problem:
    """What kept the model from answering: `detail` in the server's own words, `wait` the seconds it asked for."""

    kind: ProblemKind
    detail: str = ""
    status: int = 0
    wait: float | None = None
    models: tuple[str, ...] = ()


class ModelError(MindnetError):
    """The language model did not answer, or not to the end."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"The language model did not answer: {problem.kind} {problem.detail}".rstrip())
        self.problem = problem


class LanguageModel(Protocol):
    """Anything that answers messages piece by piece."""

    def stream(self, messages: Sequence[Message]) -> Generator[Delta]:
        """The answer; closing the iterator ends the request. Raises `ModelError`, also in the middle."""
