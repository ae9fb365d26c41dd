"""Hits → a ranking of judged places. Pure.

Each relevant place counts once, at its first hit: a second chunk of the same place is no second find.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from mindnet_pipeline.core.ids import fold
from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.evaluation.golden import GoldenQuestion, Relevant


def grades_of(relevant: Iterable[Relevant]) -> dict[str, float]:
    """The grade of each place."""
    return {place_id(place): place.grade for place in relevant}


def judged(hits: Iterable[Hit], relevant: Sequence[Relevant]) -> list[str]:
    """The hits as ids of places, best first; a hit that is at no place, or only at known ones, has its chunk's id."""
    ranking: list[str] = []
    for hit in hits:
        here = [place for place in relevant if is_at(hit, place) and place_id(place) not in ranking]
        best = max(here, key=lambda place: place.grade, default=None)
        ranking.append(place_id(best) if best else f"chunk:{hit.chunk_id}")
    return ranking


def is_at(hit: Hit, place: Relevant) -> bool:
    """True if the hit is in the note and, if one is named, in the section."""
    if fold(hit.path) != fold(place.path):
        return False
    return not place.section or fold(place.section) in [fold(title) for title in hit.section_path]


def places_of(questions: Iterable[GoldenQuestion]) -> list[Relevant]:
    """Every place that answers one of the questions, each once, in order."""
    return list({place_id(place): place for question in questions for place in question.relevant}.values())


def missing(places: Iterable[Relevant], sections: Mapping[str, Collection[str]]) -> list[Relevant]:
    """The places that an index does not have: no hit can ever be there.

    `sections` are the titles of the sections by the path of their note, both folded.
    """
    return [place for place in places if not _is_there(place, sections.get(fold(place.path)))]


def _is_there(place: Relevant, titles: Collection[str] | None) -> bool:
    return titles is not None and (not place.section or fold(place.section) in titles)


def place_id(place: Relevant) -> str:
    """The id of a place: its path and section."""
    return f"place:{fold(place.path)}#{fold(place.section)}"
