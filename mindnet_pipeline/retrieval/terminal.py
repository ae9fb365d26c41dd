"""A search result on a terminal: bars, places to click, matched words marked."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.text import Text

from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.retrieval.rendering import excerpt, heading, obsidian_link
from mindnet_pipeline.retrieval.results import SearchResult

_BAR_CHARACTERS = 10
_EXCERPT_CHARACTERS = 360
_PART_STYLES = {
    "semantic": "cyan",
    "lexical": "green",
    "edge": "magenta",
    "centrality": "blue",
    "type": "yellow",
    "intent": "bright_magenta",
}


def print_result(result: SearchResult, vault: Path, *, explain: bool, console: Console | None = None) -> None:
    """Print the hits, best first; with `explain` also the score's parts and the reasons."""
    console = console or Console(highlight=False, file=sys.stdout)
    best = max((hit.score for hit in result.hits), default=1.0)
    if result.understood:
        console.print(Text(result.understood, style="italic"))
    for number, hit in enumerate(result.hits, start=1):
        console.print(_hit(number, hit, best, vault, explain=explain))
    for notice in result.notices:
        console.print(Text(notice, style="yellow"))


def _hit(number: int, hit: Hit, best: float, vault: Path, *, explain: bool) -> RenderableType:
    link = Style(link=obsidian_link(hit, vault.name))
    head = Text.assemble((f"{number:>2}. ", "dim"), (heading(hit), Style(bold=True) + link), (f"  {hit.type}", "dim"))
    place = Text.assemble(bar(hit.score, best), (f" {hit.score:.3f}  ", ""), (f"{hit.path}:{hit.line}", "dim"))
    rows: list[RenderableType] = [place]
    if explain and hit.explanation:
        rows.append(_parts(hit))
        rows += [Text(f"• {reason}") for reason in hit.explanation.reasons]
    rows.append(
        _marked(excerpt(hit.text, _EXCERPT_CHARACTERS), hit.explanation.matched_words if hit.explanation else ())
    )
    rows.append(Text(obsidian_link(hit, vault.name), style="dim", overflow="fold"))
    return Group(head, Padding(Group(*rows), (0, 0, 1, 4)))


def bar(score: float, best: float) -> str:
    """A bar of ten signs, full for the best hit.

    >>> bar(0.5, 1.0)
    '█████░░░░░'
    """
    filled = round(_BAR_CHARACTERS * max(0.0, score) / best) if best > 0 else 0
    return "█" * filled + "░" * (_BAR_CHARACTERS - filled)


def _parts(hit: Hit) -> Text:
    line = Text()
    parts = hit.explanation.score_breakdown if hit.explanation else {}
    for name, value in parts.items():
        line.append(f"{name} {value:.3f}  ", style=_PART_STYLES.get(name, ""))
    return line


def _marked(text: str, words: Sequence[str]) -> Text:
    marked = Text(text)
    if words:
        pattern = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
        marked.highlight_regex(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), style="bold yellow")
    return marked
