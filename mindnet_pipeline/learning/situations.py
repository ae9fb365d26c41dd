"""A situation: one question with all that decided about its hits, as it is logged. Pure.

The signals and the weights in force are kept unrounded, so that every total can be made again, exactly.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.scoring import PartWeights, Signals


@dataclass(frozen=True, slots=True)
class LoggedHit:
    """One candidate: its rank among all, its number among the hits (0: not shown), total, parts and signals."""

    chunk_id: str
    note_id: str
    rank: int
    shown: int
    score: float
    score_breakdown: Mapping[str, float]
    signals: Signals


@dataclass(frozen=True, slots=True)
class Situation:
    """One question: what was asked for, the best candidates, the weights and the model behind them.

    `time` is ISO 8601 in UTC. `hits` holds more than was shown, in the order of the ranking.
    """

    query_id: str
    time: str
    query: str
    filters: Mapping[str, Any]
    intent: str
    k: int
    language: str
    model_key: str
    weights: PartWeights
    hits: tuple[LoggedHit, ...]

    @property
    def shown(self) -> tuple[LoggedHit, ...]:
        """The hits that the asker saw, in their order."""
        return tuple(sorted((hit for hit in self.hits if hit.shown), key=lambda hit: hit.shown))


def situation_of(result: SearchResult, time: str) -> Situation | None:
    """What to log of a search; None if it carries no trace."""
    trace = result.trace
    if trace is None:
        return None
    asked = dataclasses.asdict(trace.filters)
    return Situation(
        query_id=result.query_id,
        time=time,
        query=result.query,
        filters={key: list(value) if isinstance(value, tuple) else value for key, value in asked.items() if value},
        intent=result.intent.name,
        k=trace.limit,
        language=trace.language,
        model_key=trace.model_key,
        weights=trace.weights,
        hits=tuple(
            LoggedHit(
                each.chunk_id,
                each.note_id,
                each.rank,
                each.shown,
                each.score.total,
                dict(each.score.parts),
                each.signals,
            )
            for each in trace.candidates
        ),
    )


def written(record: Any) -> str:
    """A record of the log as one line of JSON. Numbers keep every digit."""
    return json.dumps(dataclasses.asdict(record), ensure_ascii=False, separators=(",", ":"))


def parse_situation(line: bytes) -> Situation:
    """A logged line back as a situation.

    Raises:
        ValueError: the line is none (torn, or of another version).
    """
    return _adapter().validate_json(line)


@cache
def _adapter() -> TypeAdapter[Situation]:
    """Made at first use: writing to the log must not wait for it."""
    return TypeAdapter(Situation)
