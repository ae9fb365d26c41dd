"""What a search gives back."""

from __future__ import annotations

from dataclasses import dataclass

from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.decision_engine.intents import NOT_ASKED, Intent
from mindnet_pipeline.retrieval.trace import Trace


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits for one question, best first, and what the asker should know about them.

    `query_id` names this one search, so that feedback can refer to it. `notices` are whole sentences.
    `trace` is how the ranking came about. `intent` is what kind of question it was taken for, `understood`
    says so in a sentence (empty where there was nothing to prefer).
    """

    query_id: str
    query: str
    hits: tuple[Hit, ...]
    notices: tuple[str, ...] = ()
    trace: Trace | None = None
    intent: Intent = NOT_ASKED
    understood: str = ""
