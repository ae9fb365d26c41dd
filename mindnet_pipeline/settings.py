"""Configuration: config/*.yaml and the environment → frozen values. The only reader of either.

Every mistake is a `ConfigError` that names the file, the key and, for an unknown key, the nearest known one.
`load_settings()` reads the files anew at each call; nothing is cached, so an edit works at the next use.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.core.ids import fold
from mindnet_pipeline.core.registry import DEFAULT_TYPE, ChunkSizes, NoteType, Registry, Relation

Language = Literal["de", "en"]
HashMode = Literal["body", "frontmatter", "body+frontmatter"]
HashNormalize = Literal["none", "canonical"]

_PROJECT_ROOT = Path(__file__).resolve().parent.parent


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbeddingOptions(_Strict):
    """Which embedder makes the vectors."""

    engine: Literal["auto", "bundled", "onnx", "sentence-transformers", "none"] = "auto"
    model: str = ""
    batch_size: int = Field(default=32, ge=1, le=4096)
    query_prompt: str = ""
    document_prompt: str = ""


class StoreOptions(_Strict):
    """Where the collections are. The key for a server comes from the environment only."""

    url: str = ""
    prefix: str = Field(default="mindnet", pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    wait_seconds: float = Field(default=30, ge=0)
    api_key: str = Field(default="", repr=False, exclude=True)


class SyncOptions(_Strict):
    """What counts as a change, what is left out, how runs are cut."""

    hash_mode: HashMode = "body+frontmatter"
    hash_normalize: HashNormalize = "none"
    note_scope_references: bool = False
    exclude: tuple[str, ...] = ("node_modules/",)
    buckets: int = Field(default=64, ge=1, le=4096)
    max_notes_per_run: int = Field(default=10_000, ge=1)
    quiet_seconds: float = Field(default=2, ge=0)
    max_wait_seconds: float = Field(default=60, ge=0)


class _PipelineFile(_Strict):
    vault: str = "vault_sample"
    data: str = "data"
    language: Language = "de"
    embedding: EmbeddingOptions = EmbeddingOptions()
    store: StoreOptions = StoreOptions()
    sync: SyncOptions = SyncOptions()


class Weights(_Strict):
    """Weights of the parts of a total score."""

    semantic: float = Field(default=0.7, ge=0)
    lexical: float = Field(default=0.3, ge=0)
    edge: float = Field(default=0.7, ge=0)
    centrality: float = Field(default=0.02, ge=0)
    type: float = Field(default=0.05, ge=0)


class CandidateOptions(_Strict):
    """How many candidates each source gives."""

    dense: int = Field(default=50, ge=1)
    lexical: int = Field(default=50, ge=1)
    seeds: int = Field(default=10, ge=0)
    neighbours: int = Field(default=50, ge=0)


class ScaleOptions(_Strict):
    """How raw similarities become scores in [0, 1]."""

    reach: float = Field(default=1.0, ge=0, le=5)


class GraphOptions(_Strict):
    """What links may do to a score."""

    cap: float = Field(default=0.7, ge=0, le=1)
    provenance: Mapping[str, float] = {"explicit": 1.0, "rule": 0.8}
    further: float = Field(default=0.25, ge=0, le=1)
    hub_damping: float = Field(default=0.5, ge=0)
    link_list_damping: float = Field(default=0.5, ge=0, le=1)


class ResultOptions(_Strict):
    """What is shown."""

    limit: int = Field(default=10, ge=1)
    max_per_note: int = Field(default=2, ge=1)


class RetrieverOptions(_Strict):
    """config/retriever.yaml."""

    weights: Weights = Weights()
    candidates: CandidateOptions = CandidateOptions()
    scale: ScaleOptions = ScaleOptions()
    graph: GraphOptions = GraphOptions()
    results: ResultOptions = ResultOptions()


class _ProfileEntry(_Strict):
    target: tuple[int, int]
    max: int = Field(ge=1)
    min: int = Field(ge=0)
    overlap: int = Field(ge=0)


class _TypeEntry(_Strict):
    chunk_profile: str
    target: tuple[int, int] | None = None
    max: int | None = Field(default=None, ge=1)
    min: int | None = Field(default=None, ge=0)
    overlap: int | None = Field(default=None, ge=0)
    edge_defaults: tuple[str, ...] = ()
    retriever_weight: float = Field(default=1.0, ge=0, le=2)
    quotes_apart: bool = False
    label: Mapping[str, str] = {}


class _RelationEntry(_Strict):
    weight: float = Field(default=0.5, ge=0, le=1)
    symmetric: bool = False
    inverse: str = ""
    label: Mapping[str, str] = {}
    inverse_label: Mapping[str, str] = {}
    aliases: tuple[str, ...] = ()


class _TypesFile(_Strict):
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
                raise ValueError(f"types.{name}.chunk_profile: {_nearest(entry.chunk_profile, self.chunk_profiles)}")
            for kind in entry.edge_defaults:
                if kind not in self.relations:
                    raise ValueError(f"types.{name}.edge_defaults: {_nearest(kind, self.relations)}")
        return self


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that one process of mindnet needs to know. `vault` is absolute; `data` is a path or an fsspec URL."""

    vault: Path
    data: str
    language: Language
    embedding: EmbeddingOptions
    store: StoreOptions
    sync: SyncOptions
    registry: Registry
    config_folder: Path

    @property
    def retriever(self) -> RetrieverOptions:
        """config/retriever.yaml, read at each use."""
        return load_retriever_options(self.config_folder)


def config_folder(environ: Mapping[str, str] | None = None) -> Path:
    """The folder with the YAML files: MINDNET_CONFIG, else `config/` here, else the project's own."""
    environ = os.environ if environ is None else environ
    if written := environ.get("MINDNET_CONFIG"):
        folder = Path(written).expanduser().resolve()
        if not folder.is_dir():
            raise ConfigError(
                f"MINDNET_CONFIG={written}: no such folder. Point it at a folder with pipeline.yaml and types.yaml."
            )
        return folder
    here = Path.cwd() / "config"
    return here if (here / "types.yaml").is_file() else _PROJECT_ROOT / "config"


def load_settings(
    environ: Mapping[str, str] | None = None, *, vault: str | None = None, data: str | None = None
) -> Settings:
    """Read config/ and the environment; `vault` and `data` (from a command line) win over both.

    Raises:
        ConfigError: a file or a variable is wrong; the message says which key and what to do.
    """
    environ = os.environ if environ is None else environ
    folder = config_folder(environ)
    merged = _overlay(_read_yaml(folder / "pipeline.yaml"), environ)
    file = _validate(_PipelineFile, merged, folder / "pipeline.yaml")
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
        registry=load_registry(types_file),
        config_folder=folder,
    )


def load_retriever_options(folder: Path) -> RetrieverOptions:
    """Read retriever.yaml; every key may be left out."""
    return _validate(RetrieverOptions, _read_yaml(folder / "retriever.yaml"), folder / "retriever.yaml")


def load_registry(path: Path) -> Registry:
    """Read types.yaml into the registry of types and relations."""
    raw = _read_yaml(path)
    file = _validate(_TypesFile, raw, path)
    types = {name: _note_type(name, entry, file.chunk_profiles, path) for name, entry in file.types.items()}
    relations = {name: _relation(name, entry) for name, entry in file.relations.items()}
    names = {_key(alias): r.name for r in relations.values() for alias in (*r.aliases, *r.labels.values(), r.name)}
    return Registry(
        types=types,
        relations=relations,
        relation_names=names,
        stop_sections=tuple(fold(title) for title in file.stop_sections),
        fingerprint=hashlib.sha256(json.dumps(raw, sort_keys=True, default=str).encode()).hexdigest()[:16],
    )


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
    return NoteType(name, sizes, entry.edge_defaults, entry.retriever_weight, entry.quotes_apart, dict(entry.label))


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


_Model = TypeVar("_Model", bound=BaseModel)

_ENVIRONMENT: Mapping[str, tuple[str, ...]] = {
    "MINDNET_VAULT": ("vault",),
    "MINDNET_DATA": ("data",),
    "MINDNET_LANG": ("language",),
    "MINDNET_QDRANT_URL": ("store", "url"),
    "MINDNET_PREFIX": ("store", "prefix"),
    "MINDNET_HASH_MODE": ("sync", "hash_mode"),
    "MINDNET_HASH_NORMALIZE": ("sync", "hash_normalize"),
    "MINDNET_NOTE_SCOPE_REFS": ("sync", "note_scope_references"),
}


def _overlay(raw: dict[str, Any], environ: Mapping[str, str]) -> dict[str, Any]:
    values: list[tuple[tuple[str, ...], str, str]] = [
        (path, environ[name], name) for name, path in _ENVIRONMENT.items() if environ.get(name)
    ]
    if embedder := environ.get("MINDNET_EMBEDDER"):
        engine, _, model = embedder.partition(":")
        values.append((("embedding", "engine"), engine, "MINDNET_EMBEDDER"))
        if model:
            values.append((("embedding", "model"), model, "MINDNET_EMBEDDER"))
    for path, value, name in values:
        section = raw
        for key in path[:-1]:
            section = section.setdefault(key, {})
            if not isinstance(section, dict):
                raise ConfigError(f"pipeline.yaml: {key}: expected a mapping (while applying {name})")
        section[path[-1]] = value
    return raw


def _read_yaml(path: Path) -> dict[str, Any]:
    try:
        value = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise ConfigError(f"{where}: not valid YAML: {getattr(error, 'problem', error)}") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected a mapping of keys to values.")
    return value


def _validate(model: type[_Model], raw: Mapping[str, Any], path: Path) -> _Model:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        problems = [_explain(model, problem) for problem in error.errors()]
        raise ConfigError(f"{path}: " + "; ".join(problems)) from None


def _explain(model: type[BaseModel], problem: Any) -> str:
    where = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        known = _known_keys(model, problem["loc"][:-1])
        return f"unknown key `{where}`: {_nearest(str(problem['loc'][-1]), known)}"
    prefix = f"`{where}`: " if where else ""
    found = f" (found {problem['input']!r})" if problem["type"] not in {"value_error", "missing"} else ""
    return f"{prefix}{problem['msg'].removeprefix('Value error, ')}{found}"


def _known_keys(model: type[BaseModel], path: tuple[Any, ...]) -> list[str]:
    for key in path:
        info = model.model_fields.get(str(key))
        candidates = [info.annotation, *getattr(info.annotation, "__args__", ())] if info else []
        nested = [c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)]
        if nested:
            model = nested[0]
    return list(model.model_fields)


def _nearest(written: str, known: Any) -> str:
    near = difflib.get_close_matches(written, list(known), n=1, cutoff=0.5)
    return f"`{written}` is not known" + (
        f"; did you mean `{near[0]}`?" if near else f" (known: {', '.join(sorted(known))})"
    )


def _absolute(path: str, config: Path | None) -> Path:
    """Paths in a file are relative to the folder that holds config/, others to the working directory."""
    base = config.parent if config else Path.cwd()
    return (base / Path(path).expanduser()).resolve()


def _data_url(data: str, config: Path | None) -> str:
    return data if "://" in data else str(_absolute(data, config))
