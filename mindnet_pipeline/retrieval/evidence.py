"""What the graph knows of the hits, for people: who refers to a hit and what it refers to, by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.retrieval import graph
from mindnet_pipeline.storage.vectors.protocol import Condition, StoreReader, Where


@dataclass(frozen=True, slots=True)
class Mention:
    """Another note that a tie connects with a hit. `value` is what the tie gave to the hit's score, 0 if nothing."""

    note_id: str
    title: str
    type: str
    kind: str
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """Notes that refer to a hit's note, and notes that the hit refers to; each note once, the strongest first.

    `incoming_count` is the number of all notes that refer to it; `incoming` may name fewer of a hub's.
    """

    incoming: tuple[Mention, ...] = ()
    incoming_count: int = 0
    outgoing: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a hit is in the graph, and what ties from relevant hits gave to it."""

    chunk_id: str
    note_id: str
    contributions: Sequence[graph.Contribution] = field(default=())


def gather(
    reader: StoreReader, places: Sequence[Place], registry: Registry, provenance: Mapping[str, float]
) -> dict[str, Evidence]:
    """The evidence for each hit by chunk id. Of a hub only notes among the hits and contributing ones are named."""
    notes = {place.note_id for place in places}
    own = notes | {place.chunk_id for place in places}
    lending = {tie.source_chunk or tie.source_note for p in places for tie in (c.tie for c in p.contributions)}
    edges = [
        *graph.edges_to(reader, graph.without_hubs(reader, notes)),
        *graph.edges_between(reader, own | lending, notes),
        *graph.edges_from(reader, own),
    ]
    counts = graph.linking_counts(reader, notes)
    ties = graph.ties(edges, registry, provenance)
    names = _names(reader, {note for tie in ties for note in (tie.source_note, tie.target_note)})
    return {place.chunk_id: _evidence(place, ties, names, counts[place.note_id]) for place in places}


def _evidence(place: Place, ties: Iterable[graph.Tie], names: Mapping[str, tuple[str, str]], linking: int) -> Evidence:
    values = {c.tie.source_note: c for c in place.contributions}
    incoming: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    outgoing: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for tie in ties:
        if tie.target_note == place.note_id and tie.target_chunk in {"", place.chunk_id}:
            given = values.get(tie.source_note)
            value = given.value if given and given.tie.kind == tie.kind else 0.0
            incoming[tie.source_note].append((value, tie.strength, tie.kind))
        own = tie.source_chunk == place.chunk_id or (not tie.source_chunk and tie.source_note == place.note_id)
        if own and not tie.against:
            outgoing[tie.target_note].append((0.0, tie.strength, tie.kind))
    mentions = _mentions(incoming, names)
    return Evidence(mentions, max(linking, len(mentions)), _mentions(outgoing, names))


def _mentions(
    found: Mapping[str, list[tuple[float, float, str]]], names: Mapping[str, tuple[str, str]]
) -> tuple[Mention, ...]:
    best = {note: max(ties) for note, ties in found.items() if note in names}
    order = sorted(best, key=lambda note: (-best[note][0], -best[note][1], names[note], note))
    return tuple(Mention(note, *names[note], kind=best[note][2], value=best[note][0]) for note in order)


def _names(reader: StoreReader, note_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Title and type of each note."""
    where = Where(must=(Condition("note_id", any_of=tuple(sorted(note_ids))),))
    found = reader.lookup("notes", where, fields=("note_id", "title", "type")) if note_ids else []
    return {note.payload["note_id"]: (note.payload["title"], note.payload["type"]) for note in found}
