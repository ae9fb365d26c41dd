"""Two sections of pipeline.yaml: `feedback`, what is kept of questions, and `tuning`, what is learned from ratings."""

from __future__ import annotations

from pydantic import Field

from mindnet_pipeline.settings.reading import Strict


class FeedbackOptions(Strict):
    """What is logged of questions, and whether a rating is asked for."""

    log: bool = True
    ask: bool = True
    rotate_mb: float = Field(default=20, gt=0)
