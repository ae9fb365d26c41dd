"""The vocabulary as values, and the grammar that the sentence patterns need: articles by case, names from numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from mindnet_pipeline.making import vocabulary

Lang = Literal["de", "en"]

_CASES = {"der": ("der", "den", "dem"), "die": ("die", "die", "der"), "das": ("das", "das", "dem")}
_STARTS = re.findall(r"\w+", "b br d dr f fl g gr h j k kl kr l m n p pl qu r s st t tr v w z")
_VOWELS = ("a", "e", "i", "o", "u", "ei", "au")
_ENDS = ("", "l", "n", "r", "s", "lm", "nd", "rt")


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun with its article, in one language: `nom`, `acc` and `dat` carry the article, `bare` does not."""

    bare: str
    nom: str
    acc: str
    dat: str


@dataclass(frozen=True, slots=True)
class Thing:
    """What a note is about, under its name and under a paraphrase that shares no word with it."""

    names: dict[Lang, Noun]
    paraphrases: dict[Lang, Noun]


@dataclass(frozen=True, slots=True)
class Theme:
    """A field of interest: a cluster of notes with a folder and words of its own."""

    folders: dict[Lang, str]
    things: tuple[Thing, ...]
    details: dict[Lang, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Aspect:
    """What a note says of its thing: the noun for the title and a clause that says it in other words."""

    nouns: dict[Lang, str]
    clauses: dict[Lang, str]


def _cells(line: str, separator: str = "|") -> list[str]:
    return [cell.strip() for cell in line.split(separator)]


def _german(written: str) -> Noun:
    article, _, bare = written.partition(" ")
    nom, acc, dat = (f"{form} {bare}" for form in _CASES[article])
    return Noun(bare, nom, acc, dat)


def _english(written: str) -> Noun:
    with_article = f"the {written}"
    return Noun(written[0].upper() + written[1:], with_article, with_article, with_article)


def _thing(line: str) -> Thing:
    german, english = _cells(line)
    (de, de_other), (en, en_other) = _cells(german, "/"), _cells(english, "/")
    return Thing({"de": _german(de), "en": _english(en)}, {"de": _german(de_other), "en": _english(en_other)})


def _theme(block: str) -> Theme:
    head, *things, words_de, words_en = block.strip().splitlines()
    _, de, en = _cells(head)
    return Theme(
        folders={"de": de, "en": en},
        things=tuple(_thing(line) for line in things),
        details={"de": tuple(_cells(words_de, ",")), "en": tuple(_cells(words_en, ","))},
    )


def _aspect(line: str) -> Aspect:
    noun_de, clause_de, noun_en, clause_en = _cells(line)
    return Aspect({"de": noun_de, "en": noun_en}, {"de": clause_de, "en": clause_en})


def _setting(line: str) -> dict[Lang, str]:
    de, en = _cells(line)
    return {"de": de, "en": en}


THEMES = tuple(_theme(block) for block in vocabulary.THEMES.strip().split("\n\n"))
ASPECTS = tuple(_aspect(line) for line in vocabulary.ASPECTS.strip().splitlines())
SETTINGS = tuple(_setting(line) for line in vocabulary.SETTINGS.strip().splitlines())
PEOPLE = tuple(f"{a} {b}" for a in vocabulary.FIRST_NAMES.split() for b in vocabulary.LAST_NAMES.split())
PLACES = tuple(vocabulary.PLACES.split())
MONTHS: dict[Lang, tuple[str, ...]] = {
    "de": tuple(vocabulary.MONTHS_DE.split()),
    "en": tuple(vocabulary.MONTHS_EN.split()),
}


def rare_name(number: int) -> str:
    """A pronounceable name that belongs to this number alone, of at least three syllables.

    >>> rare_name(0) == rare_name(1), rare_name(12345).isalpha()
    (False, True)
    """
    syllables: list[str] = []
    while number or len(syllables) < 3:
        number, start = divmod(number, len(_STARTS))
        number, vowel = divmod(number, len(_VOWELS))
        syllables.append(_STARTS[start] + _VOWELS[vowel])
    return "".join(syllables).capitalize() + _ENDS[sum(map(len, syllables)) % len(_ENDS)]
