"""How fast notes are read, on one core: `python benchmarks/reading.py [folder of vaults]`.

For each vault: notes and MB a second, and the shares of marko's block parsing and of the inline pass. Then the time of
long bodies of one kind at two sizes: a factor near the size's own (4) means linear.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from mindnet_pipeline.core.frontmatter import split_source
from mindnet_pipeline.core.markdown import parse_markdown
from mindnet_pipeline.core.markdown.parser import VaultParser
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.settings import load_settings

GIANTS = {
    "one paragraph of prose": "Ein Satz mit Wörtern. ",
    "one paragraph with links": "Ein Satz mit [[Link|links]]. ",
    "lines of a list": "- Punkt [[Ziel]]\n",
    "rows of a table": "| a | [[b]] |\n",
    "quoted lines": "> Zeile [[Ziel]]\n",
    "edge callouts": "> [!edge] up: [[Ziel]]\n\n",
    "open wikilinks": "[[a ",
    "open brackets": "[a](",
    "backticks": "` `` ",
    "asterisks": "*a **b ",
    "dollars": "[[a]] $$ $a ",
    "angle brackets": "[[a]] <!-- <a b='",
    "definitions": "[a]: b 'c'\n",
    "fields": "(a:: [[b ",
}


def main(argv: list[str]) -> None:
    """Measure and print."""
    folder = Path(argv[0] if argv else os.environ.get("MINDNET_SHARED", ".")) / ("" if argv else "vaults")
    for vault in sorted(path for path in folder.iterdir() if path.is_dir()):
        _print_vault(vault)
    print(f"\n{'giant body':28}{'kB':>8}{'s':>8}{'MB/s':>8}{'x4 size':>9}")
    for name, part in GIANTS.items():
        head = "| a | b |\n|---|---|\n" if "table" in name else ""
        small, large = (head + part * (size // len(part)) for size in (200_000, 800_000))
        first, second = (_seconds(parse_markdown, [body]) for body in (small, large))
        print(f"{name:28}{len(large) // 1000:8}{second:8.2f}{len(large) / second / 1e6:8.2f}{second / first:9.1f}")


def _print_vault(vault: Path) -> None:
    files = [(str(path), path.read_bytes()) for path in sorted(vault.rglob("*.md"))]
    size = sum(len(data) for _, data in files) / 1e6
    if not files:
        return
    registry = load_settings({}).registry
    bodies = [split_source(data).body for _, data in files]
    whole = _seconds(lambda item: parse_note(*item, note_id="x", registry=registry), files)
    markdown = _seconds(parse_markdown, bodies)
    blocks = _seconds(VaultParser().parse, bodies)
    print(
        f"{vault.name:20}{len(files):6} notes {size:6.2f} MB {len(files) / whole:7.0f} notes/s {size / whole:6.2f} MB/s"
        f"  blocks {blocks / whole:4.0%}, inline {(markdown - blocks) / whole:4.0%}, rest {1 - markdown / whole:4.0%}"
    )


def _seconds(function: Callable[[Any], object], items: Sequence[object]) -> float:
    """Processor time, the better of two runs."""
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        for item in items:
            function(item)
        best = min(best, time.process_time() - start)
    return best


if __name__ == "__main__":
    main(sys.argv[1:])
