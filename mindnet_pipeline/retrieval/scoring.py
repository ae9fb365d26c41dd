"""How much a candidate is worth: plain numbers in, plain numbers out.

    total = semantic_weight · semantic + lexical_weight · lexical + edge_weight · edge_bonus
          + centrality_weight · centrality + type_weight · retriever_weight + intent
    intent = intent_weight · intent_signal · (semantic_weight · semantic + lexical_weight · lexical)

`semantic` and `lexical` are scaled to [0, 1] over the candidates of one question: cosines of small models lie close
together and BM25 has no upper bound, so neither means much across questions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

PARTS = ("semantic", "lexical", "edge", "centrality", "type", "intent")
"""The parts of a total, in the order of the formula."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of one candidate, all in [0, 1] where nothing else is said.

    `retriever_weight` is the preference of its note's type. `intent` in [-1, 1] is what the kind of question adds to or
    takes from the part of text, as a share of it.
    """

    semantic: float = 0.0
    lexical: float = 0.0
    edge: float = 0.0
    centrality: float = 0.0
    retriever_weight: float = 1.0
    link_list: bool = False
    intent: float = 0.0


@dataclass(frozen=True, slots=True)
class PartWeights:
    """The weight of each part, and the limits of the graph's."""

    semantic: float
    lexical: float
    edge: float
    centrality: float
    type: float
    graph_cap: float
    link_list_damping: float
    intent: float = 1.0


@dataclass(frozen=True, slots=True)
class Score:
    """A total and its parts: `math.fsum(parts.values()) == total`, exactly, because that is how the total is made."""

    total: float
    parts: Mapping[str, float]


def score(signals: Signals, weights: PartWeights) -> Score:
    """The total score of one candidate with its parts.

    What links give (edge and centrality) is at most `graph_cap` of text and links together: a link lifts what is
    relevant by itself and cannot carry what is not. A list of links gets only a share of it. The kind of question acts
    on what the text gives, so it carries nothing irrelevant either.
    """
    semantic, lexical = weights.semantic * signals.semantic, weights.lexical * signals.lexical
    edge, centrality = weights.edge * signals.edge, weights.centrality * signals.centrality
    if signals.link_list:
        edge, centrality = edge * weights.link_list_damping, centrality * weights.link_list_damping
    factor = graph_factor(semantic + lexical, edge + centrality, weights.graph_cap)
    parts = {
        "semantic": semantic,
        "lexical": lexical,
        "edge": edge * factor,
        "centrality": centrality * factor,
        "type": weights.type * signals.retriever_weight,
        "intent": weights.intent * signals.intent * (semantic + lexical),
    }
    return Score(math.fsum(parts.values()), parts)


def graph_factor(text: float, graph: float, cap: float) -> float:
    """By how much the graph's part must shrink to be at most `cap` of text and graph together.

    >>> graph_factor(0.6, 0.1, 0.35), graph_factor(0.0, 0.1, 0.35)
    (1.0, 0.0)
    """
    if cap >= 1 or graph <= 0:
        return 1.0
    return min(1.0, text * cap / (1 - cap) / graph)


def scaled(values: Mapping[str, float], low: float, high: float) -> dict[str, float]:
    """The values between `low` (0) and `high` (1), those outside cut off; all 1 where the two are one.

    >>> scaled({"a": 0.9, "b": 0.8, "c": 0.7}, 0.8, 0.9)
    {'a': 1.0, 'b': 0.0, 'c': 0.0}
    """
    if high <= low:
        return {key: 1.0 if value >= high else 0.0 for key, value in values.items()}
    return {key: min(1.0, max(0.0, (value - low) / (high - low))) for key, value in values.items()}
