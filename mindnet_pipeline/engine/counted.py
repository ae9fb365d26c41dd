"""What the invariants counted in each bucket, kept beside the data, so that unchanged files need no second count.

A count is kept with the digest of all that it hangs on, and found again only by the same digest: a changed byte, name,
type, version or model makes it unknown. Losing the file costs time, nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from mindnet_pipeline.core.model import CheckReport, Violation
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.storage.files import data_path, read_if_there, write_atomically

CHECKS_VERSION = 1
"""Raise it with every change of what a check counts: earlier counts are then unknown."""

_FILE = "counted.json"
_MOST_VIOLATIONS = 200
"""A bucket with more is counted each time, so that the file stays small."""


class Counted:
    """The counts of one data folder. `basis` is what a count hangs on."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._path = data_path(pipeline.settings.data, _FILE)
        self._known: dict[str, dict[str, list[Any]]] = _read(read_if_there(self._path))
        self._is_new = False

    def get(self, name: str, bucket: int, basis: Sequence[str]) -> CheckReport | None:
        """The report of this check on this bucket, if it was counted on the same basis."""
        digest, expected, found, violations, remedy = self._known.get(name, {}).get(str(bucket), ["", 0, 0, [], ""])
        if digest != _digest(basis):
            return None
        return CheckReport(name, "", expected, found, tuple(Violation(*each) for each in violations), remedy)

    def put(self, name: str, bucket: int, basis: Sequence[str], report: CheckReport) -> None:
        """Remember a report."""
        self._is_new = True
        of_check = self._known.setdefault(name, {})
        if len(report.violations) > _MOST_VIOLATIONS:
            of_check.pop(str(bucket), None)
            return
        violations = [[violation.subject_id, violation.message] for violation in report.violations]
        of_check[str(bucket)] = [_digest(basis), report.expected, report.found, violations, report.remedy]

    def save(self) -> None:
        """Write down what is new."""
        if self._is_new:
            write_atomically(self._path, json.dumps({"version": CHECKS_VERSION, "counts": self._known}).encode())


def _digest(basis: Sequence[str]) -> str:
    return hashlib.sha256("\x1f".join(basis).encode()).hexdigest()[:32]


def _read(stored: bytes | None) -> dict[str, dict[str, list[Any]]]:
    try:
        content = json.loads(stored or b"{}")
        counts: dict[str, dict[str, list[Any]]] = content["counts"] if content["version"] == CHECKS_VERSION else {}
    except (ValueError, KeyError, TypeError):
        return {}
    return counts
