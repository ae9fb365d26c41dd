"""A table in plain words, for the reader that is a model: each of the first rows with its column names."""

from __future__ import annotations

import re

_ROWS, _CHARACTERS = 3, 320
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]+")


def table_summary(table: str) -> str:
    r"""Header and first rows as text.

    >>> table_summary("| Ort | Höhe |\n|---|---|\n| Brocken | 1141 |\n")
    'Ort: Brocken, Höhe: 1141'
    """
    lines = [line.lstrip(" \t>").rstrip() for line in table.strip().splitlines()]
    rows = [_cells(line) for line in lines if line and not _RULE.fullmatch(line)]
    if not rows:
        return ""
    header, *body = rows
    said = [", ".join(_named(header, row)) for row in body[:_ROWS]] or [", ".join(filter(None, header))]
    summary = "; ".join(filter(None, said))
    return summary if len(summary) <= _CHARACTERS else summary[:_CHARACTERS].rsplit(" ", 1)[0] + " …"


def _cells(line: str) -> list[str]:
    cells = [cell.replace("\\|", "|").strip() for cell in _CELL_BORDER.split(line)]
    return cells[line.startswith("|") : len(cells) - (line.endswith("|") and not line.endswith("\\|"))]


def _named(header: list[str], row: list[str]) -> list[str]:
    names = [*header, *[""] * (len(row) - len(header))]
    return [f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=False) if cell]
