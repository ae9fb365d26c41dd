"""`Where` → a filter in the JSON form of Qdrant's REST interface, which each backend turns into its own classes.

Dates are compared as instants: a bound of `2024`, `2024-03` or `2024-03-05` covers the whole year, month or day, and a
stored
value that is no ISO date never fits. A condition without any bound or value fits nothing.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.core.ids import point_id
from mindnet_pipeline.storage.vectors.protocol import Condition, Where

_PLAIN_SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
DATE_FORMS = "2024, 2024-03, 2024-03-05 or 2024-03-05T12:00"
"""How a bound may be written."""
_PARTIAL_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")


def rest_filter(where: Where | None, id_field: str = "") -> dict[str, Any] | None:
    """The filter for a `Where`; None if it asks for everything.

    `id_field` holds the logical ids: asking for some of them is asking for the points with their ids, without an index.

    Raises:
        QueryError: a bound is neither a number nor a date, or the two bounds are of different sorts.
    """
    if where is None or not (where.must or where.must_not):
        return None
    made: dict[str, Any] = {}
    if where.must:
        made["must"] = [clause for condition in where.must for clause in _clauses(condition, id_field)]
    if where.must_not:
        made["must_not"] = [_one(_clauses(condition, id_field)) for condition in where.must_not]
    return made


def with_clause(where: Mapping[str, Any] | None, key: str, values: Sequence[str]) -> dict[str, Any]:
    """A filter with the further condition that a field has one of the values."""
    given = dict(where or {})
    return {**given, "must": [*given.get("must", ()), _any_of(quoted_path(key), tuple(values))]}


def quoted_path(key: str) -> str:
    """A dotted path as Qdrant reads it: segments with blanks or letters beyond ASCII stand in quotes.

    >>> quoted_path("frontmatter.geprüft am")
    'frontmatter."geprüft am"'
    """
    return ".".join(part if _PLAIN_SEGMENT.fullmatch(part) else f'"{part}"' for part in key.split("."))


def _one(clauses: list[dict[str, Any]]) -> dict[str, Any]:
    return clauses[0] if len(clauses) == 1 else {"must": clauses}


def _clauses(condition: Condition, id_field: str) -> list[dict[str, Any]]:
    key = quoted_path(condition.key)
    clauses = []
    if condition.prefix:
        clauses.append({"key": key, "match": {"prefix": condition.prefix}})
    if condition.gte is not None or condition.lte is not None:
        clauses.append({"key": key, "range": _range(condition)})
    if condition.any_of and condition.key == id_field:
        clauses.append({"has_id": [point_id(str(logical_id)) for logical_id in condition.any_of]})
    elif condition.any_of or not clauses:
        clauses.append(_any_of(key, condition.any_of))
    return clauses


def _any_of(key: str, values: tuple[str | int | bool, ...]) -> dict[str, Any]:
    texts = [v for v in values if isinstance(v, str)]
    flags = [v for v in values if isinstance(v, bool)]
    numbers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    options: list[dict[str, Any]] = [{"key": key, "match": {"any": group}} for group in (texts, numbers) if group]
    options += [{"key": key, "match": {"value": flag}} for flag in dict.fromkeys(flags)]
    if not options:
        return {"has_id": []}
    return options[0] if len(options) == 1 else {"should": options}


def _range(condition: Condition) -> Mapping[str, str | float]:
    bounds = {name: bound for name, bound in (("gte", condition.gte), ("lte", condition.lte)) if bound is not None}
    if all(isinstance(bound, str) for bound in bounds.values()):
        return {name: instant(str(bound), condition.key, last=name == "lte") for name, bound in bounds.items()}
    if any(isinstance(bound, str) for bound in bounds.values()):
        raise QueryError(
            f"{condition.key}: one bound is a number, the other a date ({condition.gte}, {condition.lte})."
        )
    return {name: float(bound) for name, bound in bounds.items()}


def instant(text: str, name: str, *, last: bool) -> str:
    """The first or last moment of a year, month or day; a full date-time as it is.

    Raises:
        QueryError: it is no date; the message names the bound by `name`.
    """
    try:
        if match := _PARTIAL_DATE.fullmatch(text.strip()):
            year, month, day = (int(part) if part else None for part in match.groups())
            return _edge_of(year or 0, month, day, last=last)
        return datetime.fromisoformat(text.strip()).isoformat()  # an instant without a zone is UTC, as Qdrant reads it
    except ValueError:
        raise QueryError(f"{name}: `{text}` is not a date. Write {DATE_FORMS}.") from None


def _edge_of(year: int, month: int | None, day: int | None, *, last: bool) -> str:
    month = month or (12 if last else 1)
    day = day or (calendar.monthrange(year, month)[1] if last else 1)
    time = (23, 59, 59, 999_999) if last else (0, 0, 0, 0)
    return datetime(year, month, day, *time).isoformat()  # noqa: DTZ001 - Qdrant reads instants without a zone as UTC
