"""The types and relations that a vault may use: config/types.yaml as frozen values.

Read by `settings/types.py`, used by parsing (weights, profiles), chunking (sizes), edges (kinds, defaults) and
retrieval (kind weights, labels). Nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mindnet_pipeline.core.ids import fold

DEFAULT_TYPE = "default"


@dataclass(frozen=True, slots=True)
class ChunkSizes:
    """Sizes in tokens of the embedding model's tokenizer; `minimum <= target_min <= target_max <= maximum`."""

    profile: str
    target_min: int
    target_max: int
    maximum: int
    minimum: int
    overlap: int


@dataclass(frozen=True, slots=True)
class NoteType:
    """What a note's `type` decides: chunk sizes, default relations, preference in search, how quotes are cut.

    `labels`, `plurals` and `tells` (a sentence on what such notes say) are by language (`de`, `en`).
    """

    name: str
    sizes: ChunkSizes
    edge_defaults: tuple[str, ...]
    retriever_weight: float
    quotes_apart: bool
    labels: Mapping[str, str]
    tells: Mapping[str, str] = field(default_factory=dict)
    plurals: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation kind. `aliases` are other ways to write it; labels and inverse labels are by language (`de`, `en`)."""

    name: str
    symmetric: bool
    inverse: str
    weight: float
    aliases: tuple[str, ...]
    labels: Mapping[str, str]
    inverse_labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Registry:
    """All types and relations of one configuration. `fingerprint` changes when anything that rows depend on changes."""

    types: Mapping[str, NoteType]
    relations: Mapping[str, Relation]
    relation_names: Mapping[str, str]
    stop_sections: tuple[str, ...]
    fingerprint: str

    def type_of(self, name: str) -> NoteType:
        """The type with this name, or the default type."""
        return self.types.get(name) or self.types[DEFAULT_TYPE]

    def relation_kind(self, written: str) -> tuple[str, bool]:
        """The relation kind for a written key, and whether the vocabulary knows it.

        >>> # "Hängt ab von" → ("depends_on", True); "foo bar" → ("foo_bar", False)
        """
        key = fold(written).replace("-", "_").replace(" ", "_")
        known = self.relation_names.get(key)
        return (known, True) if known else (key, False)

    def is_stop_section(self, title: str) -> bool:
        """True for a section whose links make no edges (a list of possible links)."""
        return fold(title) in self.stop_sections
