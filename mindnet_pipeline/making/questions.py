"""Questions about a made-up vault whose answers are known: what a search over it must find.

Four categories: `keyword` asks with the note's rare name, `conceptual` paraphrases thing and aspect, `linked` asks for
what stands in a note that the named one depends on, `cross-lingual` is conceptual in the other language.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from mindnet_pipeline.making.chance import chance
from mindnet_pipeline.making.compose import dependency, fact
from mindnet_pipeline.making.plan import NotePlan, plan_vault
from mindnet_pipeline.making.words import Lang

_LINKED: dict[Lang, str] = {
    "de": "Wovon hängt {} ab, und was steht dort?",
    "en": "What does {} depend on, and what does that note say?",
}
_ASK: dict[Lang, str] = {
    "de": "Ich suche eine Notiz dazu, {clause} ({setting}).",
    "en": "Find out {clause} ({setting}).",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the notes that answer it: (path, grade), 2 for the answer, 1 for what leads to it."""

    id: str
    question: str
    category: str
    lang: Lang
    relevant: tuple[tuple[str, int], ...]

    def as_golden(self) -> dict[str, Any]:
        """The entry in the form of config/golden.yaml."""
        return {
            "id": self.id,
            "question": self.question,
            "category": self.category,
            "lang": self.lang,
            "relevant": [{"path": path, "grade": grade} for path, grade in self.relevant],
        }


def questions(seed: int, notes: int, count: int) -> list[Question]:
    """`count` questions (fewer if the vault is too small) on the vault that the same seed and number of notes give."""
    plan = plan_vault(seed, notes)
    rng = chance("questions", seed)
    makers = [_keyword(rng, plan, seed), _conceptual(rng, plan), _linked(rng, plan), _cross_lingual(rng, plan)]
    found: list[Question] = []
    while makers and len(found) < count:
        maker = makers.pop(0)
        if (question := next(maker, None)) is not None:
            found.append(question)
            makers.append(maker)
    return found


def _shuffled(rng: Random, plan: list[NotePlan]) -> list[NotePlan]:
    return rng.sample(plan, len(plan))


def _keyword(rng: Random, plan: list[NotePlan], seed: int) -> Iterator[Question]:
    for note in _shuffled(rng, plan):
        yield Question(f"keyword-{note.index}", fact(note, seed)[1], "keyword", note.lang, ((note.path, 2),))


def _conceptual(rng: Random, plan: list[NotePlan]) -> Iterator[Question]:
    for note in _shuffled(rng, plan):
        yield Question(
            f"conceptual-{note.index}", _described(note, note.lang), "conceptual", note.lang, ((note.path, 2),)
        )


def _cross_lingual(rng: Random, plan: list[NotePlan]) -> Iterator[Question]:
    for note in _shuffled(rng, plan):
        other: Lang = "en" if note.lang == "de" else "de"
        yield Question(f"cross-{note.index}", _described(note, other), "cross-lingual", other, ((note.path, 2),))


def _linked(rng: Random, plan: list[NotePlan]) -> Iterator[Question]:
    for note in _shuffled(rng, plan):
        if (target := dependency(note)) is not None:
            relevant = ((plan[target].path, 2), (note.path, 1))
            yield Question(f"linked-{note.index}", _LINKED[note.lang].format(note.name), "linked", note.lang, relevant)


def _described(note: NotePlan, lang: Lang) -> str:
    noun = note.thing.paraphrases[lang]
    clause = note.aspect.clauses[lang].format(nom=noun.nom, acc=noun.acc, dat=noun.dat)
    return _ASK[lang].format(clause=clause, setting=note.setting[lang])
