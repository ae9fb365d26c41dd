"""Real vaults, read by us and by comrak: whatever differs must be something that CommonMark does not know."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from mindnet_pipeline.core.frontmatter import split_source

pytest.importorskip("comrak")

from mindnet_pipeline_tests.core.comrak_reading import read_with_comrak, read_with_mindnet

_VAULTS = Path(os.environ.get("MINDNET_SHARED", "/nonexistent")) / "vaults"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not _VAULTS.is_dir(), reason="MINDNET_SHARED names no folder with vaults"),
]


def _bodies() -> list[tuple[str, str]]:
    files = sorted(_VAULTS.rglob("*.md"))
    return [(str(file.relative_to(_VAULTS)), split_source(file.read_bytes()).body) for file in files]


def _in_comment(lines: list[str], line: int) -> bool:
    """True on the first, an inner or the last line of a `%%` comment."""
    before = sum(text.count("%%") for text in lines[: line - 1])
    return before % 2 == 1 or "%%" in lines[line - 1]


def _known_block(lines: list[str], line: int) -> bool:
    """Footnotes, formulas and comments are blocks of their own for us; comrak (its footnotes off) reads paragraphs."""
    return _in_comment(lines, line) or re.match(r" {0,3}(?:\[\^[^\]]+\]:|\$\$)", lines[line - 1]) is not None


def _known_link(lines: list[str], link: tuple[int, int, str]) -> bool:
    """comrak knows no embeds; it takes empty wikilinks, comments, bare mail addresses and footnotes for links."""
    line, column, destination = link
    written = lines[line - 1][column - 1 :]
    bare_mail = destination == f"mailto:{re.split(r'[ ,<]', written)[0].rstrip('.')}"
    return written.startswith(("![[", "[[]]", "[^")) or bare_mail or _in_comment(lines, line)


def _normal(link: tuple[int, int, str]) -> tuple[int, int, str]:
    return link[0], link[1], unquote(link[2]).replace("\u00a0", " ").strip()


def test_blocks_start_where_comrak_starts_them_and_are_of_its_kind() -> None:
    unexplained = []
    for name, body in _bodies():
        lines = re.split(r"\r\n|\n|\r", body)
        differing = set(read_with_comrak(body)[0]) ^ set(read_with_mindnet(body)[0])
        unexplained += [(name, block) for block in sorted(differing) if not _known_block(lines, block[1])]
    assert unexplained == []


def test_links_start_where_comrak_starts_them_and_lead_to_the_same() -> None:
    unexplained = []
    for name, body in _bodies():
        lines = re.split(r"\r\n|\n|\r", body)
        differing = set(map(_normal, read_with_comrak(body)[1])) ^ set(map(_normal, read_with_mindnet(body)[1]))
        unexplained += [(name, link) for link in sorted(differing) if not _known_link(lines, link)]
    assert unexplained == []


def test_the_comparison_is_not_an_empty_one() -> None:
    blocks = sum(len(read_with_mindnet(body)[0]) for _, body in _bodies())
    assert blocks > 20_000
