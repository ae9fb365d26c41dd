"""config/pipeline.yaml and the environment: vault, data, embedding, store, sync, chat, feedback, evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.settings.chat import ChatOptions
from mindnet_pipeline.settings.evaluation import EvaluationOptions
from mindnet_pipeline.settings.learning import FeedbackOptions, TuningOptions
from mindnet_pipeline.settings.reading import Strict, read_yaml, validate

Language = Literal["de", "en"]
HashMode = Literal["body", "frontmatter", "body+frontmatter"]
HashNormalize = Literal["none", "canonical"]


class EmbeddingOptions(Strict):
    """Which embedder makes the vectors."""

    engine: Literal["auto", "bundled", "onnx", "sentence-transformers", "none"] = "auto"
    model: str = ""
    batch_size: int = Field(default=32, ge=1, le=4096)
    query_prompt: str = ""
    document_prompt: str = ""


class StoreOptions(Strict):
    """Where the collections are. The key for a server comes from the environment only."""

    url: str = ""
    prefix: str = Field(default="mindnet", pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    wait_seconds: float = Field(default=30, ge=0)
    api_key: str = Field(default="", repr=False, exclude=True)


class SyncOptions(Strict):
    """What counts as a change, what is left out, how runs are cut."""

    hash_mode: HashMode = "body+frontmatter"
    hash_normalize: HashNormalize = "none"
    note_scope_references: bool = False
    exclude: tuple[str, ...] = ("node_modules/",)
    buckets: int = Field(default=64, ge=1, le=4096)
    max_notes_per_run: int = Field(default=10_000, ge=1)
    quiet_seconds: float = Field(default=2, ge=0)
    max_wait_seconds: float = Field(default=60, ge=0)


class PipelineFile(Strict):
    """The file as a whole, with the environment laid over it."""

    vault: str = "vault_sample"
    data: str = "data"
    language: Language = "de"
    embedding: EmbeddingOptions = Field(default_factory=EmbeddingOptions)
    store: StoreOptions = Field(default_factory=StoreOptions)
    sync: SyncOptions = Field(default_factory=SyncOptions)
    chat: ChatOptions = Field(default_factory=ChatOptions)
    feedback: FeedbackOptions = Field(default_factory=FeedbackOptions)
    evaluation: EvaluationOptions = Field(default_factory=EvaluationOptions)
    tuning: TuningOptions = Field(default_factory=TuningOptions)


_ENVIRONMENT: Mapping[str, tuple[str, ...]] = {
    "MINDNET_VAULT": ("vault",),
    "MINDNET_DATA": ("data",),
    "MINDNET_LANG": ("language",),
    "MINDNET_QDRANT_URL": ("store", "url"),
    "MINDNET_PREFIX": ("store", "prefix"),
    "MINDNET_HASH_MODE": ("sync", "hash_mode"),
    "MINDNET_HASH_NORMALIZE": ("sync", "hash_normalize"),
    "MINDNET_NOTE_SCOPE_REFS": ("sync", "note_scope_references"),
    "MINDNET_LLM_URL": ("chat", "url"),
    "MINDNET_LLM_MODEL": ("chat", "model"),
}


def _written_in(environ: Mapping[str, str]) -> dict[tuple[str, ...], tuple[str, str]]:
    """What the environment sets: path of the key → (name of the variable, its value)."""
    values = {path: (name, environ[name]) for name, path in _ENVIRONMENT.items() if environ.get(name)}
    engine, _, model = environ.get("MINDNET_EMBEDDER", "").partition(":")
    chosen = {("embedding", "engine"): engine, ("embedding", "model"): model}
    return values | {path: ("MINDNET_EMBEDDER", value) for path, value in chosen.items() if value}


def _overlay(raw: dict[str, Any], values: Mapping[tuple[str, ...], tuple[str, str]]) -> dict[str, Any]:
    for path, (name, value) in values.items():
        section = raw
        for key in path[:-1]:
            section = section.setdefault(key, {})
            if not isinstance(section, dict):
                raise ConfigError(f"pipeline.yaml: {key}: expected a mapping (while applying {name})")
        section[path[-1]] = value
    return raw


def load_pipeline_file(path: Path, environ: Mapping[str, str]) -> PipelineFile:
    """Read pipeline.yaml and lay the environment over it; every key may be left out."""
    values = _written_in(environ)
    variables = {".".join(key): name for key, (name, _) in values.items()}
    return validate(PipelineFile, _overlay(read_yaml(path), values), path, variables)
