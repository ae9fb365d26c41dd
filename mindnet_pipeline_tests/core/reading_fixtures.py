"""The text format of fixtures/reading/*.txt: title, input, expected blocks, links and tags.

A case is `=== title`, the note's body, a line `---->`, and one line for each thing that is read:

    heading 2 | Kontext
    wikilink | Ziel | #Teil | "dort" | as written
    tag | idee

In inputs `→` is a tab, `␍` a carriage return, `⍽` a no-break space, and `␄` stands for the missing last line end.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mindnet_pipeline.core.markdown import parse_markdown
from mindnet_pipeline.core.model import Block, Link

FOLDER = Path(__file__).parent / "fixtures" / "reading"


class Case(NamedTuple):
    """One fixture."""

    name: str
    body: str
    expected: list[str]


def load_cases() -> list[Case]:
    """All cases of the folder, in order."""
    return [case for file in sorted(FOLDER.glob("*.txt")) for case in _cases(file)]


def _cases(file: Path) -> list[Case]:
    cases = []
    for part in ("\n" + file.read_text(encoding="utf-8")).split("\n=== ")[1:]:
        title, _, rest = part.partition("\n")
        written, _, expected = rest.partition("---->\n")
        body = written.replace("→", "\t").replace("␍", "\r").replace("⍽", "\u00a0").replace("␄\n", "")
        cases.append(Case(f"{file.stem}: {title}", body, [line for line in expected.split("\n") if line]))
    return cases


def describe(body: str) -> list[str]:
    """What is read in a body, as the fixtures write it."""
    reading = parse_markdown(body)
    lines = [_describe_block(body, block) for block in reading.blocks]
    lines += [_describe_link(body, link) for link in reading.links]
    return lines + [f"tag | {tag}" for tag in reading.tags]


def _describe_block(body: str, block: Block) -> str:
    kind = f"heading {block.level}" if block.kind == "heading" else block.kind
    details = [block.title] if block.title else []
    details += [f"({block.language})"] if block.language else []
    details += [f"{len(block.items)} items"] if block.items else []
    first, last = (body.count("\n", 0, at) + 1 for at in (block.start, max(block.end - 1, block.start)))
    return " | ".join([f"{kind} @{first}" + (f"-{last}" if last > first else ""), *details])


def _describe_link(body: str, link: Link) -> str:
    name = link.syntax + (f" {link.kind}" if link.kind else "")
    name += "" if link.destination == "note" else f" ({link.destination})"
    parts = [
        name,
        link.target,
        *([f"#{link.subpath}"] if link.subpath else []),
        *([f'"{link.display}"'] if link.display else []),
    ]
    return " | ".join([*parts, body[link.start : link.end].replace("\n", "⏎")])
