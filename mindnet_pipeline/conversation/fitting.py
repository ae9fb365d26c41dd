"""As many passages as fit, best first, cut only where a sentence, a list item or a table row ends. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from mindnet_pipeline.conversation.passages import Passage, render_passage, shortened
from mindnet_pipeline.conversation.tokens import estimate_tokens
from mindnet_pipeline.core.sentences import sentence_spans

_BETWEEN = 2
"""The line ends between two passages."""

_PARAGRAPH = re.compile(r"\n[ \t]*\n+")
_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)]|>|\|)", re.MULTILINE)


def fit(passages: Sequence[Passage], tokens: int, language: str) -> list[Passage]:
    """The first passages whose tokens, together, stay within `tokens`; the last one may be its beginning only."""
    chosen: list[Passage] = []
    left = tokens
    for passage in passages:
        need = estimate_tokens(render_passage(passage)) + _BETWEEN
        if need > left:
            beginning = _beginning(passage, left, language)
            return [*chosen, beginning] if beginning else chosen
        chosen.append(passage)
        left -= need
    return chosen


def cut_points(text: str, language: str) -> list[int]:
    """Where the text may be cut, ascending: after sentences, paragraphs, list items, quoted lines and table rows."""
    points: set[int] = set()
    start = 0
    for end in [*(match.end() for match in _PARAGRAPH.finditer(text)), len(text)]:
        part = text[start:end]
        starts = sorted({0, *(match.start() for match in _ITEM.finditer(part)), len(part)})
        for first, last in pairwise(starts):
            points.update(start + first + stop for _, stop in sentence_spans(part[first:last], language))
        start = end
    return sorted(points - {0})


def cut(text: str, tokens: int, language: str) -> str:
    """The longest beginning of whole sentences within `tokens`; empty if not even one fits."""
    if estimate_tokens(text) <= tokens:
        return text
    best = ""
    for point in cut_points(text, language):
        beginning = text[:point].rstrip()
        if estimate_tokens(beginning) > tokens:
            break
        best = beginning
    return best


def _beginning(passage: Passage, tokens: int, language: str) -> Passage | None:
    frame = estimate_tokens(render_passage(passage)) - estimate_tokens(passage.text) + _BETWEEN
    text = cut(passage.text, tokens - frame, language) if tokens > frame else ""
    return shortened(passage, text) if text else None
