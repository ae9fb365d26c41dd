"""The values that sentence patterns ask for: fixed ones of the note, and others drawn anew at each use."""

from __future__ import annotations

from random import Random

from mindnet_pipeline.making.chance import pick
from mindnet_pipeline.making.plan import NotePlan
from mindnet_pipeline.making.words import MONTHS, PEOPLE, PLACES, Noun


class Slots(dict[str, str]):
    """A mapping for `str.format_map`: the note's values are stored, people, places and numbers drawn when asked for."""

    def __init__(self, note: NotePlan, rng: Random) -> None:
        noun = note.thing.names[note.lang]
        super().__init__(
            nom=noun.nom,
            acc=noun.acc,
            dat=noun.dat,
            Nom=noun.nom[0].upper() + noun.nom[1:],
            name=note.name,
            aspect=note.aspect.nouns[note.lang],
            setting=note.setting[note.lang],
            clause=clause(note, noun),
        )
        self._note = note
        self._rng = rng

    def __missing__(self, slot: str) -> str:
        """Draw a value for a slot that changes from sentence to sentence."""
        rng, note = self._rng, self._note
        if slot == "n":
            return str(rng.randrange(12, 95))
        if slot == "m":
            return str(rng.randrange(2, 12))
        if slot == "year":
            return str(note.created.year - rng.randrange(4))
        choices = {
            "person": PEOPLE,
            "place": PLACES,
            "month": MONTHS[note.lang],
            "detail": note.theme.details[note.lang][::2],
            "other": note.theme.details[note.lang][1::2],
        }[slot]
        return pick(rng, choices)


def clause(note: NotePlan, noun: Noun) -> str:
    """What the note answers, as a clause about that noun (the thing's name or its paraphrase)."""
    return note.aspect.clauses[note.lang].format(nom=noun.nom, acc=noun.acc, dat=noun.dat)
