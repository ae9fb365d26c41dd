"""How fast notes are cut: MB/s and peak memory beside other chunkers, with the same tokenizer on the same texts.

Each chunker runs in a process of its own, on one core; seconds are its processor time, so that other work on the
machine does not count. The tokenizer is the bundled model's, for all. Ours does all its work: sections, sentences,
windows, hashes, languages; parsing the Markdown is timed apart, since the pipeline does it once for links, too.

    python benchmarks/chunking_speed.py FOLDER [--megabytes 2]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rivals import RIVALS

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.settings import EmbeddingOptions, load_settings
from mindnet_pipeline.storage.embedders import open_embedder

SIZE = 200
NAMES = ("mindnet", *RIVALS)


def texts(folder: Path, megabytes: float) -> list[bytes]:
    """Notes of the folder, in order of their paths, up to so many megabytes."""
    found, size = [], 0
    for path in sorted(folder.rglob("*.md")):
        if size < megabytes * 1e6 and path.is_file():
            found.append(path.read_bytes())
            size += len(found[-1])
    return found


def run(name: str, notes: list[bytes]) -> Iterator[tuple[str, float]]:
    """The measurements of one chunker."""
    embedder = open_embedder(EmbeddingOptions(engine="bundled"), "")
    embedder.token_offsets("warm up")
    if name == "mindnet":
        registry = load_settings().registry
        started = time.process_time()
        parsed = [parse_note(f"{i}.md", data, str(i), registry) for i, data in enumerate(notes)]
        yield "parse_s", time.process_time() - started
        started = time.process_time()
        count = sum(len(chunk_note(note, registry, embedder, embedder.max_tokens)) for note in parsed)
    else:
        cut = RIVALS[name](SIZE, embedder)
        started = time.process_time()
        count = sum(len(cut(data.decode("utf-8", "replace"))) for data in notes)
    seconds = time.process_time() - started
    yield "MB/s", sum(map(len, notes)) / 1e6 / seconds
    yield "chunks", count
    yield "peak_MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print one line a chunker."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=float, default=1.0)
    parser.add_argument("--only", choices=NAMES)
    options = parser.parse_args()
    if options.only:
        values = run(options.only, texts(options.folder, options.megabytes))
        print(f"{options.only:<24}", "  ".join(f"{key} {value:.2f}" for key, value in values), flush=True)
        return
    for name in NAMES:
        arguments = [str(options.folder), "--megabytes", str(options.megabytes), "--only", name]
        subprocess.run([sys.executable, __file__, *arguments], check=False)


if __name__ == "__main__":
    main()
