"""How relevant a hit is by itself, on a scale that means the same for every question. Pure.

A score ranks the candidates of one question; the best of nothing to the point still scores high. Relevance asks
whether there is anything to the point at all: how near in meaning, on the model's own scale, and how many of the
question's words. What links lend is not in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from mindnet_pipeline.retrieval.scoring import scaled
from mindnet_pipeline.settings.retriever import ModelScale

_UNKNOWN_MODEL = ModelScale()


def scale_of(model_key: str, scales: Mapping[str, ModelScale]) -> ModelScale:
    """The scale of a model: that of the longest name which its key holds; a cautious one for an unknown model.

    >>> scale_of("multilingual-e5-small@onnx", {"e5-": ModelScale(unrelated=0.78, same=0.88)}).same
    0.88
    """
    names = [name for name in scales if name in model_key]
    return scales[max(names, key=len)] if names else _UNKNOWN_MODEL


def closeness(cosine: float, scale: ModelScale) -> float:
    """The cosine on the model's scale, in [0, 1].

    >>> closeness(0.75, ModelScale(unrelated=0.5, same=1.0))
    0.5
    """
    return scaled({"": cosine}, scale.unrelated, scale.same)[""]


def covered(question: Sequence[Collection[int]], text: Collection[int]) -> float:
    """The share of the question's words that the text holds; a word is the indices of all its forms.

    >>> covered([{1, 2}, {3}], {2, 9}), covered([], {2})
    (0.5, 0.0)
    """
    there = set(text)
    return sum(not there.isdisjoint(word) for word in question) / len(question) if question else 0.0


def relevance(near: float | None, words: float | None, *, meaning_weight: float, words_weight: float) -> float:
    """Both together, weighed as in the score, in [0, 1]; None: the question or the store has no such side.

    >>> relevance(1.0, 0.0, meaning_weight=0.75, words_weight=0.25)
    0.75
    >>> relevance(None, 0.5, meaning_weight=0.7, words_weight=0.3)
    0.5
    """
    sides = [(meaning_weight, near), (words_weight, words)]
    full = sum(weight for weight, value in sides if value is not None)
    return sum(weight * value for weight, value in sides if value is not None) / full if full else 0.0
