"""Candidates and ties → a ranking: the signals of each candidate, put together. Pure.

In two steps, because links start from the best by text alone: first every candidate's relevance, then what ties from
the most relevant (the seeds) add.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mindnet_pipeline.retrieval import graph
from mindnet_pipeline.retrieval.candidates import Candidate, Candidates
from mindnet_pipeline.retrieval.reading import Reading
from mindnet_pipeline.retrieval.scoring import PartWeights, Score, Signals, scaled, score
from mindnet_pipeline.settings import RetrieverOptions

NO_BOOSTS: Mapping[str, float] = {}
NOT_READ: Mapping[str, Reading] = {}

_LINK = re.compile(r"\[\[[^\[\]]+\]\]")
_LINK_SHARE = 0.5
"""A chunk with more than this share of its characters inside link brackets is a list of links."""

_TRUST_POWER = 0.75
"""How fast words count less the fewer of the question's are found; docs/decisions/retrieval-weights.md says why."""


@dataclass(frozen=True, slots=True)
class Textual:
    """What the question's words and meaning say of a candidate, each in [0, 1], and both together as `relevance`."""

    semantic: float
    lexical: float
    relevance: float


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate in its place, with everything that put it there."""

    candidate: Candidate
    signals: Signals
    score: Score
    standing: graph.Standing


def textual(
    candidates: Candidates,
    options: RetrieverOptions,
    words_found: float = 1.0,
    readings: Mapping[str, Reading] = NOT_READ,
) -> dict[str, Textual]:
    """The text signals of every candidate, scaled over all of them.

    Meaning runs from the least to the most similar of the nearest neighbours, reaching lower by `reach` of the range,
    so that what a link leads to still has some relevance of its own. Words run from no match to the best match, which
    counts the less the smaller `words_found` is, the share of the question's words that it has: the only chunk with
    one word of five is no perfect match. They also count the less the fewer of them stand together in a sentence,
    and words that are nearly there count a little, where `readings` say so.
    """
    cosines = {key: c.cosine for key, c in candidates.items() if c.cosine is not None}
    words = {key: c.bm25 for key, c in candidates.items() if c.bm25 is not None}
    nearest = sorted(cosines.values(), reverse=True)[: options.candidates.dense]
    high, low = (nearest[0], nearest[-1]) if nearest else (0.0, 0.0)
    semantic = scaled(cosines, low - options.scale.reach * (high - low), high)
    lexical = scaled(words, 0.0, max(words.values(), default=0.0))
    trust = words_found**_TRUST_POWER
    lexical = {key: trust * value for key, value in lexical.items()}
    for key, reading in readings.items():
        standing = lexical.get(key, 0.0) * (1 - options.scale.spread * (1 - reading.together))
        lexical[key] = min(1.0, standing + options.scale.alike * reading.alike)
    weights = options.weights
    full = (weights.semantic if cosines else 0.0) + (weights.lexical if any(lexical.values()) else 0.0)
    found = {}
    for key in candidates:
        meaning, wording = semantic.get(key, 0.0), lexical.get(key, 0.0)
        text = weights.semantic * meaning + weights.lexical * wording
        found[key] = Textual(meaning, wording, text / full if full else 0.0)
    return found


def best_by_text(texts: Mapping[str, Textual], count: int) -> list[str]:
    """The candidates with the highest relevance, best first: the seeds from which links are followed."""
    return sorted(texts, key=lambda key: (-texts[key].relevance, key))[:count]


def rank(
    candidates: Candidates,
    texts: Mapping[str, Textual],
    ties: Sequence[graph.Tie],
    hubs: graph.Hubs,
    options: RetrieverOptions,
    type_boosts: Mapping[str, float] = NO_BOOSTS,
) -> list[Ranked]:
    """All candidates by total score, best first; equal ones in the order of their ids.

    `type_boosts` are the factors of the question's intent. They count by relevance: for what is half as relevant a
    boost is half the share of half the text.
    """
    lists = {key for key, c in candidates.items() if is_link_list(c.payload["kind"], c.payload["text"])}
    damping = options.graph.link_list_damping
    lent = {key: text.relevance * (damping if key in lists else 1.0) for key, text in texts.items()}
    standings = _standings(candidates, texts, lent, ties, hubs, options)
    weights = part_weights(options)
    ranked = []
    for key, candidate in candidates.items():
        standing = standings[key]
        signals = Signals(
            semantic=texts[key].semantic,
            lexical=texts[key].lexical,
            edge=standing.bonus,
            centrality=standing.centrality,
            retriever_weight=candidate.payload["retriever_weight"],
            link_list=key in lists,
            intent=(type_boosts.get(candidate.payload["type"], 1.0) - 1) * texts[key].relevance,
        )
        ranked.append(Ranked(candidate, signals, score(signals, weights), standing))
    return sorted(ranked, key=lambda r: (-r.score.total, r.candidate.chunk_id))


def part_weights(options: RetrieverOptions) -> PartWeights:
    """The options as the scoring takes them."""
    w, g = options.weights, options.graph
    return PartWeights(w.semantic, w.lexical, w.edge, w.centrality, w.type, g.cap, g.link_list_damping, w.intent)


def is_link_list(kind: str, text: str) -> bool:
    r"""True for a chunk that mostly names other notes: a section of links, or text that is mostly in link brackets.

    >>> is_link_list("list", "- [[Garten]]\n- [[Haus]]"), is_link_list("text", "Siehe [[Garten]] wegen der Pläne.")
    (True, False)
    """
    if kind == "links":
        return True
    inside = sum(len(link) for link in _LINK.findall(text))
    return inside > 0 and inside > _LINK_SHARE * len("".join(text.split()))


def _standings(
    candidates: Candidates,
    texts: Mapping[str, Textual],
    lent: Mapping[str, float],
    ties: Sequence[graph.Tie],
    hubs: graph.Hubs,
    options: RetrieverOptions,
) -> dict[str, graph.Standing]:
    """Each candidate's place in the graph. `lent`: lists of links say less about what they name than sentences do."""
    relevance = {key: text.relevance for key, text in texts.items()}
    seeds = set(best_by_text(texts, options.candidates.seeds))
    given = graph.contributions(candidates, relevance, lent, ties, seeds=seeds, hubs=hubs)
    central = graph.centralities({candidate.note_id for candidate in candidates.values()}, ties, hubs)
    return {
        key: graph.Standing(
            bonus=graph.saturating_sum((c.value for c in given.get(key, ())), options.graph.further),
            centrality=central.get(candidate.note_id, 0.0),
            contributions=tuple(given.get(key, ())),
        )
        for key, candidate in candidates.items()
    }
