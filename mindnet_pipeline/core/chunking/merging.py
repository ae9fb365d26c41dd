"""Small chunks joined with a neighbour under the same H2 heading."""

from __future__ import annotations

from dataclasses import dataclass

from mindnet_pipeline.core.chunking.pieces import Limits, Piece
from mindnet_pipeline.core.chunking.sections import Section


@dataclass(slots=True)
class Draft:
    """A chunk in the making: its pieces with the section of each, in order."""

    parts: list[tuple[Section, list[Piece]]]
    tokens: int
    limits: Limits

    @property
    def pieces(self) -> list[Piece]:
        """All pieces in order."""
        return [piece for _, pieces in self.parts for piece in pieces]

    @property
    def heading_only(self) -> bool:
        """True for headings without any text under them."""
        return all(piece.kind == "heading" for piece in self.pieces)

    @property
    def path(self) -> tuple[str, ...]:
        """The titles that all sections of it share; headings without text do not count where others have some."""
        paths = [section.path for section, pieces in self.parts if any(piece.kind != "heading" for piece in pieces)]
        first, *rest = paths or [self.parts[0][0].path]
        shared = first
        for path in rest:
            same = 0
            while same < min(len(shared), len(path)) and shared[same] == path[same]:
                same += 1
            shared = shared[:same]
        return shared


def join_small(drafts: list[Draft]) -> list[Draft]:
    """Each chunk under its minimum joined with a neighbour of the same group, if the sum stays within the limit."""
    done: list[Draft] = []
    todo = drafts[::-1]
    while todo:
        draft = todo.pop()
        if draft.tokens < draft.limits.minimum:
            before = _fits(done[-1], draft) if done else False
            after = _fits(draft, todo[-1]) if todo else False
            if after and (not before or _goes_on(draft, done[-1], todo[-1])):
                todo.append(_joined(draft, todo.pop()))
                continue
            if before:
                todo.append(_joined(done.pop(), draft))
                continue
        done.append(draft)
    return done


def _fits(first: Draft, second: Draft) -> bool:
    one, two = first.parts[-1], second.parts[0]
    limit = min(first.limits.limit, second.limits.limit)
    apart = one[1][-1].apart or two[1][0].apart or one[0].stop != two[0].stop
    return one[0].group == two[0].group and not apart and first.tokens + second.tokens <= limit


def _goes_on(draft: Draft, before: Draft, after: Draft) -> bool:
    """Whether to join with what follows: a heading does; else the same section wins, else the smaller chunk."""
    if draft.heading_only:
        return True
    same_before, same_after = before.path == draft.path, after.path == draft.path
    return same_after if same_before != same_after else after.tokens < before.tokens


def _joined(first: Draft, second: Draft) -> Draft:
    parts = [*first.parts]
    for section, pieces in second.parts:
        if parts[-1][0] is section:
            parts[-1] = (section, [*parts[-1][1], *pieces])
        else:
            parts.append((section, pieces))
    tighter = min(first.limits, second.limits, key=lambda limits: limits.limit)
    return Draft(parts, first.tokens + second.tokens, tighter)
