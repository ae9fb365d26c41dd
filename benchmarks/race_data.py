"""Labelled question sets as linked vaults in a store: one note, one chunk per passage, one link per mention.

The sets lie in the folder `bench` below MINDNET_SHARED: `corpus.jsonl` (id, title, text, links), `queries.jsonl`
(id, text), `qrels.tsv`. Embeddings are kept in a cache folder, by the digest of model and texts.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.ids import chunk_id, edge_id
from mindnet_pipeline.core.lexical import lexical_text
from mindnet_pipeline.core.model import Chunk
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import Point, StoreFacts, VectorStore

Matrix = npt.NDArray[np.float32]
BILINGUAL = "xquad_bilingual"
_BATCH = 16


@dataclass(frozen=True)
class QuestionSet:
    """Passages, questions and which passages answer them."""

    name: str
    lang: str
    passages: Sequence[Mapping[str, Any]]
    questions: Mapping[str, str]
    relevant: Mapping[str, Mapping[str, float]]


class CachedEmbedder:
    """A model with the questions' vectors at hand."""

    def __init__(self, model: Embedder, questions: Sequence[str], vectors: Matrix) -> None:
        self.model_key, self.dimension = model.model_key, model.dimension
        self._vectors = dict(zip(questions, vectors, strict=True))

    def embed_query(self, text: str) -> Matrix:
        """The vector of a question of the set."""
        return self._vectors[text]


def load(name: str, folder: Path | None = None) -> QuestionSet:
    """Read one set; stop with a message where it is not there."""
    if name == BILINGUAL:
        return load_bilingual()
    folder = (folder or Path(os.environ.get("MINDNET_SHARED", ".")) / "bench") / name
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder. Set MINDNET_SHARED to the folder above `bench`.")
    relevant: dict[str, dict[str, float]] = defaultdict(dict)
    with (folder / "qrels.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            relevant[row["query-id"]][row["corpus-id"]] = float(row["score"])
    questions = {row["id"]: row["text"].strip() for row in _rows(folder / "queries.jsonl") if row["id"] in relevant}
    return QuestionSet(
        name, "de" if name.endswith("_de") else "en", list(_rows(folder / "corpus.jsonl")), questions, relevant
    )


def load_bilingual() -> QuestionSet:
    """XQuAD as a vault in two languages: the passages by turns in German and in English, the questions in both."""
    german, english = load("xquad_de"), load("xquad_en")
    passages = [
        {**(english if number % 2 else german).passages[number], "lang": "en" if number % 2 else "de"}
        for number in range(len(german.passages))
    ]
    questions, relevant = {}, {}
    for each in (german, english):
        questions |= {f"{each.lang}:{key}": text for key, text in each.questions.items()}
        relevant |= {f"{each.lang}:{key}": grades for key, grades in each.relevant.items()}
    return QuestionSet(BILINGUAL, "", passages, questions, relevant)


def embeddings(data: QuestionSet, model: Embedder, cache: Path) -> tuple[Matrix, Matrix]:
    """The vectors of passages (with their titles) and questions, made once."""
    passages = [f"{row['title']}\n{row['text']}" for row in data.passages]
    return _cached(data.name, "documents", passages, model, cache), _cached(
        data.name, "queries", list(data.questions.values()), model, cache
    )


def _cached(name: str, kind: str, texts: Sequence[str], model: Embedder, cache: Path) -> Matrix:
    digest = hashlib.sha256("\x1f".join((model.model_key, *texts)).encode()).hexdigest()[:16]
    file = cache / f"{name}-{kind}-{digest}.npy"
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        if kind == "queries":
            made = np.stack([model.embed_query(text) for text in texts])
        else:
            made = np.concatenate([model.embed_documents(texts[i : i + _BATCH]) for i in range(0, len(texts), _BATCH)])
        np.save(file, made)
    vectors: Matrix = np.load(file)
    return vectors


def fill_store(data: QuestionSet, model: Embedder, documents: Matrix) -> VectorStore:
    """An embedded store in a temporary folder with the whole set."""
    store = EmbeddedStore(tempfile.mkdtemp(prefix=f"race-{data.name}-"))
    facts = StoreFacts(model.model_key, documents.shape[1])
    bm25 = Bm25Encoder()
    chunks = [passage_chunk(row, row.get("lang", data.lang)) for row in data.passages]
    links = [
        (chunk, target) for chunk, row in zip(chunks, data.passages, strict=True) for target in row.get("links", ())
    ]
    with store.writer(facts) as writer:
        writer.upsert("notes", [Point(row["id"], passage_note(row, data.lang)) for row in data.passages])
        writer.upsert("chunks", [passage_point(c, v, bm25) for c, v in zip(chunks, documents, strict=True)])
        writer.upsert("edges", [point for chunk, target in links for point in link_points(chunk, target)])
    store.switch(facts)
    return store


def passage_point(chunk: Chunk, vector: Matrix, bm25: Bm25Encoder) -> Point:
    """The point of a passage's chunk."""
    payload = {name: getattr(chunk, name) for name in Chunk.__slots__}
    return Point(chunk.chunk_id, payload, vector, bm25.document(lexical_text(chunk, ()), chunk.lang))


def passage_note(row: Mapping[str, Any], lang: str) -> dict[str, Any]:
    """The payload of a passage's note."""
    return {
        "note_id": row["id"], "title": row["title"], "path": f"{row['id']}.md", "type": "concept", "tags": [],
        "aliases": [], "lang": lang, "frontmatter": {}, "frontmatter_raw": "", "fulltext": row["text"],
    }  # fmt: skip


def passage_chunk(row: Mapping[str, Any], lang: str, index: int = 1) -> Chunk:
    """A passage as a chunk of its note."""
    return Chunk(
        chunk_id=chunk_id(row["id"], index), stable_id="", note_id=row["id"], note_title=row["title"],
        path=f"{row['id']}.md", type="concept", area="", project="", tags=(), chunk_index=index, char_start=0,
        char_end=len(row["text"]), token_count=0, section_title="", section_path=(), kind="text", lang=lang,
        text=row["text"], overlap_chars=0, summary="", wikilinks=(), external_links=(), retriever_weight=1.0,
        chunk_profile="medium", created_at="", hard_split=False, window_hash="", context=row["title"],
    )  # fmt: skip


def link_points(source: Chunk, target: str) -> tuple[Point, Point]:
    """The edges of a written link: the reference and the backlink."""
    key = (source.chunk_id, target, "references", "chunk", "explicit:wikilink")
    payload = {
        "kind": "references", "scope": "chunk", "source_id": key[0], "target_id": target, "note_id": source.note_id,
        "status": "ok", "provenance": "explicit", "rule_id": key[4], "confidence": 1.0, "target_section": "",
    }  # fmt: skip
    back = {"kind": "backlink", "scope": "note", "source_id": target, "target_id": source.note_id}
    back |= {"note_id": source.note_id, "status": "ok", "provenance": "structure"}
    back_key = (target, source.note_id, "backlink", "note", "structure:backlink")
    return Point(edge_id(*key), payload), Point(edge_id(*back_key), back)


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
