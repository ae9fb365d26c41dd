"""Two sections of pipeline.yaml: `feedback`, what is kept of questions, and `tuning`, what is learned from ratings."""

from __future__ import annotations

from pydantic import Field, field_validator

from mindnet_pipeline.settings.reading import Strict


class FeedbackOptions(Strict):
    """What is logged of questions, and whether a rating is asked for."""

    log: bool = True
    ask: bool = True
    rotate_mb: float = Field(default=20, gt=0)


Range = tuple[float, float]


class WeightBounds(Strict):
    """Between which values a learned weight may lie. One that is outside today may stay there."""

    semantic: Range = (0.0, 2.0)
    lexical: Range = (0.0, 2.0)
    edge: Range = (0.0, 2.0)
    centrality: Range = (0.0, 0.5)
    type: Range = (0.0, 2.0)

    @field_validator("*")
    @classmethod
    def _rises(cls, bounds: Range) -> Range:
        low, high = bounds
        if not 0 <= low <= high:
            raise ValueError(f"must rise from 0 or more, found {low} to {high}")
        return bounds


class TuningOptions(Strict):
    """When ratings are enough to learn from, and within which bounds."""

    min_ratings: int = Field(default=60, ge=2)
    min_questions: int = Field(default=20, ge=5)
    bounds: WeightBounds = Field(default_factory=WeightBounds)
