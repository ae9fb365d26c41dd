"""Texts per second and peak memory of each engine on the same texts, one process after the other.

    python benchmarks/embedding.py FOLDER_OR_JSONL [texts]

The texts are the files `*.md` of a folder (cut at 1,500 characters) or the field `text` of a JSONL file. The last
line is the machine's arithmetic limit: the measured float32 rate of its matrix product over the operations that the
model's weights take.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from mindnet_pipeline.settings import EmbeddingOptions
from mindnet_pipeline.storage.embedders import open_embedder

_OPERATIONS_PER_TOKEN = 2 * 12 * (4 * 384 * 384 + 2 * 384 * 1536)


def main(argv: list[str]) -> None:
    """Measure all engines, or (with --engine) one in this process."""
    source, count = Path(argv[0]), int(argv[1]) if len(argv) > 1 else 200
    if "--engine" in argv:
        measure(argv[argv.index("--engine") + 1], read_texts(source, count))
        return
    for engine in ("bundled", "onnx"):
        subprocess.run([sys.executable, __file__, str(source), str(count), "--engine", engine], check=True)
    texts = read_texts(source, count)
    tokens = sum(open_embedder(EmbeddingOptions(engine="bundled"), "").count_tokens(texts))
    print(f"limit: {matrix_rate() * len(texts) / (tokens * _OPERATIONS_PER_TOKEN):.1f} texts/s")


def read_texts(source: Path, count: int) -> list[str]:
    """The first texts of a folder of notes or of a JSONL file."""
    if source.is_dir():
        return [path.read_text(errors="replace")[:1500] for path in sorted(source.rglob("*.md"))[:count]]
    return [json.loads(line)["text"] for line in source.read_text().splitlines()[:count]]


def measure(engine: str, texts: list[str]) -> None:
    """Print one engine's speed after a warm-up."""
    with tempfile.TemporaryDirectory() as data:
        embedder = open_embedder(EmbeddingOptions.model_validate({"engine": engine}), data)
        embedder.embed_documents(texts[:2])
        start, used = time.perf_counter(), time.process_time()
        embedder.embed_documents(texts)
        wall, cpu = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{embedder.model_key}: {len(texts) / wall:.1f} texts/s, {cpu:.1f} CPU s, peak {peak:.0f} MB", flush=True)


def matrix_rate() -> float:
    """Operations per second of float32 matrix products in the shape of the model's largest."""
    left, right = np.ones((2048, 384), np.float32), np.ones((384, 1536), np.float32)
    left @ right
    start = time.perf_counter()
    for _ in range(20):
        left @ right
    return 20 * 2 * left.size * right.shape[1] / (time.perf_counter() - start)


if __name__ == "__main__":
    main(sys.argv[1:])
