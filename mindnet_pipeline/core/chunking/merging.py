"""Small parts of sections joined with a neighbour under the same H2 heading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, takewhile

from mindnet_pipeline.core import ids
from mindnet_pipeline.core.chunking.pieces import Limits, Piece
from mindnet_pipeline.core.chunking.sections import Section


@dataclass(frozen=True)
class Part:
    """Pieces of one section: a chunk, or too small for one."""

    section: Section
    pieces: Sequence[Piece]
    limits: Limits

    @cached_property
    def tokens(self) -> int:
        """Its size."""
        return sum(piece.tokens for piece in self.pieces)

    @property
    def is_small(self) -> bool:
        """Whether it is under its minimum."""
        return self.tokens < self.limits.minimum

    @cached_property
    def is_heading(self) -> bool:
        """True for headings without any text under them."""
        return all(piece.kind == "heading" for piece in self.pieces)

    @property
    def is_apart(self) -> bool:
        """Whether it is a quote of its own, or a part of one, with what leads to it."""
        return self.pieces[-1].apart > 0


@dataclass(frozen=True)
class Draft:
    """A chunk in the making: parts that follow each other."""

    parts: Sequence[Part]

    @property
    def pieces(self) -> list[Piece]:
        """All pieces in order."""
        return [piece for part in self.parts for piece in part.pieces]

    @cached_property
    def tokens(self) -> int:
        """Its size."""
        return sum(part.tokens for part in self.parts)

    @cached_property
    def limits(self) -> Limits:
        """The tightest of its parts' limits."""
        return min((part.limits for part in self.parts), key=lambda limits: limits.limit)

    @property
    def anchor(self) -> Part:
        """Its largest part. One that is no smaller than the minimum is the anchor wherever it is joined."""
        return max(self.parts, key=lambda part: part.tokens)

    @property
    def path(self) -> tuple[str, ...]:
        """The titles that all sections of it share; headings without text do not count where others have some."""
        paths = [part.section.path for part in self.parts if not part.is_heading] or [self.parts[0].section.path]
        shared = takewhile(lambda titles: len({*titles}) == 1, zip(*paths, strict=False))
        return tuple(titles[0] for titles in shared)

    def takes(self, following: Draft) -> bool:
        """Whether one of the two is under its minimum and both have room in one chunk.

        A quote of its own takes nothing, and goes with nothing but headings above it.
        """
        is_heading = all(part.is_heading for part in self.parts)
        if self.parts[-1].is_apart or (following.parts[-1].is_apart and not is_heading):
            return False
        one, two = self.limits, following.limits
        is_needed = self.tokens < one.minimum or following.tokens < two.minimum
        return is_needed and self.tokens + following.tokens <= min(one.limit, two.limit)


def join_small(parts: Sequence[Part]) -> list[Draft]:
    """Each part under its minimum joined with a neighbour of the same group, if the sum stays within the limit.

    In an order in which two neighbours are compared by nothing but themselves, so that a section that comes or goes
    changes little around it. One pass is enough: two that have no need of each other, or no room, never have later.
    """
    drafts = [Draft([part]) for part in parts]  # kept right at the first and the last part of each
    borders = [i for i, (above, below) in enumerate(pairwise(parts)) if _may_join(above, below)]
    for i in sorted(borders, key=lambda i: _price(parts[i], parts[i + 1])):
        one, two = drafts[i], drafts[i + 1]
        if one.takes(two):
            drafts[i + 1 - len(one.parts)] = drafts[i + len(two.parts)] = Draft([*one.parts, *two.parts])
    joined: list[Draft] = []
    at = 0
    while at < len(drafts):
        joined.append(drafts[at])
        at += len(drafts[at].parts)
    return joined


def _may_join(above: Part, below: Part) -> bool:
    return above.section.group == below.section.group and above.section.stop == below.section.stop


def _price(above: Part, below: Part) -> tuple[bool, bool, bool, bool, str]:
    """Cheapest: a heading and what it stands above; then parts of one section; then two small ones, in any order."""
    titles = ids.sha256("\x1f".join((*above.section.place, "", *below.section.place)))
    is_one_section = above.section is below.section
    return (
        not above.is_heading, below.is_heading, not is_one_section, not (above.is_small and below.is_small), titles,
    )  # fmt: skip
