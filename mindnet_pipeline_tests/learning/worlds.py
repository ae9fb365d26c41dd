"""Situations made up for tests: hits with given signals, scored by the real formula."""

from __future__ import annotations

from collections.abc import Sequence

from mindnet_pipeline.learning.labels import Label
from mindnet_pipeline.learning.situations import LoggedHit, Situation
from mindnet_pipeline.retrieval.scoring import PartWeights, Signals, score

WEIGHTS = PartWeights(0.7, 0.3, 0.7, 0.02, 0.05, graph_cap=0.7, link_list_damping=0.5)
TIME = "2025-03-01T10:00:00.000+00:00"


def situation(query_id: str, query: str, signals: Sequence[Signals], shown: int = 10) -> Situation:
    """A situation whose hits are `<n>#c01`, ranked under the shipped weights."""
    scored = [(f"{number}#c01", each, score(each, WEIGHTS)) for number, each in enumerate(signals)]
    scored.sort(key=lambda row: (-row[2].total, row[0]))
    hits = tuple(
        LoggedHit(
            chunk_id, chunk_id[:-4], rank, rank if rank <= shown else 0, made.total, dict(made.parts), each
        )
        for rank, (chunk_id, each, made) in enumerate(scored, start=1)
    )  # fmt: skip
    return Situation(query_id, TIME, query, {}, "", shown, "de", "none", WEIGHTS, hits)


def label(query_id: str, chunk_id: str, rating: int) -> Label:
    """A rating of a chunk."""
    return Label(query_id, chunk_id, chunk_id, rating, "", TIME)
