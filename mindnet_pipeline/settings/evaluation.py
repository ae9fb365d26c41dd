"""The section `evaluation` of pipeline.yaml: the golden questions asked each night, and how good is good enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from mindnet_pipeline.settings.reading import Strict

MeasureName = Literal["nDCG@5", "nDCG@10", "Recall@5", "Recall@10", "MRR", "hit@1"]


class EvaluationOptions(Strict):
    """`questions` is a file beside pipeline.yaml or an absolute path, empty for none; `floor` is by measure."""

    questions: str = "golden.yaml"
    floor: Mapping[MeasureName, Annotated[float, Field(ge=0, le=1)]] = {"MRR": 0.65, "Recall@10": 0.7}
