"""Recognition by nearness: the intent whose example question is nearest in meaning, if it is near and clearly so. Pure.

What all questions share is taken off first (the mean of the examples), so that the bounds mean much the same for every
embedding model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Example:
    """An example question of an intent."""

    intent: str
    text: str


@dataclass(frozen=True, slots=True)
class Near:
    """The nearest example, its similarity in [-1, 1], and how far ahead of the nearest of any other intent it is."""

    example: Example
    similarity: float
    lead: float


def nearest_example(examples: Sequence[Example], vectors: Vector, question: Vector) -> Near | None:
    """The example nearest to the question; None where fewer than two intents have examples.

    `vectors` are those of the examples, shape (n, dimension), `question` has shape (dimension,).
    """
    if len({example.intent for example in examples}) < 2:
        return None
    centre = vectors.mean(axis=0)
    likeness = _unit(vectors - centre) @ _unit(question - centre)
    best = int(np.argmax(likeness))
    intent = examples[best].intent
    others = [float(value) for each, value in zip(examples, likeness, strict=True) if each.intent != intent]
    return Near(examples[best], float(likeness[best]), float(likeness[best]) - max(others))


def _unit(vectors: Vector) -> Vector:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    units: Vector = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return units
