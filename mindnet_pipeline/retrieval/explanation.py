"""Why a hit is where it is, in whole sentences, German or English. Pure.

Each sentence is written only where it says something true and particular of this hit; they come in the order of the
score's parts. What the sentences talk about is decided here; the words are in `phrases.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mindnet_pipeline.core.model import Explanation, Related
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.decision_engine.intents import NOT_ASKED, Intent
from mindnet_pipeline.retrieval.evidence import Evidence, Mention
from mindnet_pipeline.retrieval.graph import is_at
from mindnet_pipeline.retrieval.phrases import Phrases
from mindnet_pipeline.retrieval.ranking import Ranked

_SHOWN_WORDS = 8
_WELL_LINKED = 0.6


@dataclass(frozen=True, slots=True)
class Speaker:
    """In which language and with which words for types and relations to speak."""

    phrases: Phrases
    registry: Registry
    intent: Intent = NOT_ASKED

    def understood(self, ranked: Sequence[Ranked]) -> str:
        """What kind of question it was taken for and what that preferred; empty if it met nothing to prefer."""
        boosts = self.intent.type_boosts
        there = {each.candidate.payload["type"] for each in ranked}
        linked = {c.tie.kind for each in ranked for c in each.standing.contributions}
        highest = max((boosts[name] for name in boosts if name in there), default=1.0)
        types = [self.types(name) for name in boosts if name in there and boosts[name] == highest > 1]
        kinds = [self.kind(kind) for kind, factor in self.intent.edge_boosts.items() if factor > 1 and kind in linked]
        order = self.intent.shape.order
        if not types and not kinds and order == "score":
            return ""
        return self.phrases.understood_as(
            self.intent.label(self.phrases.language), types, [] if types else kinds, order
        )

    def kind(self, kind: str) -> str:
        """A relation kind in words."""
        relation = self.registry.relations.get(kind)
        labels = relation.labels if relation else {}
        return labels.get(self.phrases.language) or kind.replace("_", " ")

    def type(self, name: str) -> str:
        """A note type in words."""
        labels = self.registry.type_of(name).labels if name in self.registry.types else {}
        return labels.get(self.phrases.language) or name

    def types(self, name: str) -> str:
        """Notes of a type in words."""
        plurals = self.registry.type_of(name).plurals if name in self.registry.types else {}
        return plurals.get(self.phrases.language) or self.type(name)

    def note(self, mention: Mention) -> str:
        """A note by type and title: the project “Garden”."""
        return self.phrases.note(mention.type, self.type(mention.type), mention.title)


def explain(
    ranked: Ranked,
    evidence: Evidence,
    matched: Sequence[str],
    also_in: Sequence[str],
    closeness: float | None,
    speaker: Speaker,
) -> Explanation:
    """The score's parts, the reasons and the words that matched. `closeness` is None without a model."""
    signals, phrases = ranked.signals, speaker.phrases
    reasons = [
        phrases.similarity(closeness) if closeness is not None else "",
        phrases.words(matched[:_SHOWN_WORDS], len(matched)) if matched else "",
        _type_reason(ranked, speaker),
        _intent_reason(ranked, speaker),
        _supported(evidence, ranked, speaker),
        _boosted_link(ranked, speaker),
        _referred_to(evidence, speaker),
        _refers(evidence, speaker),
        phrases.well_linked if signals.centrality >= _WELL_LINKED and ranked.score.parts["centrality"] > 0 else "",
        phrases.link_list if signals.link_list else "",
        phrases.also_in(also_in) if also_in else "",
    ]
    related = [*_related(evidence.incoming, outgoing=False), *_related(evidence.outgoing, outgoing=True)]
    said = tuple(reason for reason in reasons if reason)
    return Explanation(ranked.score.parts, said, tuple(matched), tuple(related))


def _related(mentions: Sequence[Mention], *, outgoing: bool) -> list[Related]:
    return [Related(each.note_id, each.title, each.kind, outgoing) for each in mentions]


def _type_reason(ranked: Ranked, speaker: Speaker) -> str:
    """The type's own preference, unless the kind of question says the same."""
    weight, name = ranked.signals.retriever_weight, ranked.candidate.payload["type"]
    if weight == 1.0 or not ranked.score.parts["type"] or (weight - 1) * ranked.score.parts["intent"] > 0:
        return ""
    return speaker.phrases.preferred(speaker.type(name)) if weight > 1 else speaker.phrases.deferred(speaker.type(name))


def _intent_reason(ranked: Ranked, speaker: Speaker) -> str:
    """What the kind of question did to a hit of this type."""
    part = ranked.score.parts["intent"]
    if not part:
        return ""
    label, name = speaker.intent.label(speaker.phrases.language), speaker.type(ranked.candidate.payload["type"])
    return speaker.phrases.by_intent(label, name, preferred=part > 0)


def _boosted_link(ranked: Ranked, speaker: Speaker) -> str:
    """The relations among those that lifted the hit which count more for this kind of question."""
    boosts = speaker.intent.edge_boosts
    kinds = [c.tie.kind for c in ranked.standing.contributions if c.value > 0 and boosts.get(c.tie.kind, 1.0) > 1]
    if not kinds or not ranked.score.parts["edge"]:
        return ""
    named = [speaker.kind(kind) for kind in dict.fromkeys(kinds)]
    return speaker.phrases.links_by_intent(speaker.intent.label(speaker.phrases.language), named)


def _supported(evidence: Evidence, ranked: Ranked, speaker: Speaker) -> str:
    """The relevant hits whose links lifted this one."""
    lifting = [mention for mention in evidence.incoming if mention.value > 0]
    if not lifting or not ranked.score.parts["edge"]:
        return ""
    named = [(speaker.note(m), speaker.kind(m.kind)) for m in lifting]
    return speaker.phrases.supported(named, evidence.lifting_count, _named_heading(ranked))


def _named_heading(ranked: Ranked) -> str:
    """The heading that all links which lifted the hit name, if the hit is below it; else empty."""
    subpaths = {c.tie.target_section for c in ranked.standing.contributions if c.value > 0}
    subpath = subpaths.pop() if len(subpaths) == 1 else ""
    is_heading = bool(subpath) and not subpath.startswith("^")
    return subpath.rsplit("#", 1)[-1] if is_heading and is_at(subpath, ranked.candidate.payload) else ""


def _referred_to(evidence: Evidence, speaker: Speaker) -> str:
    """All notes that refer to this one, if that says more than the sentence before."""
    others = [mention for mention in evidence.incoming if mention.value == 0]
    if not others:
        return ""
    first = others[0]
    return speaker.phrases.referred_to(evidence.incoming_count, speaker.note(first), speaker.kind(first.kind))


def _refers(evidence: Evidence, speaker: Speaker) -> str:
    named = [(speaker.note(m), speaker.kind(m.kind)) for m in evidence.outgoing]
    return speaker.phrases.refers(named, evidence.outgoing_count) if named else ""
