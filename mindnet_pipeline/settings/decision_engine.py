"""config/decision_engine.yaml: which kinds of question there are, how each is recognised and what follows from it.

The order of the intents is kept: it decides where nothing else does. A configuration folder without the file has
mindnet's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.settings.places import shipped_folder
from mindnet_pipeline.settings.reading import Strict, nearest, read_yaml, validate
from mindnet_pipeline.settings.types import load_registry

FILE = "decision_engine.yaml"
AUTO, OFF = "auto", "off"
"""What may stand where an intent's name can: recognise it, or treat every question alike."""

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def compiled(written: str) -> re.Pattern[str]:
    """A pattern of the file as it is used. Made twice in one process it costs once: `re` remembers."""
    return re.compile(written, re.IGNORECASE)


def _expression(written: str) -> str:
    try:
        made = compiled(written)
    except re.error as error:
        raise ValueError(f"`{written}` is no regular expression ({error})") from None
    if made.search(""):
        raise ValueError(f"`{written}` matches every question")
    return written


Pattern = Annotated[str, AfterValidator(_expression)]
"""A regular expression, matched in any case."""

Boost = Annotated[float, Field(ge=0.5, le=2)]
"""A factor: above 1 prefers, below 1 defers."""


class RecognitionOptions(Strict):
    """When nearness to the example questions decides."""

    examples: bool = True
    similarity: float = Field(default=0.35, ge=0, le=1)
    margin: float = Field(default=0.1, ge=0, le=2)
    prefixes: Mapping[str, tuple[Pattern, ...]] = {}


class ShapeOptions(Strict):
    """What the result should look like; what is left out follows retriever.yaml."""

    limit: int | None = Field(default=None, ge=1)
    max_per_note: int | None = Field(default=None, ge=1)
    order: Literal["score", "newest", "oldest"] = "score"


class IntentOptions(Strict):
    """One kind of question."""

    label: Mapping[str, str] = {}
    patterns: Mapping[str, tuple[Pattern, ...]] = {}
    examples: Mapping[str, tuple[str, ...]] = {}
    type_boosts: Mapping[str, Boost] = {}
    edge_boosts: Mapping[str, Boost] = {}
    shape: ShapeOptions = Field(default_factory=ShapeOptions)
    template: str = Field(default="default", min_length=1)


class DecisionOptions(Strict):
    """config/decision_engine.yaml."""

    enabled: bool = True
    default: str = "fact"
    recognition: RecognitionOptions = Field(default_factory=RecognitionOptions)
    intents: Mapping[str, IntentOptions]

    @field_validator("intents")
    @classmethod
    def _names_can_be_typed(cls, intents: Mapping[str, IntentOptions]) -> Mapping[str, IntentOptions]:
        for name in intents:
            if not _NAME.fullmatch(name) or name in {AUTO, OFF}:
                raise ValueError(f"`{name}` cannot be an intent's name: small letters, digits and _, not {AUTO}, {OFF}")
        return intents

    @model_validator(mode="after")
    def _default_exists(self) -> DecisionOptions:
        if self.default not in self.intents:
            raise ValueError(f"default: {nearest(self.default, self.intents)}")
        return self


def load_decision_options(folder: Path, registry: Registry) -> DecisionOptions:
    """Read decision_engine.yaml and hold its type and relation names against the vocabulary.

    Names that only mindnet's own types.yaml knows are harmless: no note of the vault has them.

    Raises:
        ConfigError: a key, an expression or a name is wrong; the message says which and what is near.
    """
    path = folder / FILE if (folder / FILE).is_file() else shipped_folder() / FILE
    options = validate(DecisionOptions, read_yaml(path), path)
    unknown = list(_unknown(options, registry.types, registry.relations))
    if unknown:
        shipped = load_registry(shipped_folder() / "types.yaml")
        unknown = list(_unknown(options, {*registry.types, *shipped.types}, {*registry.relations, *shipped.relations}))
    if unknown:
        raise ConfigError(f"{path}: " + "; ".join(unknown))
    return options


def _unknown(options: DecisionOptions, types: Collection[str], kinds: Collection[str]) -> Iterator[str]:
    for name, intent in options.intents.items():
        for key, boosts, known in (
            ("type_boosts", intent.type_boosts, types),
            ("edge_boosts", intent.edge_boosts, kinds),
        ):
            yield from (f"intents.{name}.{key}: {nearest(b, known)}" for b in boosts if b not in known)
