"""The settings of one process: all files of config/ and the environment, put together."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.settings.chat import ChatOptions
from mindnet_pipeline.settings.environment import Environment
from mindnet_pipeline.settings.evaluation import EvaluationOptions
from mindnet_pipeline.settings.learning import FeedbackOptions, TuningOptions
from mindnet_pipeline.settings.pipeline import (
    EmbeddingOptions,
    Language,
    StoreOptions,
    SyncOptions,
    load_pipeline_file,
)
from mindnet_pipeline.settings.places import installed_folders, shipped_folder
from mindnet_pipeline.settings.retriever import RetrieverOptions, load_retriever_options
from mindnet_pipeline.settings.types import load_registry

if TYPE_CHECKING:
    from mindnet_pipeline.settings.decision_engine import DecisionOptions
    from mindnet_pipeline.settings.prompts import PromptOptions


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that one process of mindnet needs to know. `vault` is absolute; `data` is a path or an fsspec URL."""

    vault: Path
    data: str
    language: Language
    embedding: EmbeddingOptions
    store: StoreOptions
    sync: SyncOptions
    chat: ChatOptions
    feedback: FeedbackOptions
    evaluation: EvaluationOptions
    tuning: TuningOptions
    registry: Registry
    config_folder: Path
    notices: tuple[str, ...] = ()
    """What whoever set the environment should know, each as a sentence; whoever loads the settings says it."""

    @property
    def retriever(self) -> RetrieverOptions:
        """config/retriever.yaml, read at each use."""
        return load_retriever_options(self.config_folder)

    @property
    def prompts(self) -> PromptOptions:
        """config/prompts.yaml, read at each use."""
        from mindnet_pipeline.settings.prompts import load_prompts  # noqa: PLC0415 - only where answers are written

        return load_prompts(self.config_folder)

    @property
    def decisions(self) -> DecisionOptions:
        """config/decision_engine.yaml, read at each use."""
        from mindnet_pipeline.settings.decision_engine import load_decision_options  # noqa: PLC0415 - only for search

        return load_decision_options(self.config_folder, self.registry)


def config_folder(environ: Mapping[str, str] | None = None) -> Path:
    """The folder with the YAML files: MINDNET_CONFIG, else `config/` here, else the project's or the installed one."""
    environ = os.environ if environ is None else environ
    if written := environ.get("MINDNET_CONFIG"):
        folder = Path(written).expanduser().resolve()
        if not folder.is_dir():
            raise ConfigError(
                f"MINDNET_CONFIG={written}: no such folder. Point it at a folder with pipeline.yaml and types.yaml."
            )
        return folder
    here = Path.cwd() / "config"
    return next((folder for folder in (here, shipped_folder()) if (folder / "types.yaml").is_file()), here)


def load_settings(
    environ: Mapping[str, str] | None = None, *, vault: str | None = None, data: str | None = None
) -> Settings:
    """Read config/ and the environment; `vault` and `data` (from a command line) win over both.

    Raises:
        ConfigError: a file or a variable is wrong; the message says which key and what to do.
    """
    environ = Environment(os.environ if environ is None else environ)
    folder = config_folder(environ)
    file = load_pipeline_file(folder / "pipeline.yaml", environ)
    types_file = (
        Path(environ["MINDNET_TYPES_FILE"]).expanduser() if environ.get("MINDNET_TYPES_FILE") else folder / "types.yaml"
    )
    if not types_file.is_file():
        raise ConfigError(
            f"{types_file}: no such file. It lists the note types and relations; see config/types.yaml of the project."
        )
    return Settings(
        vault=_absolute(vault or file.vault, folder if not (vault or environ.get("MINDNET_VAULT")) else None),
        data=_data_url(data or file.data, folder if not (data or environ.get("MINDNET_DATA")) else None),
        language=file.language,
        embedding=file.embedding,
        store=file.store.model_copy(update={"api_key": environ.get("MINDNET_QDRANT_API_KEY", "")}),
        sync=file.sync,
        chat=file.chat.model_copy(update={"api_key": environ.get("MINDNET_LLM_API_KEY", "")}),
        feedback=file.feedback,
        evaluation=file.evaluation,
        tuning=file.tuning,
        registry=load_registry(types_file),
        config_folder=folder,
        notices=environ.unknown(),
    )


def _absolute(path: str, config: Path | None) -> Path:
    """Paths in a file are relative to the folder that holds config/; others and an installed one's to where one is."""
    base = config.parent if config and config not in installed_folders() else Path.cwd()
    return (base / Path(path).expanduser()).resolve()


def _data_url(data: str, config: Path | None) -> str:
    if "://" in data:
        return data
    folder = _absolute(data, config)
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: a file, and no folder for data. Name another one (MINDNET_DATA).")
    return str(folder)
