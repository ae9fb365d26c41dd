"""config/prompts.yaml: who answers, what it holds to, in which language, what is asked of it by kind of question.

What is written there is laid over the texts here, key by key, so a file may hold only what differs. The rules that the
code relies on (notes are data, passages are cited by number) are not here: see `conversation/messages.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, field_validator

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.settings.reading import Strict, read_yaml, validate

DEFAULT_TEMPLATE = "default"
QUESTION = "{question}"
_PLACEHOLDER = re.compile(r"\{[A-Za-z_]\w*\}")


class ByLanguage(Strict):
    """A text in both languages."""

    de: str = Field(min_length=1)
    en: str = Field(min_length=1)

    def text(self, language: str) -> str:
        """The text in that language."""
        return self.de if language == "de" else self.en


class Values(Strict):
    """What the persona holds to, in both languages, one sentence each."""

    de: tuple[str, ...]
    en: tuple[str, ...]


class PromptOptions(Strict):
    """config/prompts.yaml. `templates` are by name; intents name one, `default` is for all others."""

    language: Literal["question", "de", "en"]
    persona: ByLanguage
    values: Values
    nothing: ByLanguage
    templates: Mapping[str, ByLanguage]

    @field_validator("templates")
    @classmethod
    def _hold_the_question(cls, templates: Mapping[str, ByLanguage]) -> Mapping[str, ByLanguage]:
        for name, template in templates.items():
            for language in ("de", "en"):
                used = set(_PLACEHOLDER.findall(template.text(language)))
                if unknown := sorted(used - {QUESTION}):
                    raise ValueError(
                        f"{name}.{language}: {unknown[0]} is not known; the only placeholder is {QUESTION}"
                    )
                if QUESTION not in used:
                    raise ValueError(f"{name}.{language}: the placeholder {QUESTION} is missing")
        return templates

    def template(self, name: str, language: str) -> str:
        """The template with this name, else the default one."""
        return (self.templates.get(name) or self.templates[DEFAULT_TEMPLATE]).text(language)


DEFAULTS: Mapping[str, Any] = {
    "language": "question",
    "persona": {
        "de": (
            "Du bist der digitale Zwilling des Menschen, dem diese Notizen gehören. Du sprichst ruhig, genau und "
            "knapp, und redest ihn mit Du an."
        ),
        "en": (
            "You are the digital twin of the person to whom these notes belong. You speak calmly, precisely and "
            "briefly, and address them directly."
        ),
    },
    "values": {
        "de": (
            "Lieber keine Antwort als eine erfundene.",
            "Gründe zählen mehr als Behauptungen.",
            "Wo Notizen einander widersprechen, nenne beide Seiten.",
        ),
        "en": (
            "Rather no answer than an invented one.",
            "Reasons count for more than claims.",
            "Where notes contradict each other, name both sides.",
        ),
    },
    "nothing": {
        "de": "Dazu steht nichts in deinen Notizen.",
        "en": "Your notes say nothing about this.",
    },
    "templates": {
        "default": {
            "de": "Beantworte diese Frage in zwei bis fünf Sätzen: {question}",
            "en": "Answer this question in two to five sentences: {question}",
        },
        "why": {
            "de": (
                "Gefragt ist nach Gründen. Nenne zuerst den Grund aus der Entscheidung oder der Erfahrung, die "
                "ihn nennt, dann was sonst dafür oder dagegen sprach: {question}"
            ),
            "en": (
                "The question asks for reasons. First give the reason from the decision or experience that states "
                "it, then what else spoke for or against it: {question}"
            ),
        },
        "how_to": {
            "de": (
                "Gefragt ist nach einem Vorgehen. Antworte in nummerierten Schritten, nur mit Schritten, die in "
                "den Notizen stehen: {question}"
            ),
            "en": (
                "The question asks how to do something. Answer in numbered steps, only with steps that the notes "
                "give: {question}"
            ),
        },
        "person": {
            "de": (
                "Gefragt ist nach einem Menschen. Sage, wer das ist und was ihn mit dem Gefragten verbindet: {question}"
            ),
            "en": ("The question is about a person. Say who they are and how they relate to what is asked: {question}"),
        },
        "time": {
            "de": (
                "Gefragt ist nach einer Zeit. Nenne zuerst das Datum oder den Zeitraum, dann was damals war: {question}"
            ),
            "en": "The question asks for a time. First give the date or period, then what happened then: {question}",
        },
        "overview": {
            "de": (
                "Gefragt ist nach einem Überblick. Antworte mit einer kurzen Liste der wichtigsten Punkte: {question}"
            ),
            "en": "The question asks for an overview. Answer with a short list of the main points: {question}",
        },
        "reflection": {
            "de": (
                "Gefragt ist nach einer Einschätzung. Sage, was die Notizen dazu hergeben, auch wo sie einander "
                "widersprechen, und trenne Festgehaltenes von Schlüssen daraus: {question}"
            ),
            "en": (
                "The question asks for a reflection. Say what the notes offer, also where they contradict each "
                "other, and keep what is written apart from what follows from it: {question}"
            ),
        },
        "status": {
            "de": ("Gefragt ist nach dem Stand. Nenne, was erledigt ist, was offen ist und was es aufhält: {question}"),
            "en": (
                "The question asks where things stand. Name what is done, what is open and what holds it up: {question}"
            ),
        },
    },
}
"""What config/prompts.yaml says as it is shipped; a test holds both together."""


def load_prompts(folder: Path) -> PromptOptions:
    """Read prompts.yaml; every key may be left out.

    Raises:
        ConfigError: the file is wrong; the message says which key and what to do.
    """
    path = folder / "prompts.yaml"
    raw = read_yaml(path)
    if "templates" in raw and not isinstance(raw["templates"], dict):
        raise ConfigError(f"{path}: `templates`: expected a mapping of names to texts.")
    return validate(PromptOptions, _laid_over(DEFAULTS, raw), path)


def default_prompts() -> PromptOptions:
    """The texts without any file."""
    return PromptOptions.model_validate(DEFAULTS)


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    laid = dict(below)
    for key, value in above.items():
        under = laid.get(key)
        laid[key] = _laid_over(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else value
    return laid
