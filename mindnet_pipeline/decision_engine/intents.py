"""An intent: what kind of question was asked, how that was recognised, and what it asks of search and answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Order = Literal["score", "newest", "oldest"]
RecognisedBy = Literal["pattern", "example", "default", "forced", "off"]

FACT = "fact"
"""The neutral intent: a question that asks for nothing in particular."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the result should look like; None leaves it to config/retriever.yaml. `order` is that of the shown hits."""

    limit: int | None = None
    max_per_note: int | None = None
    order: Order = "score"


@dataclass(frozen=True, slots=True)
class Intent:
    """One understood question.

    `labels` name the kind of question by language. `type_boosts` are factors for hits by their note's type,
    `edge_boosts` for relation kinds; what is not named counts as before. `template` is a name for config/prompts.yaml.
    `confidence` in [0, 1] is how sure the recognition is; `evidence` is what it rests on: the words that matched, or
    the nearest example question.
    """

    name: str = FACT
    labels: Mapping[str, str] = field(default_factory=dict)
    type_boosts: Mapping[str, float] = field(default_factory=dict)
    edge_boosts: Mapping[str, float] = field(default_factory=dict)
    shape: Shape = Shape()
    template: str = "default"
    recognised_by: RecognisedBy = "default"
    confidence: float = 0.0
    evidence: str = ""

    def label(self, language: str) -> str:
        """The kind of question in words."""
        return self.labels.get(language) or self.name.replace("_", " ")

    @property
    def is_neutral(self) -> bool:
        """True if search does for this intent what it does for every question."""
        return not self.type_boosts and not self.edge_boosts and self.shape == Shape()


NOT_ASKED = Intent(recognised_by="off")
"""The intent where nobody looked for one: without boosts, in the ordinary shape."""
