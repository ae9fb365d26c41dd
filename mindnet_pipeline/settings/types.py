"""config/types.yaml → the registry of note types and relations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator, model_validator

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.core.ids import fold
from mindnet_pipeline.core.registry import DEFAULT_TYPE, ChunkSizes, NoteType, Registry, Relation
from mindnet_pipeline.settings.reading import Strict, nearest, read_yaml, validate


class _ProfileEntry(Strict):
    target: tuple[int, int]
    max: int = Field(ge=1)
    min: int = Field(ge=0)
    overlap: int = Field(ge=0)


class _TypeEntry(Strict):
    chunk_profile: str
    target: tuple[int, int] | None = None
    max: int | None = Field(default=None, ge=1)
    min: int | None = Field(default=None, ge=0)
    overlap: int | None = Field(default=None, ge=0)
    edge_defaults: tuple[str, ...] = ()
    retriever_weight: float = Field(default=1.0, ge=0, le=2)
    quotes_apart: bool = False
    label: Mapping[str, str] = {}
    tells: Mapping[str, str] = {}
    plural: Mapping[str, str] = {}


class _RelationEntry(Strict):
    weight: float = Field(default=0.5, ge=0, le=1)
    symmetric: bool = False
    inverse: str = ""
    label: Mapping[str, str] = {}
    inverse_label: Mapping[str, str] = {}
    aliases: tuple[str, ...] = ()


class _TypesFile(Strict):
    chunk_profiles: Mapping[str, _ProfileEntry]
    types: Mapping[str, _TypeEntry]
    relations: Mapping[str, _RelationEntry]
    stop_sections: tuple[str, ...] = ()

    @field_validator("types")
    @classmethod
    def _has_default(cls, types: Mapping[str, _TypeEntry]) -> Mapping[str, _TypeEntry]:
        if DEFAULT_TYPE not in types:
            raise ValueError(f"the type `{DEFAULT_TYPE}` is missing")
        return types

    @model_validator(mode="after")
    def _names_exist(self) -> _TypesFile:
        for name, entry in self.types.items():
            if entry.chunk_profile not in self.chunk_profiles:
                raise ValueError(f"types.{name}.chunk_profile: {nearest(entry.chunk_profile, self.chunk_profiles)}")
            for kind in entry.edge_defaults:
                if kind not in self.relations:
                    raise ValueError(f"types.{name}.edge_defaults: {nearest(kind, self.relations)}")
        return self


def load_registry(path: Path) -> Registry:
    """Read types.yaml into the registry of types and relations."""
    raw = read_yaml(path)
    file = validate(_TypesFile, raw, path)
    types = {name: _note_type(name, entry, file.chunk_profiles, path) for name, entry in file.types.items()}
    relations = {name: _relation(name, entry) for name, entry in file.relations.items()}
    names = {_key(alias): r.name for r in relations.values() for alias in (*r.aliases, *r.labels.values(), r.name)}
    return Registry(
        types=types,
        relations=relations,
        relation_names=names,
        stop_sections=tuple(fold(title) for title in file.stop_sections),
        fingerprint=_fingerprint(raw),
    )


def _fingerprint(raw: Mapping[str, Any]) -> str:
    """A digest of the file without what only answers read (`tells`, `plural`): rewording it makes no note anew."""
    types = {
        name: {key: value for key, value in entry.items() if key not in {"tells", "plural"}}
        for name, entry in raw["types"].items()
    }
    written = json.dumps({**raw, "types": types}, sort_keys=True, default=str)
    return hashlib.sha256(written.encode()).hexdigest()[:16]


def _note_type(name: str, entry: _TypeEntry, profiles: Mapping[str, _ProfileEntry], path: Path) -> NoteType:
    profile = profiles[entry.chunk_profile]
    target = entry.target or profile.target
    sizes = ChunkSizes(
        profile=entry.chunk_profile,
        target_min=target[0],
        target_max=target[1],
        maximum=profile.max if entry.max is None else entry.max,
        minimum=profile.min if entry.min is None else entry.min,
        overlap=profile.overlap if entry.overlap is None else entry.overlap,
    )
    if not sizes.minimum <= sizes.target_min <= sizes.target_max <= sizes.maximum:
        raise ConfigError(f"{path}: types.{name}: sizes must rise (min ≤ target ≤ max), found {sizes}")
    if sizes.overlap >= sizes.target_min:
        raise ConfigError(
            f"{path}: types.{name}: overlap {sizes.overlap} must be smaller than the target {sizes.target_min}"
        )
    return NoteType(
        name,
        sizes,
        entry.edge_defaults,
        entry.retriever_weight,
        entry.quotes_apart,
        labels=dict(entry.label),
        tells=dict(entry.tells),
        plurals=dict(entry.plural),
    )


def _relation(name: str, entry: _RelationEntry) -> Relation:
    return Relation(
        name=name,
        symmetric=entry.symmetric,
        inverse=name if entry.symmetric else entry.inverse,
        weight=entry.weight,
        aliases=entry.aliases,
        labels=dict(entry.label),
        inverse_labels=dict(entry.label if entry.symmetric else entry.inverse_label),
    )


def _key(written: str) -> str:
    return fold(written).replace("-", "_").replace(" ", "_")
