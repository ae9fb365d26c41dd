"""The same random operations on the embedded store and on the client's imitation of a server must end in the same
answers."""

from __future__ import annotations

import numpy as np
import pytest

from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline.storage.vectors.protocol import (
    COLLECTIONS,
    Condition,
    Point,
    SparseVector,
    StoreFacts,
    VectorStore,
    Where,
)
from mindnet_pipeline.storage.vectors.server import ServerStore
from mindnet_pipeline_tests.storage.samples import search

FACTS = StoreFacts("model", 8)
TYPES = ("task", "concept", "project")


def random_point(rng: np.random.Generator, number: int) -> Point:
    words = sorted(rng.choice(40, size=int(rng.integers(1, 8)), replace=False).tolist())
    payload = {
        "note_id": f"n{number % 12}",
        "type": str(rng.choice(TYPES)),
        "tags": [f"t/{tag}" for tag in rng.choice(5, size=int(rng.integers(0, 3)), replace=False)],
        "path": f"Ordner {number % 3}/Datei.md",
        "created_at": f"20{rng.integers(20, 26)}-{rng.integers(1, 13):02d}-11",
        "hard_split": bool(rng.integers(2)),
        "frontmatter": {"mood": int(rng.integers(10)), "wie war's": round(float(rng.random()), 3)},
    }
    sparse = SparseVector(tuple(words), tuple(rng.random(len(words)).round(3).tolist()))
    return Point(f"n{number % 12}#c{number:02d}", payload, rng.standard_normal(8).astype(np.float32), sparse)


def random_where(rng: np.random.Generator) -> Where:
    pool = (
        Condition("type", any_of=(str(rng.choice(TYPES)), str(rng.choice(TYPES)))),
        Condition("tags", any_of=(f"t/{rng.integers(5)}",)),
        Condition("tags", prefix="t/1"),
        Condition("path", prefix=f"Ordner {rng.integers(3)}/"),
        Condition("created_at", gte=f"20{rng.integers(20, 24)}", lte=f"20{rng.integers(24, 26)}-06"),
        Condition("hard_split", any_of=(bool(rng.integers(2)),)),
        Condition("frontmatter.mood", gte=int(rng.integers(10))),
        Condition("frontmatter.wie war's", lte=float(rng.random())),
        Condition("note_id", any_of=tuple(f"n{number}" for number in rng.integers(12, size=3))),
    )
    chosen = [pool[index] for index in rng.choice(len(pool), size=3, replace=False)]
    return Where(tuple(chosen[:1]), tuple(chosen[1 : 1 + int(rng.integers(3))]))


def operate(store: VectorStore, seed: int) -> list[object]:
    """Fill the store at random and ask it at random; the answers, with scores rounded to what two engines agree on."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        with store.writer(FACTS) as writer:
            writer.upsert("chunks", [random_point(rng, int(number)) for number in rng.integers(60, size=40)])
            writer.upsert(
                "edges", [Point(f"e{n}", {"note_id": f"n{n % 12}", "kind": "x"}) for n in rng.integers(99, size=30)]
            )
            writer.delete_notes([f"n{number}" for number in rng.integers(12, size=2)])
    store.switch(FACTS)
    answers: list[object] = []
    with store.reader() as reader:
        answers += [sorted(found.logical_id for found in reader.scan(name)) for name in COLLECTIONS]
        for _ in range(15):
            where = random_where(rng)
            vector = rng.standard_normal(8).astype(np.float32)
            words = SparseVector(tuple(sorted(rng.choice(40, size=4, replace=False).tolist())), (1.0,) * 4)
            answers.append([(hit.logical_id, hit.payload) for hit in reader.lookup("chunks", where)])
            answers.append(reader.count("chunks", where))
            answers.append(reader.tally("chunks", "note_id", [f"n{number}" for number in range(12)], where))
            answers.append(reader.tally("chunks", "type", where=where))
            answers.append([(hit.logical_id, round(hit.score, 4)) for hit in search(reader, vector, 60, where)])
            answers.append(sorted((hit.logical_id, round(hit.score, 3)) for hit in search(reader, words, 60, where)))
    return answers


@pytest.mark.parametrize("seed", range(3))
def test_both_backends_answer_alike(seed, quick_folder):
    memory = ServerStore(":memory:", "test")
    assert operate(EmbeddedStore(str(quick_folder)), seed) == operate(memory, seed)
    memory.close()
