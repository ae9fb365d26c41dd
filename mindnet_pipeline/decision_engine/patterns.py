"""Recognition by words: which intents' patterns a question meets, and which of them counts. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mindnet_pipeline.decision_engine.wording import plain, spellings
from mindnet_pipeline.settings import DecisionOptions
from mindnet_pipeline.settings.decision_engine import compiled


@dataclass(frozen=True, slots=True)
class Match:
    """The intent whose pattern counts, the words that it met, and how many readings the question's words allow."""

    intent: str
    words: str
    readings: int


class Patterns:
    """The patterns of all intents, by language."""

    def __init__(self, options: DecisionOptions) -> None:
        self._default = options.default
        self._by_language: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
        for name, intent in options.intents.items():
            for language, written in intent.patterns.items():
                made = self._by_language.setdefault(language, [])
                made += [(name, compiled(each)) for each in written]
        prefixes = options.recognition.prefixes.values()
        self._prefixes = [compiled(each) for written in prefixes for each in written]

    def match(self, question: str, language: str) -> Match | None:
        """The intent that the question's words say; None if they say none.

        Patterns of the question's language go first, those of the others are tried if none of them fits: short
        questions are easily taken for another language. Among several intents that fit, the default gives way; then
        the one whose words come first counts, then the one with more words, then the order of the file.
        """
        texts = spellings(plain(question, self._prefixes))
        order = sorted(self._by_language, key=lambda known: known != language)
        for known in order:
            if found := self._found(texts, known):
                return self._best(found)
        return None

    def _found(self, texts: Sequence[str], language: str) -> dict[str, re.Match[str]]:
        """The best match of each intent, in the order of the file."""
        best: dict[str, re.Match[str]] = {}
        for name, pattern in self._by_language[language]:
            for found in (pattern.search(text) for text in texts):
                if found and (name not in best or _place(found) < _place(best[name])):
                    best[name] = found
        return best

    def _best(self, found: Mapping[str, re.Match[str]]) -> Match:
        particular = [name for name in found if name != self._default]
        name = min(particular or found, key=lambda each: _place(found[each]))
        best = found[name]
        others = [other for other in particular if not _within(found[other], best)]
        return Match(name, best.group().replace("_", "-"), 1 + len(others))


def _within(inner: re.Match[str], outer: re.Match[str]) -> bool:
    """True for words that are a part of the other's words: no other reading, only a shorter one."""
    return outer.start() <= inner.start() and inner.end() <= outer.end()


def _place(found: re.Match[str]) -> tuple[int, int]:
    return found.start(), found.start() - found.end()
