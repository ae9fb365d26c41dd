"""Which notes a made-up vault has and how they link: everything but their text.

Links follow preferential attachment inside clusters: a new note links mostly within its theme, and rather to notes that
many others link to already, so that hubs arise as they do in real vaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from random import Random
from typing import Literal, TypeVar

from mindnet_pipeline.making.chance import chance
from mindnet_pipeline.making.words import ASPECTS, SETTINGS, THEMES, Aspect, Lang, Theme, Thing, rare_name

LinkForm = Literal[
    "wikilink", "alias", "heading", "mdlink", "embed", "rel", "field", "callout", "frontmatter", "broken"
]
_T = TypeVar("_T")

_FIRST_DAY = date(2019, 1, 1)
_DAYS = 2500
_NAMES = 6_000_000
_GERMAN_SHARE = 0.65
_SAME_THEME = 0.75
_TO_A_LATER_NOTE = 0.08

_TYPES: dict[str, int] = {
    "concept": 20,
    "journal": 14,
    "thought": 12,
    "source": 10,
    "task": 8,
    "project": 7,
    "experience": 6,
    "decision": 5,
    "default": 5,
    "person": 3,
    "event": 3,
    "goal": 2,
    "value": 1,
    "belief": 2,
    "risk": 1,
    "profile": 1,
}
_FORMS: dict[LinkForm, int] = {
    "wikilink": 46,
    "alias": 12,
    "heading": 8,
    "mdlink": 6,
    "embed": 3,
    "rel": 7,
    "field": 5,
    "callout": 4,
    "frontmatter": 6,
    "broken": 3,
}
_FOLDERS: dict[str, dict[Lang, str]] = {
    "project": {"de": "Projekte", "en": "Projects"},
    "journal": {"de": "Tagebuch", "en": "Journal"},
    "person": {"de": "Personen", "en": "People"},
    "source": {"de": "Quellen", "en": "Sources"},
    "task": {"de": "Aufgaben", "en": "Tasks"},
    "thought": {"de": "Inbox", "en": "Inbox"},
}
_NOTES: dict[Lang, str] = {"de": "Wissen", "en": "Knowledge"}
_HEADINGS: dict[Lang, tuple[str, ...]] = {
    "de": (
        "Ausgangslage",
        "Erfahrungen",
        "Zahlen",
        "Offene Fragen",
        "Nächste Schritte",
        "Beispiel",
        "Werkzeug",
        "Vorgehen",
        "Hintergrund",
        "Ergebnis",
        "Varianten",
        "Grenzen",
    ),
    "en": (
        "Background",
        "Experience",
        "Figures",
        "Open questions",
        "Next steps",
        "Example",
        "Tools",
        "Procedure",
        "History",
        "Result",
        "Variants",
        "Limits",
    ),
}
_SECTIONS = {0: 12, 1: 20, 2: 26, 3: 20, 4: 12, 6: 7, 9: 3}


@dataclass(frozen=True, slots=True)
class LinkPlan:
    """A link to the note with this index, written in this form."""

    target: int
    form: LinkForm


@dataclass(frozen=True, slots=True)
class NotePlan:
    """A note without its text. `note_id` and `alias` are empty where the note has none."""

    index: int
    path: str
    title: str
    note_id: str
    alias: str
    name: str
    lang: Lang
    type: str
    created: date
    theme: Theme
    thing: Thing
    aspect: Aspect
    setting: dict[Lang, str]
    sections: tuple[str, ...]
    links: tuple[LinkPlan, ...]

    @property
    def stem(self) -> str:
        """The file's name without folder and extension: what links to it say."""
        return self.path.rpartition("/")[2][:-3]


def plan_vault(seed: int, notes: int) -> list[NotePlan]:
    """The notes of a vault, in order of their making. The same arguments give the same plan.

    Raises:
        ValueError: for fewer than one note or more than six million.
    """
    if not 1 <= notes <= _NAMES:
        raise ValueError(f"the number of notes must be between 1 and {_NAMES:,}, not {notes:,}")
    rng = chance("plan", seed)
    subjects = len(THEMES) * len(THEMES[0].things) * len(ASPECTS) * len(SETTINGS)
    names = rng.sample(range(_NAMES), notes)
    order = rng.sample(range(subjects), min(notes, subjects))
    attachment = _Attachment(notes)
    return [_note(rng, i, order[i % subjects], names[i], i >= subjects, attachment) for i in range(notes)]


class _Attachment:
    """Remembers who was linked to. A target is drawn from the list of past link ends, one entry an end."""

    def __init__(self, notes: int) -> None:
        self._notes = notes
        self._theme_of: list[int] = []
        self._ends: list[int] = []
        self._ends_of_theme: list[list[int]] = [[] for _ in THEMES]

    def add(self, theme: int) -> None:
        """The next note, of this theme, can be linked to from now on."""
        self._theme_of.append(theme)
        self._add_end(len(self._theme_of) - 1)

    def draw(self, rng: Random, index: int, theme: int) -> int | None:
        """A target for a link of the note with this index, or None if there is none yet."""
        if rng.random() < _TO_A_LATER_NOTE and index + 1 < self._notes:
            return rng.randrange(index + 1, self._notes)
        ends = self._ends_of_theme[theme] if rng.random() < _SAME_THEME else self._ends
        if not ends:
            return None
        target = ends[rng.randrange(len(ends))]
        self._add_end(target)
        return target

    def _add_end(self, index: int) -> None:
        self._ends.append(index)
        self._ends_of_theme[self._theme_of[index]].append(index)


def _note(rng: Random, index: int, subject: int, name_number: int, repeated: bool, attachment: _Attachment) -> NotePlan:
    subject, theme_number = divmod(subject, len(THEMES))
    theme = THEMES[theme_number]
    subject, thing_number = divmod(subject, len(theme.things))
    setting_number, aspect_number = divmod(subject, len(ASPECTS))
    thing, aspect, setting = theme.things[thing_number], ASPECTS[aspect_number], SETTINGS[setting_number]
    lang: Lang = "de" if rng.random() < _GERMAN_SHARE else "en"
    note_type, name = _weighted(rng, _TYPES), rare_name(name_number)
    created = _FIRST_DAY + timedelta(days=rng.randrange(_DAYS))
    title = f"{thing.names[lang].bare} – {aspect.nouns[lang]} {setting[lang]}" + (f" ({name})" if repeated else "")
    links = _links(rng, index, theme_number, attachment)
    attachment.add(theme_number)
    return NotePlan(
        index=index,
        path=_path(note_type, lang, theme, created, title),
        title=title,
        note_id=f"n{index:06d}" if rng.random() < 0.7 else "",
        alias=name if rng.random() < 0.25 else "",
        name=name,
        lang=lang,
        type=note_type,
        created=created,
        theme=theme,
        thing=thing,
        aspect=aspect,
        setting=setting,
        sections=tuple(rng.sample(_HEADINGS[lang], _weighted(rng, _SECTIONS))),
        links=links,
    )


def _path(note_type: str, lang: Lang, theme: Theme, created: date, title: str) -> str:
    if note_type == "journal":
        return f"{_FOLDERS['journal'][lang]}/{created.year}/{created.isoformat()} {title}.md"
    folder = _FOLDERS[note_type][lang] if note_type in _FOLDERS else f"{_NOTES[lang]}/{theme.folders[lang]}"
    return f"{folder}/{title}.md"


def _links(rng: Random, index: int, theme: int, attachment: _Attachment) -> tuple[LinkPlan, ...]:
    drawn: dict[int, LinkForm] = {}
    for _ in range(min(int(rng.expovariate(1 / 4)), 25)):
        target = attachment.draw(rng, index, theme)
        if target is not None and target != index:
            drawn.setdefault(target, _weighted(rng, _FORMS))
    return tuple(LinkPlan(target, form) for target, form in drawn.items())


def _weighted(rng: Random, weights: Mapping[_T, int]) -> _T:
    at = rng.randrange(sum(weights.values()))
    return next(value for value, upto in zip(weights, accumulate(weights.values()), strict=True) if at < upto)
