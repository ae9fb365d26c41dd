"""What people look at in the UI: Markdown previews, bar charts, capped tables, column schemas."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import dagster as dg
import pyarrow as pa

from mindnet_pipeline.core.model import CheckReport

_BAR_WIDTH = 28
_SAMPLE = 20


def column_schema(schema: pa.Schema) -> dg.TableSchema:
    """A table's columns as Dagster shows them."""
    return dg.TableSchema([dg.TableColumn(field.name, str(field.type)) for field in schema])


def bars(counts: Mapping[str, float], header: tuple[str, str]) -> dg.MarkdownMetadataValue:
    """A bar chart as a Markdown table: name, bar, figure, in the order given."""
    largest = max(counts.values(), default=0) or 1
    lines = [f"| {header[0]} | | {header[1]} |", "|---|---|---:|"]
    lines += [f"| {_cell(name)} | {_bar(value / largest)} | {value:,} |" for name, value in counts.items()]
    return dg.MetadataValue.md("\n".join(lines) if counts else "nothing yet")


def histogram(values: Sequence[int], width: int, header: tuple[str, str]) -> dg.MarkdownMetadataValue:
    """How many values fall into each interval of `width`."""
    counts: dict[int, int] = {}
    for value in values:
        counts[value // width] = counts.get(value // width, 0) + 1
    named = {
        f"{step * width}–{step * width + width - 1}": counts.get(step, 0)
        for step in (range(max(counts) + 1) if counts else ())
    }
    return bars(named, header)


def preview(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> dg.MarkdownMetadataValue:
    """The first rows as a Markdown table, cells cut to a line."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(_cell(row[name]) for name in columns) + " |" for row in rows]
    return dg.MetadataValue.md("\n".join(lines))


def check_metadata(report: CheckReport) -> dict[str, Any]:
    """Exact counts, a capped sorted sample of the violations, and what to do."""
    metadata: dict[str, Any] = {
        "expected": report.expected,
        "found": report.found,
        "violations": len(report.violations),
    }
    if report.looked_at:
        metadata["looked_at"] = report.looked_at
    if report.violations:
        metadata["remedy"] = report.remedy
        metadata["sample"] = dg.MetadataValue.table(
            [
                dg.TableRecord({"subject": violation.subject_id, "problem": violation.message})
                for violation in report.violations[:_SAMPLE]
            ],
            schema=dg.TableSchema([dg.TableColumn("subject"), dg.TableColumn("problem")]),
        )
    return metadata


def trend(history: Sequence[Mapping[str, Any]], columns: Sequence[str], last: int = 15) -> dg.MarkdownMetadataValue:
    """The latest runs as a table with a spark line per column above it."""
    recent = list(history)[-last:]
    lines = ["| | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    lines.append("| **trend** | " + " | ".join(_spark([row[name] or 0 for row in recent]) for name in columns) + " |")
    lines += [
        f"| {row['finished_at'][:16].replace('T', ' ')} | "
        + " | ".join(f"{row[name] or 0:,}" for name in columns)
        + " |"
        for row in reversed(recent)
    ]
    return dg.MetadataValue.md("\n".join(lines) if recent else "no runs yet")


def _spark(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    levels = "▁▂▃▄▅▆▇█"
    return "".join(levels[round((value - low) / (high - low) * 7)] if high > low else levels[3] for value in values)


def _bar(share: float) -> str:
    return "█" * max(1, round(share * _BAR_WIDTH)) if share > 0 else ""


def _cell(value: Any) -> str:
    text = " ".join(str(value).split()).replace("|", "\\|").replace("[[", "[&#91;").replace("`", "'")
    return text if len(text) <= 90 else text[:89] + "…"
