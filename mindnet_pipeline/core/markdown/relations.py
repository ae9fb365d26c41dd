"""What gives a wikilink a kind by the line it stands on: Dataview fields and `[!edge]` callouts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mindnet_pipeline.core.model import Link, Span

_KEY = r"([^\W_][\w /-]{0,60}?)"
_LINE_FIELD = re.compile(rf"^[ \t]*(?:\[.\][ \t]+)?[*_~]{{0,3}}{_KEY}[*_~]{{0,3}}[ \t]*::[^\n]*", re.MULTILINE)
_INLINE_FIELD = re.compile(rf"(?<!\[)[\[(][ \t]*{_KEY}[ \t]*::(?:\[\[[^\[\]\n]*\]\]|[^\[\]()\n])*[\])]")
_EDGE_KEY = re.compile(rf"(?<![^\s;,(]){_KEY}[ \t]*::?[ \t]*(?=\[\[|$)")
_CALLOUT_MARKS = re.compile(r"[ \t>]*(?:\[![^\]\n]*\][+-]?)?[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)?")


@dataclass(frozen=True, slots=True)
class FieldRanges:
    """The Dataview fields of one text: where their values stand, and their keys."""

    starts: Sequence[int]
    ranges: Sequence[tuple[int, str]]

    @classmethod
    def of(cls, text: str) -> FieldRanges | None:
        """None if the text surely has no field."""
        if "::" not in text or "[[" not in text:
            return None
        found = {m.start(): (m.end(), m[1]) for pattern in (_LINE_FIELD, _INLINE_FIELD) for m in pattern.finditer(text)}
        starts = sorted(found)
        return cls(starts, [found[start] for start in starts])

    def typed(self, link: Link, at: int) -> Link:
        """The link with its field's key as kind, if it stands in one. The innermost field counts."""
        for index in range(bisect_right(self.starts, at) - 1, max(bisect_right(self.starts, at) - 3, -1), -1):
            end, key = self.ranges[index]
            if at < end:
                return replace(link, syntax="field", kind=key.strip())
        return link


def typed_by_callout(body: str, callout: Span, links: Sequence[Link]) -> list[Link]:
    """The links of an `[!edge]` callout with the kind that was last written before each of them."""
    keys: list[tuple[int, str]] = []
    start = callout[0]
    while start < callout[1]:
        end = body.find("\n", start, callout[1])
        end = callout[1] if end < 0 else end
        marks = _CALLOUT_MARKS.match(body, start, end)
        line_start = marks.end() if marks else start
        line = body[line_start:end].rstrip()
        keys += [(line_start + m.start(), m[1].strip()) for m in _EDGE_KEY.finditer(line)]
        start = end + 1
    positions = [position for position, _ in keys]
    typed = []
    for link in links:
        index = bisect_right(positions, link.start) - 1
        known = index >= 0 and link.syntax in {"wikilink", "field"}
        typed.append(replace(link, syntax="callout", kind=keys[index][1]) if known else link)
    return typed
