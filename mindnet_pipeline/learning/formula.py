"""The score formula over many candidates at once, for learning its weights. Pure.

`retrieval/scoring.py` says what the formula is and why; this is the same in columns, and a test holds the two together.
Signals are taken as they were logged: what other weights would have done to the choice of seeds, and so to the links'
bonus, is not in a log. That is why weights are also tried on the golden questions before they are proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.retrieval.scoring import PartWeights, Signals

Floats = npt.NDArray[np.float64]

_NUMBERS = ("semantic", "lexical", "edge", "centrality", "retriever_weight", "intent")


@dataclass(frozen=True, slots=True)
class SignalColumns:
    """The signals of many candidates, one array a signal."""

    semantic: Floats
    lexical: Floats
    edge: Floats
    centrality: Floats
    retriever_weight: Floats
    intent: Floats
    link_list: npt.NDArray[np.bool_]


def columns(signals: Sequence[Signals]) -> SignalColumns:
    """The signals in columns, in their order."""

    def column(name: str) -> Floats:
        return np.array([getattr(each, name) for each in signals], dtype=np.float64)

    return SignalColumns(
        **{name: column(name) for name in _NUMBERS},
        link_list=np.array([each.link_list for each in signals], dtype=np.bool_),
    )


def totals(signals: SignalColumns, weights: PartWeights) -> Floats:
    """Every candidate's total score under these weights."""
    text = weights.semantic * signals.semantic + weights.lexical * signals.lexical
    links = weights.edge * signals.edge + weights.centrality * signals.centrality
    links = links * np.where(signals.link_list, weights.link_list_damping, 1.0)
    if weights.graph_cap < 1:
        links = np.minimum(links, text * weights.graph_cap / (1 - weights.graph_cap))
    made: Floats = text * (1 + weights.intent * signals.intent) + links + weights.type * signals.retriever_weight
    return made
