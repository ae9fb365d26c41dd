"""config/retriever.yaml: how search weighs its signals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from mindnet_pipeline.settings.reading import Strict, read_yaml, validate


class Weights(Strict):
    """Weights of the parts of a total score."""

    semantic: float = Field(default=0.6, ge=0)
    lexical: float = Field(default=0.4, ge=0)
    edge: float = Field(default=0.6, ge=0)
    centrality: float = Field(default=0.02, ge=0)
    type: float = Field(default=0.05, ge=0)
    intent: float = Field(default=1.0, ge=0, le=1)


class CandidateOptions(Strict):
    """How many candidates each source gives."""

    dense: int = Field(default=50, ge=1)
    lexical: int = Field(default=50, ge=1)
    seeds: int = Field(default=10, ge=0)
    neighbours: int = Field(default=50, ge=0)
    preferred: int = Field(default=10, ge=0)


class ModelScale(Strict):
    """What a model's cosines mean: where texts are unrelated, where they agree, how much is lost between languages."""

    unrelated: float = Field(default=0.2, ge=-1, le=1)
    same: float = Field(default=0.7, ge=-1, le=1)
    foreign: float = Field(default=0.0, ge=0, le=0.5)

    @model_validator(mode="after")
    def _rises(self) -> Self:
        if self.unrelated >= self.same:
            raise ValueError("unrelated must be below same")
        return self


def _known_models() -> dict[str, ModelScale]:
    return {"e5-": ModelScale(unrelated=0.78, same=0.88, foreign=0.035)}


class ScaleOptions(Strict):
    """How raw similarities become scores in [0, 1]. `models`: by a part of the model's name."""

    reach: float = Field(default=1.0, ge=0, le=5)
    spread: float = Field(default=0.7, ge=0, le=1)
    alike: float = Field(default=0.4, ge=0, le=1)
    models: Mapping[str, ModelScale] = Field(default_factory=_known_models)


class GraphOptions(Strict):
    """What links may do to a score."""

    cap: float = Field(default=0.5, ge=0, le=1)
    provenance: Mapping[str, float] = {"explicit": 1.0, "rule": 0.8}
    further: float = Field(default=0.25, ge=0, le=1)
    hub_damping: float = Field(default=0.5, ge=0)
    link_list_damping: float = Field(default=0.5, ge=0, le=1)


class ResultOptions(Strict):
    """What is shown."""

    limit: int = Field(default=10, ge=1)
    max_per_note: int = Field(default=2, ge=1)
    relevance: float = Field(default=0.3, ge=0, le=1)


class RetrieverOptions(Strict):
    """config/retriever.yaml."""

    weights: Weights = Field(default_factory=Weights)
    candidates: CandidateOptions = Field(default_factory=CandidateOptions)
    scale: ScaleOptions = Field(default_factory=ScaleOptions)
    graph: GraphOptions = Field(default_factory=GraphOptions)
    results: ResultOptions = Field(default_factory=ResultOptions)


def load_retriever_options(folder: Path) -> RetrieverOptions:
    """Read retriever.yaml; every key may be left out."""
    return validate(RetrieverOptions, read_yaml(folder / "retriever.yaml"), folder / "retriever.yaml")
