"""Sentences of made-up notes: patterns with slots, German and English. Data, and the class that fills them.

Slots: `{nom} {acc} {dat}` the thing with its article, `{Nom}` the same at a sentence's start, `{name}` the note's rare
name, `{aspect} {setting} {clause}`, `{detail} {other}` details of the theme, `{person} {place} {month} {year} {n} {m}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from mindnet_pipeline.making.chance import pick
from mindnet_pipeline.making.words import Lang

OPENINGS: dict[Lang, tuple[str, ...]] = {
    "de": (
        "Hier geht es um {acc} {setting}, genauer: {clause}. Das Vorhaben läuft bei uns unter dem Namen {name}.",
        "{name} heißt bei uns alles, was mit {dat} {setting} zu tun hat. Die Frage dahinter: {clause}.",
        "Seit {month} {year} beschäftigt mich {nom} {setting}. Unter dem Stichwort {name} sammle ich, {clause}.",
        "Eine Notiz über {acc} {setting}. {person} wollte wissen, {clause}, und nannte die Sache {name}.",
        "{aspect} ist bei {dat} {setting} das eigentliche Thema. In der Liste steht es als {name}.",
    ),
    "en": (
        "This is about {nom} {setting}, or more exactly: {clause}. We call the whole affair {name}.",
        "{name} is our word for everything about {nom} {setting}. The question behind it is {clause}.",
        "Since {month} {year} I have been thinking about {nom} {setting}. Under the name {name} I collect {clause}.",
        "A note on {nom} {setting}. {person} wanted to know {clause} and gave it the name {name}.",
        "What matters about {nom} {setting} is {aspect}. On the list it appears as {name}.",
    ),
}

FACTS: dict[Lang, tuple[tuple[str, str], ...]] = {
    "de": (
        ("Um {name} kümmert sich {person} aus {place}.", "Wer kümmert sich um {name}?"),
        ("Die Unterlagen zu {name} liegen bei {person} in {place}.", "Wo liegen die Unterlagen zu {name}?"),
        ("Für {name} sind im {month} {n}0 Euro vorgesehen.", "Wie viel Geld ist für {name} vorgesehen?"),
        ("Der Termin für {name} ist der {m}. {month} {year}.", "Wann ist der Termin für {name}?"),
        ("Die Idee zu {name} stammt von {person}.", "Von wem stammt die Idee zu {name}?"),
    ),
    "en": (
        ("{person} from {place} looks after {name}.", "Who looks after {name}?"),
        ("The papers on {name} are kept by {person} in {place}.", "Where are the papers on {name} kept?"),
        ("For {name} we set aside {n}0 euros in {month}.", "How much money was set aside for {name}?"),
        ("The date for {name} is {m} {month} {year}.", "What is the date for {name}?"),
        ("The idea of {name} came from {person}.", "Who had the idea of {name}?"),
    ),
}

SENTENCES: dict[Lang, tuple[str, ...]] = {
    "de": (
        "{Nom} steht seit {month} bei {person} und macht weniger Ärger als erwartet.",
        "Beim ersten Versuch fehlten {n} {detail}, beim zweiten war es umgekehrt.",
        "Ohne die richtigen {detail} nützt das beste Werkzeug nichts.",
        "Wer {acc} {setting} benutzt, sollte die {detail} vorher zählen.",
        "Das klingt nach Kleinkram, hat uns aber {n} Stunden gekostet.",
        "{person} meint, dass man die {detail} besser einzeln ansieht.",
        "Ich war zunächst anderer Meinung und habe sie nach {m} Wochen geändert.",
        "Im {month} haben wir {n} {detail} ausgetauscht und danach nie wieder daran gedacht.",
        "Am teuersten waren am Ende nicht die {detail}, sondern die {other}.",
        "In {place} macht man es anders: Dort werden die {other} zuerst geprüft.",
        "Eine Faustregel lautet, je {m} {detail} ein freier Tag.",
        "Für {acc} gilt dasselbe wie für alles andere: Erst messen, dann ändern.",
        "Wenn die {other} nicht zueinander passen, hilft auch Geduld wenig.",
        "Die Frage, {clause}, hat bisher niemand endgültig beantwortet.",
        "Nach {year} gab es dazu in {place} eine kleine Ausstellung, die ich leider verpasst habe.",
        "{person} hat mir dazu einen langen Brief geschrieben, den ich {m}-mal gelesen habe.",
        "Entscheidend ist die Reihenfolge: zuerst die {other}, dann die {detail}.",
        "Bei {dat} sieht man den Fehler erst, wenn es zu spät ist.",
        "Deshalb notiere ich jetzt jedes Mal das Datum und die Zahl der {detail}.",
        "Der Unterschied zwischen {m} und {n} {other} ist größer, als man denkt.",
        "Manchmal genügt es, eine Nacht darüber zu schlafen.",
        "Das Ergebnis war überraschend einfach, und genau das machte uns misstrauisch.",
        "Vielleicht liegt es an der Jahreszeit, vielleicht auch nur an mir.",
        "Wir haben es dreimal wiederholt und kamen jedes Mal auf etwa {n} Prozent.",
        "{Nom} gehört nicht in fremde Hände, auch nicht für ein Wochenende.",
        "Im Zweifel rufe ich {person} an, bevor ich etwas auseinanderbaue.",
        "Alte {detail} werfe ich nicht weg; sie haben uns schon zweimal gerettet.",
        "Zum Vergleich: In {place} rechnet man mit {n} {other} im Jahr.",
        "Das Thema {aspect} wird {setting} gern unterschätzt.",
        "Was im {month} noch selbstverständlich war, mussten wir im Herbst neu lernen.",
        "Der Nachteil ist bekannt und wird in Kauf genommen.",
        "Es gibt dafür keinen guten Namen, also blieb es bei {name}.",
        "Am Ende zählt, ob man es einem Fremden in zwei Sätzen erklären kann.",
        "Von den {n} Vorschlägen blieben {m} übrig, und einer davon war von {person}.",
        "Zwei Dinge habe ich {person} zu verdanken: die {detail} und die Einsicht, dass weniger genügt.",
        "Auf dem Markt in {place} gab es {n} {detail} für fast nichts.",
        "Gemessen haben wir von {month} bis Weihnachten, jeden Sonntag um dieselbe Zeit.",
        "Wer glaubt, {nom} sei eine Sache für Fachleute, hat {person} noch nicht gesehen.",
        "Die {other} kamen beschädigt an; der Händler in {place} hat sie ohne Murren ersetzt.",
        "Auf Seite {n} der Anleitung steht das Gegenteil, aber die ist von {year}.",
        "Zu zweit dauert es {m} Minuten, allein einen Nachmittag.",
        "Übrig sind noch {n} {other}, das reicht bis {month}.",
        "Den besten Rat bekam ich von jemandem, der {acc} nie besessen hat.",
        "Seit {person} mitmacht, geht es um {name} deutlich ruhiger zu.",
        "Kurz gesagt: {aspect} ist kein Schicksal.",
        "Einmal im Jahr kommt jemand aus {place} und sieht sich die {detail} an.",
    ),
    "en": (
        "{Nom} has been with {person} since {month} and causes less trouble than expected.",
        "On the first try we were short of {n} {detail}, on the second we had too many.",
        "Without the right {detail} even the best tool is of no use.",
        "Anyone who uses {nom} {setting} should count the {detail} beforehand.",
        "It sounds like a trifle but cost us {n} hours.",
        "{person} thinks the {detail} had better be looked at one by one.",
        "At first I disagreed, and changed my mind after {m} weeks.",
        "In {month} we replaced {n} {detail} and never thought of them again.",
        "In the end it was not the {detail} that cost most but the {other}.",
        "In {place} they do it differently: the {other} are checked first.",
        "A rule of thumb says one day off for every {m} {detail}.",
        "What holds for everything else holds for {nom}: measure first, then change.",
        "If the {other} do not match, patience helps little.",
        "Nobody has given a final answer to the question {clause}.",
        "After {year} there was a small exhibition about it in {place}, which I missed.",
        "{person} wrote me a long letter about it that I read {m} times.",
        "The order matters: first the {other}, then the {detail}.",
        "With {nom} you only see the mistake when it is too late.",
        "That is why I now write down the date and the number of {detail} every time.",
        "The difference between {m} and {n} {other} is bigger than one would think.",
        "Sometimes it is enough to sleep on it.",
        "The result was surprisingly simple, and that made us suspicious.",
        "Perhaps it is the season, perhaps it is only me.",
        "We repeated it three times and always arrived at about {n} per cent.",
        "{Nom} does not belong in a stranger's hands, not even for a weekend.",
        "When in doubt I call {person} before I take anything apart.",
        "I do not throw old {detail} away; they have saved us twice.",
        "For comparison: in {place} they count on {n} {other} a year.",
        "The matter of {aspect} is easily underrated {setting}.",
        "What was obvious in {month} had to be learnt again in autumn.",
        "The drawback is known and accepted.",
        "There is no good word for it, so {name} it remained.",
        "What counts in the end is whether a stranger understands it in two sentences.",
        "Of the {n} suggestions {m} were left, and one of them was {person}'s.",
        "I owe {person} two things: the {detail}, and the insight that less is enough.",
        "At the market in {place} there were {n} {detail} for next to nothing.",
        "We measured from {month} until Christmas, every Sunday at the same hour.",
        "Whoever thinks that {nom} is for experts only has not seen {person} yet.",
        "The {other} arrived damaged; the dealer in {place} replaced them without a word.",
        "Page {n} of the manual says the opposite, but then it dates from {year}.",
        "With two people it takes {m} minutes, alone an afternoon.",
        "There are {n} {other} left, enough until {month}.",
        "The best advice came from somebody who never owned {nom}.",
        "Since {person} joined, things have been much calmer around {name}.",
        "In short: {aspect} need not be fate.",
        "Once a year somebody comes from {place} and has a look at the {detail}.",
    ),
}


class Prose:
    """The running text of one note: no pattern comes again before all others have been used."""

    def __init__(self, rng: Random, lang: Lang, slots: Mapping[str, str]) -> None:
        self._rng = rng
        self._lang = lang
        self._slots = slots
        self._deck: list[str] = []

    def opening(self) -> str:
        """What the note is about, in one or two sentences that give its rare name."""
        return self._fill(pick(self._rng, OPENINGS[self._lang]))

    def sentence(self) -> str:
        """The next sentence."""
        if not self._deck:
            self._deck = self._rng.sample(SENTENCES[self._lang], len(SENTENCES[self._lang]))
        return self._fill(self._deck.pop())

    def paragraph(self, sentences: int) -> str:
        """A paragraph of that many sentences."""
        return " ".join(self.sentence() for _ in range(sentences))

    def _fill(self, pattern: str) -> str:
        text = pattern.format_map(self._slots)
        return text[0].upper() + text[1:]
