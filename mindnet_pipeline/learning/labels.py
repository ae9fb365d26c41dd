"""A label: what someone thought of one hit, from 1 (useless) to 5 (just what was needed). Pure.

People name a question by its id, the beginning of it or `last`, and a hit by its number, chunk or note; here that is
looked up, and whoever names what is not there is told what is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import TypeAdapter

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.learning.naming import LAST, meant
from mindnet_pipeline.learning.situations import LoggedHit, Situation

LOWEST, HIGHEST = 1, 5
SHORT_ID = 8
"""So much of a question's id is shown to people; any beginning that only one question has is understood."""

_NAMED_QUESTIONS = 5


@dataclass(frozen=True, slots=True)
class Label:
    """One rating. `node_id` is the chunk or note that was named, `chunk_id` the logged hit that stands for it."""

    query_id: str
    node_id: str
    chunk_id: str
    rating: int
    note: str
    time: str


Ratings = Mapping[tuple[str, str], int]
"""The rating that holds now, by query id and chunk id."""


def parse_label(line: bytes) -> Label:
    """A logged line back as a label.

    Raises:
        ValueError: the line is none.
    """
    label = _adapter().validate_json(line)
    if not LOWEST <= label.rating <= HIGHEST:
        raise ValueError(f"rating {label.rating}")
    return label


def label_of(
    situations: Sequence[Situation], query: str, node: str, rating: int, *, note: str = "", time: str
) -> Label:
    """The label that someone meant.

    Raises:
        QueryError: there is no such question or hit, or the rating is not one; the message says what there is.
    """
    if not LOWEST <= rating <= HIGHEST:
        raise QueryError(f"A rating is a whole number from {LOWEST} (useless) to {HIGHEST} (just right), not {rating}.")
    situation = find_situation(situations, query)
    hit = find_hit(situation, node)
    named = hit.note_id if node == hit.note_id else hit.chunk_id
    return Label(situation.query_id, named, hit.chunk_id, rating, note, time)


def ratings_of(labels: Iterable[Label]) -> Ratings:
    """The rating of each hit: of several for one hit the latest holds. `labels` are in the order they were given."""
    return {(label.query_id, label.chunk_id): label.rating for label in labels}


def find_situation(situations: Sequence[Situation], written: str) -> Situation:
    """The question that is meant: `last`, its id, or a beginning that no other has."""
    if not situations:
        raise QueryError("No question is in the log yet. Ask one with `python -m mindnet_pipeline.query` first.")
    wanted = written.strip().lower()
    if wanted == LAST:
        return situations[-1]
    found = meant({each.query_id: each for each in situations}, wanted)
    if len(found) == 1:
        return found[0]
    if found:
        raise QueryError(f"`{written}` is the beginning of several questions: {_questions(found)}.")
    raise QueryError(f"No question in the log has the id `{written}`. The latest: {_questions(situations)}.")


def find_hit(situation: Situation, written: str) -> LoggedHit:
    """The hit that is meant: its number, a chunk id, or a note id (the note's best hit)."""
    shown = {str(hit.shown): hit for hit in situation.shown}
    if written in shown:
        return shown[written]
    for hit in situation.hits:
        if written in {hit.chunk_id, hit.note_id}:
            return hit
    known = ", ".join(f"{number} {hit.chunk_id}" for number, hit in shown.items()) or "none: nothing was found"
    raise QueryError(
        f"`{written}` is no hit of “{situation.query}” ({situation.query_id[:SHORT_ID]}). Its hits: {known}."
    )


def _questions(situations: Sequence[Situation]) -> str:
    latest = list(reversed(situations))[:_NAMED_QUESTIONS]
    named = ", ".join(f"{each.query_id[:SHORT_ID]} “{each.query}”" for each in latest)
    return named if len(situations) <= _NAMED_QUESTIONS else f"{named} …"


@cache
def _adapter() -> TypeAdapter[Label]:
    return TypeAdapter(Label)
