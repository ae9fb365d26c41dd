"""A problem in a note, with its place and its weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

ERRORS = frozenset(
    {"broken_link", "duplicate_id", "frontmatter_invalid", "frontmatter_not_a_mapping", "frontmatter_too_large"}
)
"""What costs links or fields. Everything else is a warning."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem. `line` counts from 1 in the file; 0 if it concerns the file as a whole."""

    path: str
    line: int
    code: str
    message: str

    @property
    def severity(self) -> Severity:
        """`error` if it costs links or fields."""
        return "error" if self.code in ERRORS else "warning"
