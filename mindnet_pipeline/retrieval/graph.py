"""What links say of candidates: who points at them, how strongly, and how much such a link is worth.

An edge is read in the direction in which it was written; symmetric kinds both ways. Only the best candidates (the
seeds) lend relevance, each at most once to a target, however many edges and type defaults lead there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mindnet_pipeline.core.ids import fold
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.retrieval.candidates import Candidate
from mindnet_pipeline.storage.vectors.protocol import Condition, StoreReader, Where

EDGE_FIELDS = (
    "kind",
    "scope",
    "source_id",
    "target_id",
    "note_id",
    "provenance",
    "confidence",
    "target_section",
)
_UNKNOWN_KIND_WEIGHT = 0.5
_HUB = 100
"""A note that more notes name is a hub: who names it says little, and asking costs time."""
_CONTENT = Where(must=(Condition("provenance", any_of=("explicit", "rule")), Condition("status", any_of=("ok",))))


@dataclass(frozen=True, slots=True)
class Tie:
    """One edge as it counts in search: from a note (and chunk, `""` for the whole note) to a note (and a place in it).

    `strength` in [0, 1] is confidence x provenance weight x kind weight. `against`: a symmetric edge read backwards.
    """

    source_note: str
    source_chunk: str
    target_note: str
    target_chunk: str
    target_section: str
    kind: str
    strength: float
    against: bool = False


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one tie gave to a candidate: `value` in [0, 1)."""

    tie: Tie
    value: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A candidate's place in the graph: `bonus` and `centrality` in [0, 1], the ties behind the bonus, best first."""

    bonus: float = 0.0
    centrality: float = 0.0
    contributions: tuple[Contribution, ...] = ()


@dataclass(frozen=True, slots=True)
class Hubs:
    """How many notes name each note in the whole vault, and how much that damps."""

    linking_counts: Mapping[str, int]
    damping: float

    def divisor(self, note_id: str) -> float:
        """What a link to the note is divided by: at least 1, growing with the logarithm of the linking notes."""
        return 1 + self.damping * math.log(1 + max(1, self.linking_counts.get(note_id, 1)))


def edges_from(reader: StoreReader, source_ids: Iterable[str]) -> list[Mapping[str, Any]]:
    """The content edges that these chunks and notes have written, in one request."""
    return _edges(reader, source_id=source_ids)


def edges_to(reader: StoreReader, target_ids: Iterable[str]) -> list[Mapping[str, Any]]:
    """The content edges that lead to these notes, in one request. Not for hubs: edges cost time."""
    return _edges(reader, target_id=target_ids)


def edges_to_all_but_hubs(
    reader: StoreReader, target_ids: Collection[str], kinds: Collection[str]
) -> list[Mapping[str, Any]]:
    """The content edges of these kinds that lead to these notes; those of hubs are left out if they are many."""
    if not target_ids or not kinds:
        return []
    where = replace(_CONTENT, must=(_any_of("target_id", target_ids), _any_of("kind", kinds), *_CONTENT.must))
    if reader.count("edges", where) > _HUB * len(target_ids):
        counts = linking_counts(reader, target_ids)
        target_ids = [note for note in target_ids if counts[note] <= _HUB]
    return _edges(reader, target_id=target_ids, kind=kinds)


def edges_between(reader: StoreReader, source_ids: Iterable[str], target_ids: Iterable[str]) -> list[Mapping[str, Any]]:
    """The content edges from any of these chunks and notes to any of these notes, in one request."""
    return _edges(reader, source_id=source_ids, target_id=target_ids)


def linking_counts(reader: StoreReader, note_ids: Collection[str]) -> dict[str, int]:
    """How many notes name each note in their body: its backlinks, counted on the store's index in one request."""
    counts = reader.tally("edges", "source_id", list(note_ids), Where(must=(Condition("kind", ("backlink",)),)))
    return {note: counts.get(note, 0) for note in note_ids}


def _edges(reader: StoreReader, **ids: Iterable[str]) -> list[Mapping[str, Any]]:
    wanted = tuple(_any_of(key, some) for key, some in ids.items())
    if not all(condition.any_of for condition in wanted):
        return []
    where = replace(_CONTENT, must=(*wanted, *_CONTENT.must))
    return [found.payload for found in reader.lookup("edges", where, fields=EDGE_FIELDS)]


def _any_of(key: str, values: Iterable[str]) -> Condition:
    return Condition(key, any_of=tuple(sorted(set(values))))


def ties(edges: Iterable[Mapping[str, Any]], registry: Registry, provenance: Mapping[str, float]) -> list[Tie]:
    """The edges as ties, symmetric ones both ways, without a note's links to itself and without repetition."""
    found: dict[tuple[str, ...], Tie] = {}
    for edge in edges:
        for tie in _readings(edge, registry, provenance):
            if tie.source_note != tie.target_note:
                found[tie.source_note, tie.source_chunk, tie.target_note, tie.target_chunk, tie.kind] = tie
    return list(found.values())


def _readings(edge: Mapping[str, Any], registry: Registry, provenance: Mapping[str, float]) -> list[Tie]:
    relation = registry.relations.get(edge["kind"])
    weight = relation.weight if relation else _UNKNOWN_KIND_WEIGHT
    strength = edge["confidence"] * provenance.get(edge["provenance"], 0.0) * weight
    owner, target = edge["note_id"], edge["target_id"]
    source_chunk = edge["source_id"] if edge["scope"] == "chunk" else ""
    forward = Tie(owner, source_chunk, target, "", edge["target_section"] or "", edge["kind"], strength)
    if relation is None or not relation.symmetric:
        return [forward]
    return [forward, Tie(target, "", owner, source_chunk, "", edge["kind"], strength, against=True)]


def boosted(all_ties: Iterable[Tie], factors: Mapping[str, float]) -> list[Tie]:
    """The ties with their strength times the factor of their kind, at most 1."""
    return [replace(t, strength=min(1.0, t.strength * factors[t.kind])) if t.kind in factors else t for t in all_ties]


def strongest_targets(all_ties: Iterable[Tie], *, sources: Collection[str], known: Collection[str]) -> list[str]:
    """The notes one tie away from the sources and not known yet, the most strongly tied first."""
    found: dict[str, float] = {}
    for tie in all_ties:
        if tie.source_note in sources and tie.target_note not in known:
            found[tie.target_note] = max(tie.strength, found.get(tie.target_note, 0.0))
    return sorted(found, key=lambda note: (-found[note], note))


def named_chunks(reader: StoreReader, all_ties: Collection[Tie], notes: Collection[str]) -> list[tuple[str, ...]]:
    """What ties name within these notes: a chunk, or the chunks under a heading.

    One request, none where no heading is named. One that is not there is left out: such a tie counts for its note.
    """
    sections = sorted(
        {(t.target_note, t.target_section) for t in all_ties if t.target_section and t.target_note in notes}
    )
    chunks = sorted({t.target_chunk for t in all_ties if t.target_chunk and t.target_note in notes})
    where = Where((_any_of("note_id", (note for note, _ in sections)),))
    there = reader.lookup("chunks", where, fields=("note_id", "section_path", "text")) if sections else []
    below = [
        tuple(c.logical_id for c in there if c.payload["note_id"] == note and is_at(section, c.payload))
        for note, section in sections
    ]
    return [*((chunk,) for chunk in chunks), *(ids for ids in below if ids)]


def contributions(
    candidates: Mapping[str, Candidate],
    relevance: Mapping[str, float],
    lent: Mapping[str, float],
    all_ties: Iterable[Tie],
    *,
    seeds: Collection[str],
    hubs: Hubs,
) -> dict[str, list[Contribution]]:
    """What ties from the seeds give to each candidate: the strongest tie of each linking note, best first.

    `relevance` is every candidate's own score in [0, 1], `lent` what it lends to others. A target that many notes point
    at gains less from each.
    """
    chunks = _chunks_by_note(candidates, relevance)
    best: dict[tuple[str, str], Contribution] = {}
    for tie in all_ties:
        source = _lent_by_source(tie, chunks, lent, seeds)
        target = _target(tie, chunks)
        if not source or target is None:
            continue
        value = tie.strength * source / hubs.divisor(tie.target_note)
        key = (target.chunk_id, tie.source_note)
        if key not in best or value > best[key].value:
            best[key] = Contribution(tie, value)
    found: dict[str, list[Contribution]] = defaultdict(list)
    for (chunk_id, _), contribution in sorted(best.items(), key=lambda item: (-item[1].value, item[0])):
        found[chunk_id].append(contribution)
    return found


def saturating_sum(values: Iterable[float], further: float = 1.0) -> float:
    """Values in [0, 1], the largest first, added so that the sum stays below 1: `1 - (1 - a)(1 - f·b)(1 - f·f·c)…`.

    `further` is the share that each next value counts of the one before it: 1 for all alike, 0 for the largest alone.

    >>> saturating_sum([0.5, 0.5]), saturating_sum([0.5, 0.5], 0.0), saturating_sum([])
    (0.75, 0.5, 0.0)
    """
    left, share = 1.0, 1.0
    for value in values:
        left *= 1 - share * value
        share *= further
    return 1 - left


def centralities(note_ids: Collection[str], all_ties: Iterable[Tie], hubs: Hubs) -> dict[str, float]:
    """How well linked each note is with the best candidates, in [0, 1]: 1 for the best.

    A note that the whole vault points at (a hub) is linked with any candidates by chance and is damped.
    """
    partners: dict[str, set[str]] = defaultdict(set)
    for tie in all_ties:
        if tie.source_note in note_ids and tie.target_note in note_ids:
            partners[tie.source_note].add(tie.target_note)
            partners[tie.target_note].add(tie.source_note)
    damped = {note: len(linked) / hubs.divisor(note) for note, linked in partners.items()}
    highest = max(damped.values(), default=0.0)
    return {note: value / highest for note, value in damped.items()} if highest else {}


def _chunks_by_note(candidates: Mapping[str, Candidate], relevance: Mapping[str, float]) -> dict[str, list[Candidate]]:
    """Each note's candidates, the most relevant first."""
    ordered = sorted(candidates.values(), key=lambda c: (-relevance.get(c.chunk_id, 0.0), c.payload["chunk_index"]))
    by_note: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in ordered:
        by_note[candidate.note_id].append(candidate)
    return by_note


def _lent_by_source(
    tie: Tie, chunks: Mapping[str, Sequence[Candidate]], lent: Mapping[str, float], seeds: Collection[str]
) -> float:
    """What the tie's source can lend: what its chunk can, of a whole note what its best chunk can; 0 if no seed."""
    if tie.source_chunk:
        return lent.get(tie.source_chunk, 0.0) if tie.source_chunk in seeds else 0.0
    own = [lent[c.chunk_id] for c in chunks.get(tie.source_note, ()) if c.chunk_id in seeds]
    return max(own, default=0.0)


def _target(tie: Tie, chunks: Mapping[str, Sequence[Candidate]]) -> Candidate | None:
    """The candidate that the tie leads to: the named chunk, the chunk under the named heading, else the note's best."""
    own = chunks.get(tie.target_note, ())
    if tie.target_chunk:
        return next((c for c in own if c.chunk_id == tie.target_chunk), None)
    if tie.target_section:
        return next((c for c in own if is_at(tie.target_section, c.payload)), own[0] if own else None)
    return own[0] if own else None


def is_at(subpath: str, chunk: Mapping[str, Any]) -> bool:
    """True if the chunk is what a link's `#Heading`, `#A#B` or `#^block` leads to.

    >>> is_at("Ziele", {"section_path": ["Plan", "Ziele"], "text": ""})
    True
    """
    if subpath.startswith("^"):
        return any(line.rstrip().endswith(subpath) for line in chunk["text"].splitlines())
    return fold(subpath.rsplit("#", 1)[-1]) in [fold(title) for title in chunk["section_path"]]
