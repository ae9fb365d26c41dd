"""How long a search takes without the embedding of the question, and how much memory it needs.

    python benchmarks/retrieval_latency.py [--notes 1000 10000]

The vault is made up: three chunks per note from a vocabulary with the frequencies of language, vectors around topics,
links that favour few targets. Printed: median and 95th percentile over 200 questions after 20 to warm up, with and
without reasons, wall clock and processor time, and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from race_data import link_points, passage_chunk, passage_note, passage_point

from mindnet_pipeline.retrieval.retriever import Retriever
from mindnet_pipeline.settings import load_settings
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import Point, StoreFacts

_DIMENSION = 384
_TOPICS = 200
_CHUNKS = 3
_LINKS = 6
_WARM_UP = 20
_QUESTIONS = 200


class TopicEmbedder:
    """A vector near a random topic for every question, in no time."""

    model_key = "topics"
    dimension = _DIMENSION

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random
        self._topics = random.standard_normal((_TOPICS, _DIMENSION)).astype(np.float32)

    def embed_query(self, _text: str) -> npt.NDArray[np.float32]:
        """A vector near a topic."""
        near = self._topics[self._random.integers(_TOPICS)] + self._random.standard_normal(_DIMENSION)
        return np.asarray(near / np.linalg.norm(near), dtype=np.float32)


def fill(notes: int, embedder: TopicEmbedder, random: np.random.Generator) -> EmbeddedStore:
    """A store with a made-up vault."""
    store = EmbeddedStore(tempfile.mkdtemp(prefix="latency-"))
    bm25, facts = Bm25Encoder(), StoreFacts("topics", _DIMENSION)
    with store.writer(facts) as writer:
        for first in range(0, notes, 500):
            ids = range(first, min(notes, first + 500))
            rows = [{"id": f"n{i}", "title": words(random, 3), "text": words(random, 150)} for i in ids]
            writer.upsert("notes", [Point(row["id"], passage_note(row, "en")) for row in rows])
            chunks = [passage_chunk(row, "en", index) for row in rows for index in range(1, _CHUNKS + 1)]
            writer.upsert("chunks", [passage_point(chunk, embedder.embed_query(""), bm25) for chunk in chunks])
            targets = (notes * random.random((len(chunks), _LINKS)) ** 2).astype(int)
            links = [(c, f"n{t}") for c, row in zip(chunks, targets, strict=True) for t in set(row.tolist())]
            writer.upsert("edges", [point for source, target in links for point in link_points(source, target)])
    store.switch(facts)
    return store


def words(random: np.random.Generator, count: int) -> str:
    """Words with the frequencies of language."""
    return " ".join(f"w{rank % 50_000}" for rank in random.zipf(1.2, count))


def measure(retriever: Retriever, questions: Sequence[str], *, explain: bool) -> str:
    """The percentiles as one line."""
    wall, processor = [], []
    for number, question in enumerate(questions):
        started, used = time.perf_counter(), time.process_time()
        retriever.search(question, explain=explain)
        if number >= _WARM_UP:
            wall.append((time.perf_counter() - started) * 1000)
            processor.append((time.process_time() - used) * 1000)
    (p50, p95), (c50, c95) = np.quantile(wall, [0.5, 0.95]), np.quantile(processor, [0.5, 0.95])
    return f"wall p50 {p50:.0f} ms, p95 {p95:.0f} ms · processor p50 {c50:.0f} ms, p95 {c95:.0f} ms"


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, nargs="+", default=[1000, 10_000])
    settings = load_settings()
    for notes in parser.parse_args().notes:
        random = np.random.default_rng(7)
        embedder = TopicEmbedder(random)
        with fill(notes, embedder, random).reader() as reader:
            retriever = Retriever(reader, embedder, Bm25Encoder(), settings.registry, settings.retriever, "en")
            questions = [words(random, 8) for _ in range(_WARM_UP + _QUESTIONS)]
            print(f"{notes} notes, {reader.count('chunks')} chunks, {reader.count('edges')} edges")
            print(f"  search:       {measure(retriever, questions, explain=False)}")
            print(f"  with reasons: {measure(retriever, questions, explain=True)}")
        print(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
