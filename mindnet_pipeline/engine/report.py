"""What a step says it did: small figures per note for the partitions, sums for the run, sentences for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepReport:
    """`per_note` are figures by note id, `totals` sums over the run, `notices` (note id or path, sentence)."""

    per_note: Mapping[str, Mapping[str, int]]
    totals: Mapping[str, int]
    notices: tuple[tuple[str, str], ...] = ()
