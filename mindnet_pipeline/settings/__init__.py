"""Configuration: config/*.yaml and the environment → frozen values. The only reader of either.

One module per file of config/, `loading` puts them together. Every mistake is a `ConfigError` that names the file, the
key and, for an unknown key, the nearest known one. `load_settings()` reads the files anew at each call; nothing is
cached, so an edit works at the next use.
"""

from __future__ import annotations

from mindnet_pipeline.settings.chat import ChatOptions
from mindnet_pipeline.settings.decision_engine import DecisionOptions, load_decision_options
from mindnet_pipeline.settings.learning import FeedbackOptions, TuningOptions
from mindnet_pipeline.settings.loading import Settings, config_folder, load_settings
from mindnet_pipeline.settings.pipeline import EmbeddingOptions, HashMode, HashNormalize, StoreOptions, SyncOptions
from mindnet_pipeline.settings.prompts import PromptOptions, default_prompts, load_prompts
from mindnet_pipeline.settings.retriever import RetrieverOptions, load_retriever_options
from mindnet_pipeline.settings.types import load_registry

__all__ = [
    "ChatOptions",
    "DecisionOptions",
    "EmbeddingOptions",
    "FeedbackOptions",
    "HashMode",
    "HashNormalize",
    "PromptOptions",
    "RetrieverOptions",
    "Settings",
    "StoreOptions",
    "SyncOptions",
    "TuningOptions",
    "config_folder",
    "default_prompts",
    "load_decision_options",
    "load_prompts",
    "load_registry",
    "load_retriever_options",
    "load_settings",
]
