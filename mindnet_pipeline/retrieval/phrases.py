"""The words of reasons and notices, in German and English. Each phrase is a whole sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Named = tuple[str, str]
"""A note in words and the relation in words."""


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language's sentences. Templates take `{0}`, `{1}` …; `articles` go before a note's type."""

    language: Literal["de", "en"]
    decimal: str
    levels: tuple[tuple[float, str], ...]
    similar: str
    matched: str
    more_words: str
    prefer: str
    defer: str
    support: str
    support_section: str
    refer_one: str
    refer_many: str
    point: str
    well_linked: str
    link_list: str
    same_text: str
    more_notes: tuple[str, str]
    conjunction: str
    quotes: tuple[str, str]
    articles: Mapping[str, str] = field(default_factory=dict)
    default_article: str = ""
    understood: str = ""
    types_preferred: str = ""
    kinds_preferred: str = ""
    orders: Mapping[str, str] = field(default_factory=dict)
    intent_prefers: str = ""
    intent_defers: str = ""
    intent_links: str = ""
    nothing_found: str = ""
    nothing_relevant: str = ""
    only_stop_words: str = ""
    no_filter_match: str = ""
    no_dates: str = ""

    def number(self, value: float) -> str:
        """Two digits with the language's decimal sign."""
        return f"{value:.2f}".replace(".", self.decimal)

    def quoted(self, text: str) -> str:
        """The text in the language's single quotation marks."""
        return f"{self.quotes[0]}{text}{self.quotes[1]}"

    def note(self, type_name: str, type_label: str, title: str) -> str:
        """A note by type and title; types without an article of their own come after the title."""
        article = self.articles.get(type_name, self.default_article)
        if not article:
            return f"{self.quoted(title)} [{type_label}]"
        return f"{article} {type_label} {self.quoted(title)}"

    def similarity(self, value: float) -> str:
        """How near in meaning, in words and as a number."""
        level = next(words for bound, words in self.levels if value >= bound)
        return self.similar.format(level, self.number(value))

    def words(self, shown: Sequence[str], count: int) -> str:
        """The words that matched."""
        more = self.more_words.format(count - len(shown)) if count > len(shown) else ""
        return self.matched.format(", ".join(shown) + more)

    def preferred(self, type_label: str) -> str:
        """The type is preferred."""
        return self.prefer.format(type_label)

    def deferred(self, type_label: str) -> str:
        """The type comes after others."""
        return self.defer.format(type_label)

    def understood_as(self, label: str, types: Sequence[str], kinds: Sequence[str], order: str) -> str:
        """What kind of question it was taken for, and what is preferred for that."""
        follows = [
            self.types_preferred.format(self._joined(types)) if types else "",
            self.kinds_preferred.format(self._joined([self.quoted(kind) for kind in kinds])) if kinds else "",
            self.orders.get(order, ""),
        ]
        said = self.understood.format(self._one(label))
        return f"{said}: {', '.join(part for part in follows if part)}."

    def by_intent(self, label: str, type_label: str, *, preferred: bool) -> str:
        """The type is preferred or comes after others, for this kind of question."""
        template = self.intent_prefers if preferred else self.intent_defers
        return template.format(self._one(label), self._one(type_label))

    def links_by_intent(self, label: str, kinds: Sequence[str]) -> str:
        """Relations count more for this kind of question."""
        return self.intent_links.format(self._one(label), self._joined([self.quoted(kind) for kind in kinds]))

    def _one(self, noun: str) -> str:
        """A noun as it stands in a sentence: with its article in English."""
        return _with_article(noun) if self.language == "en" else noun

    def supported(self, named: Sequence[Named], count: int, section: str) -> str:
        """Relevant notes lead here."""
        listed = self._listed(named, count)
        plain = self.support.format(listed)
        return self.support_section.format(listed, self.quoted(section)) if section else plain

    def referred_to(self, count: int, note: str, kind: str) -> str:
        """How many notes refer here, one of them by name."""
        return self.refer_many.format(count, note, kind) if count > 1 else self.refer_one.format(note, kind)

    def refers(self, named: Sequence[Named], count: int) -> str:
        """What the hit refers to."""
        return self.point.format(self._listed(named, count))

    def also_in(self, titles: Sequence[str]) -> str:
        """Other notes with the same text."""
        return self.same_text.format(", ".join(self.quoted(title) for title in titles))

    def _listed(self, named: Sequence[Named], count: int) -> str:
        items = [f"{note} ({kind})" for note, kind in named]
        if count > len(items):
            rest = count - len(items)
            items.append(self.more_notes[0] if rest == 1 else self.more_notes[1].format(rest))
        return self._joined(items)

    def _joined(self, items: Sequence[str]) -> str:
        return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {self.conjunction} {items[-1]}"


def _with_article(noun: str) -> str:
    """An English noun with its article.

    >>> _with_article("why-question"), _with_article("experience")
    ('a why-question', 'an experience')
    """
    return f"an {noun}" if noun[:1].lower() in set("aeiou") else f"a {noun}"


GERMAN = Phrases(
    language="de",
    decimal=",",
    levels=((0.85, "Sehr hohe"), (0.65, "Hohe"), (0.4, "Mittlere"), (0.0, "Geringe")),
    similar="{0} textuelle Übereinstimmung ({1}).",
    matched="Gemeinsame Wörter: {0}.",
    more_words=" und {0} weitere",
    prefer="Bevorzugt, da {0}.",
    defer="Etwas zurückgestellt, da {0}.",
    support="Aufgewertet, weil passende Notizen hierher führen: {0}.",
    support_section="Aufgewertet, weil passende Notizen zum Abschnitt {1} führen: {0}.",
    refer_one="Wird von einer Notiz referenziert: {0} ({1}).",
    refer_many="Wird von {0} Notizen referenziert, darunter {1} ({2}).",
    point="Ausgehende Verweise: {0}.",
    well_linked="Unter den Treffern gut vernetzt.",
    link_list="Vor allem eine Liste von Links, darum zählen Verknüpfungen hier weniger.",
    same_text="Derselbe Text steht auch in {0}.",
    more_notes=("eine weitere Notiz", "{0} weitere Notizen"),
    conjunction="und",
    quotes=("‚", "‘"),
    articles={
        "task": "die", "decision": "die", "experience": "die", "source": "die", "person": "die", "belief": "die",
        "default": "die", "thought": "der", "value": "der", "project": "das", "concept": "das", "event": "das",
        "journal": "das", "goal": "das", "risk": "das", "profile": "das",
    },
    understood="Als {0} verstanden",
    types_preferred="{0} bevorzugt",
    kinds_preferred="Verknüpfungen zählen mehr, die {0} sagen",
    orders={"newest": "das Neueste zuerst", "oldest": "das Älteste zuerst"},
    intent_prefers="Bevorzugt, da als {0} verstanden und vom Typ {1}.",
    intent_defers="Zurückgestellt, da als {0} verstanden und vom Typ {1}.",
    intent_links="Da als {0} verstanden, zählt die Verknüpfung mehr: {1}.",
    nothing_found="Nichts gefunden.",
    nothing_relevant="Nichts passt gut zu dieser Frage; das Folgende kommt ihr nur am nächsten.",
    only_stop_words="Die Frage enthält kein Wort, nach dem sich suchen lässt.",
    no_filter_match="Keine Notiz erfüllt alle Filter zusammen.",
    no_dates=(
        "Keine Notiz hier hat ein Datum, nach dem sich filtern lässt: Es zählt `created` im Frontmatter, etwa "
        "`created: 2024-03-05`, nicht das Datum der Datei."
    ),
)  # fmt: skip

ENGLISH = Phrases(
    language="en",
    decimal=".",
    levels=((0.85, "Very close"), (0.65, "Close"), (0.4, "Moderately close"), (0.0, "Only loosely close")),
    similar="{0} to the question in meaning ({1}).",
    matched="Words in common: {0}.",
    more_words=" and {0} more",
    prefer="Preferred as a {0}.",
    defer="Ranked a little lower as a {0}.",
    support="Lifted because relevant notes lead here: {0}.",
    support_section="Lifted because relevant notes lead to the section {1}: {0}.",
    refer_one="One note refers to it: {0} ({1}).",
    refer_many="{0} notes refer to it, among them {1} ({2}).",
    point="Refers to {0}.",
    well_linked="Well linked among the hits.",
    link_list="Mostly a list of links, so links count less here.",
    same_text="The same text is also in {0}.",
    more_notes=("one more note", "{0} more notes"),
    conjunction="and",
    quotes=("‘", "’"),
    default_article="the",
    understood="Understood as {0}",
    types_preferred="{0} preferred",
    kinds_preferred="links that say {0} count more",
    orders={"newest": "newest first", "oldest": "oldest first"},
    intent_prefers="Preferred: understood as {0}, and this is {1}.",
    intent_defers="Ranked lower: understood as {0}, and this is {1}.",
    intent_links="As it was understood as {0}, this link counts more: {1}.",
    nothing_found="Nothing found.",
    nothing_relevant="Nothing fits this question well; what follows is only the nearest there is.",
    only_stop_words="The question has no word to search for.",
    no_filter_match="No note meets all filters together.",
    no_dates=(
        "No note here has a date to filter by: what counts is `created` in the frontmatter, such as "
        "`created: 2024-03-05`, not the file's date."
    ),
)

PHRASES: Mapping[str, Phrases] = {"de": GERMAN, "en": ENGLISH}
