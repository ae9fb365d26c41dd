"""Everything that one pipeline works with: settings, tables, store and embedder, each opened when first asked for."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from mindnet_pipeline.core.chunking import CHUNKER_VERSION
from mindnet_pipeline.core.edges import EDGE_RULES_VERSION
from mindnet_pipeline.core.notes import READER_VERSION
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline.storage.embedding_cache import EmbeddingCache
from mindnet_pipeline.storage.tables import Tables
from mindnet_pipeline.storage.vectors import open_store
from mindnet_pipeline.storage.vectors.protocol import StoreFacts, VectorStore


@dataclass(frozen=True)
class Pipeline:
    """The settings and what they lead to. Cheap to make: nothing is opened before it is used."""

    settings: Settings

    @cached_property
    def tables(self) -> Tables:
        """The Parquet tables below the data folder."""
        return Tables(self.settings.data, self.settings.sync.buckets)

    @cached_property
    def store(self) -> VectorStore:
        """The vector store, embedded or on a server."""
        return open_store(self.settings)

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding engine that the settings choose."""
        return open_embedder(self.settings.embedding, self.settings.data)

    @cached_property
    def embedding_cache(self) -> EmbeddingCache:
        """Every vector that was ever made with this model."""
        return EmbeddingCache(self.settings.data, self.embedder.model_key)

    @cached_property
    def bm25(self) -> Bm25Encoder:
        """The encoder of sparse vectors."""
        return Bm25Encoder()

    @property
    def facts(self) -> StoreFacts:
        """What a generation of the store made by this pipeline is made with."""
        return StoreFacts(self.embedder.model_key, self.embedder.dimension)

    @cached_property
    def fingerprint(self) -> str:
        """A digest of what all rows depend on: types, versions of the rules, embedding model, options."""
        parts = {
            "reader": READER_VERSION,
            "chunker": CHUNKER_VERSION,
            "edges": EDGE_RULES_VERSION,
            "types": self.settings.registry.fingerprint,
            "model": self.embedder.model_key,
            "schema": self.facts.schema_version,
            "note_scope_references": self.settings.sync.note_scope_references,
            "hash": [self.settings.sync.hash_mode, self.settings.sync.hash_normalize],
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
