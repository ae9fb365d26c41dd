"""What the graph knows of the hits, for people: who refers to a hit and what it refers to, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.retrieval import graph
from mindnet_pipeline.storage.vectors.protocol import Condition, StoreReader, Where

_NAMED = 3
"""So many notes are named in a sentence."""
_ALL_LOOKED_AT = 30
"""Of a note that more notes name, only those among the hits are looked at: reading the others costs time."""


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

    Only those that a sentence can name are here: of the incoming ones the first that lifted the hit (`value` above 0)
    and one that did not. The counts are of all.
    """

    incoming: tuple[Mention, ...] = ()
    incoming_count: int = 0
    lifting_count: int = 0
    outgoing: tuple[Mention, ...] = ()
    outgoing_count: int = 0


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
    counts = graph.linking_counts(reader, notes)
    few = [note for note, count in counts.items() if count <= _ALL_LOOKED_AT]
    edges = [
        *graph.edges_to(reader, few),
        *graph.edges_between(reader, own | lending, notes.difference(few)),
        *graph.edges_from(reader, own),
    ]
    ties = graph.ties(edges, registry, provenance)
    found = {place.chunk_id: (_incoming(place, ties), _outgoing(place, ties)) for place in places}
    shown = {key: (_told(incoming), outgoing[:_NAMED]) for key, (incoming, outgoing) in found.items()}
    names = _names(reader, {each.note for sides in shown.values() for side in sides for each in side})
    made = {}
    for place in places:
        incoming, outgoing = found[place.chunk_id]
        made[place.chunk_id] = Evidence(
            incoming=_mentions(shown[place.chunk_id][0], names),
            incoming_count=max(counts[place.note_id], len(incoming)),
            lifting_count=sum(each.value > 0 for each in incoming),
            outgoing=_mentions(shown[place.chunk_id][1], names),
            outgoing_count=len(outgoing),
        )
    return made


class _Partner(NamedTuple):
    """Another note and the strongest tie with it."""

    note: str
    value: float
    strength: float
    kind: str


def _incoming(place: Place, ties: Iterable[graph.Tie]) -> list[_Partner]:
    """The notes that refer to the hit, those that gave it something first, then the strongest."""
    given = {c.tie.source_note: c for c in place.contributions}
    found = []
    for tie in ties:
        if tie.target_note == place.note_id and tie.target_chunk in {"", place.chunk_id}:
            gift = given.get(tie.source_note)
            value = gift.value if gift and gift.tie.kind == tie.kind else 0.0
            found.append(_Partner(tie.source_note, value, tie.strength, tie.kind))
    return _best_by_note(found)


def _outgoing(place: Place, ties: Iterable[graph.Tie]) -> list[_Partner]:
    """The notes that the hit refers to, the most strongly tied first."""
    return _best_by_note(
        _Partner(tie.target_note, 0.0, tie.strength, tie.kind)
        for tie in ties
        if not tie.against
        and (tie.source_chunk == place.chunk_id or (not tie.source_chunk and tie.source_note == place.note_id))
    )


def _best_by_note(found: Iterable[_Partner]) -> list[_Partner]:
    best: dict[str, _Partner] = {}
    for each in found:
        if each.note not in best or each[1:] > best[each.note][1:]:
            best[each.note] = each
    return sorted(best.values(), key=lambda each: (-each.value, -each.strength, each.note))


def _told(incoming: Sequence[_Partner]) -> list[_Partner]:
    lifting = [each for each in incoming if each.value > 0]
    others = [each for each in incoming if each.value == 0]
    return lifting[:_NAMED] + others[:1]


def _mentions(partners: Sequence[_Partner], names: Mapping[str, tuple[str, str]]) -> tuple[Mention, ...]:
    named = [each for each in partners if each.note in names]
    return tuple(Mention(each.note, *names[each.note], kind=each.kind, value=each.value) for each in named)


def _names(reader: StoreReader, note_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Title and type of each note."""
    where = Where(must=(Condition("note_id", any_of=tuple(sorted(note_ids))),))
    found = reader.lookup("notes", where, fields=("note_id", "title", "type")) if note_ids else []
    return {note.payload["note_id"]: (note.payload["title"], note.payload["type"]) for note in found}
