"""Small vaults in a real store, made in a test: notes, chunks and links without parsing, vectors from words.

`WordEmbedder` gives every word a direction of its own, so texts are near as far as they share words; `MEANS` lets two
words share one direction, as a language model would.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mindnet_pipeline.core.ids import chunk_id, edge_id
from mindnet_pipeline.core.lexical import lexical_text
from mindnet_pipeline.core.model import Chunk
from mindnet_pipeline.decision_engine.engine import DecisionEngine
from mindnet_pipeline.retrieval.retriever import Retriever
from mindnet_pipeline.settings import RetrieverOptions, load_registry
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.vectors.protocol import Point, StoreFacts, VectorStore
from mindnet_pipeline.storage.vectors.server import ServerStore

REGISTRY = load_registry(Path(__file__).parents[2] / "config" / "types.yaml")
MEANS = {"drossel": "vogel", "amsel": "vogel", "bird": "vogel"}


class WordEmbedder:
    """As much of an embedder as search needs."""

    model_key = "words@test"
    dimension = 64
    max_tokens = 512

    def embed_query(self, text: str) -> np.ndarray:
        words = [word.strip(".,?!:()[]").lower() for word in text.split()]
        total = sum((self._direction(MEANS.get(word, word)) for word in words if word), np.zeros(self.dimension))
        return np.asarray(total / (np.linalg.norm(total) or 1), dtype=np.float32)

    def _direction(self, word: str) -> np.ndarray:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
        return np.random.default_rng(seed).standard_normal(self.dimension)


class NoEmbedder:
    """The engine `none`."""

    model_key = "none"
    dimension = 0

    def embed_query(self, text: str) -> np.ndarray:
        raise AssertionError(f"asked to embed {text!r} without a model")


@dataclass
class World:
    """Notes and links to be; `retriever()` writes them to a store and opens it."""

    embedder: Any = field(default_factory=WordEmbedder)
    decisions: DecisionEngine | None = None
    points: dict[str, list[Point]] = field(default_factory=lambda: {"notes": [], "chunks": [], "edges": []})

    def note(
        self, note_id: str, *texts: str, sections: Sequence[str] = (), langs: Sequence[str] = (), **fields: Any
    ) -> World:
        """A note with one chunk per text, each in its section and language; `fields` are of the note's payload."""
        body = "".join(texts)
        note = {
            "note_id": note_id, "title": note_id.title(), "path": f"{note_id}.md", "type": "concept", "tags": [],
            "aliases": [], "lang": "de", "created": "2025-03-01", "frontmatter": {}, "frontmatter_raw": "",
            "fulltext": body,
        } | fields  # fmt: skip
        self.points["notes"].append(Point(note_id, note))
        start = 0
        for index, text in enumerate(texts, start=1):
            section = (sections[index - 1],) if sections and sections[index - 1] else ()
            own = note | {"lang": langs[index - 1]} if langs else note
            self.points["chunks"].append(self._chunk_point(own, index, text, start, section))
            start += len(text)
        return self

    def link(self, source: str, target: str, kind: str = "references", **fields: Any) -> World:
        """An edge from a chunk (`note#c01`) or a whole note to a note."""
        scope = "chunk" if "#c" in source else "note"
        edge = {
            "kind": kind, "scope": scope, "source_id": source, "target_id": target, "status": "ok",
            "note_id": source.partition("#c")[0], "provenance": "explicit", "rule_id": "explicit:wikilink",
            "confidence": 1.0, "target_section": "",
        } | fields  # fmt: skip
        self.points["edges"].append(Point(edge_id(source, target, kind, scope, edge["rule_id"]), edge))
        return self

    def retriever(self, language: str = "de", **options: Mapping[str, Any]) -> Retriever:
        """The world written to a store in memory, opened for searching."""
        store = ServerStore(":memory:", "test")
        self.fill(store)
        made = RetrieverOptions.model_validate(options)
        return Retriever(
            store.reader(), self.embedder, Bm25Encoder(), REGISTRY, made, language, decisions=self.decisions
        )

    def fill(self, store: VectorStore) -> None:
        """Write the world as the store's current generation."""
        facts = StoreFacts(self.embedder.model_key, self.embedder.dimension)
        with store.writer(facts) as writer:
            for collection, points in self.points.items():
                writer.upsert(collection, points)
        store.switch(facts)

    def _chunk_point(
        self, note: Mapping[str, Any], index: int, text: str, start: int, section: tuple[str, ...]
    ) -> Point:
        chunk = Chunk(
            chunk_id=chunk_id(note["note_id"], index), stable_id="", note_id=note["note_id"], note_title=note["title"],
            path=note["path"], type=note["type"], area="", project="", tags=tuple(note["tags"]), chunk_index=index,
            char_start=start, char_end=start + len(text), token_count=len(text.split()),
            section_title=section[-1] if section else "", section_path=section, kind="text", lang=note["lang"],
            text=text, overlap_chars=0, summary="", wikilinks=(), external_links=(),
            retriever_weight=REGISTRY.type_of(note["type"]).retriever_weight, chunk_profile="", hard_split=False,
            created_at=note["created"], window_hash="",
        )  # fmt: skip
        dense = self.embedder.embed_query(f"{note['title']} {text}") if self.embedder.dimension else None
        sparse = Bm25Encoder().document(lexical_text(chunk, note["aliases"]), chunk.lang)
        return Point(chunk.chunk_id, asdict(chunk), dense, sparse)
