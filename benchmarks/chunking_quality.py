"""How well chunks serve search: recall, precision, precision-omega and IoU of Chroma's chunking evaluation.

All chunkers use the same token counter and the same embedding model; the five nearest chunks of a question are compared
with the spans that answer it, character by character. `MINDNET_SHARED` names the folder with `bench/chroma_chunking`;
the question sets xquad_de and xquad_en beside it are further corpora, with headings, if they are named.

    python benchmarks/chunking_quality.py --corpora state_of_the_union chatlogs --cache /tmp/vectors

A chunker that is not installed (see rivals.py) is left out. Even questions are for choosing (`--half even`), odd ones
to report (the default). `--engine onnx` is faster; it needs `MINDNET_DATA=/tmp/vectors mindnet prepare-model` once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
from race_data import load
from rivals import RIVALS

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.core.registry import ChunkSizes, NoteType, Registry
from mindnet_pipeline.core.windows import overlap_text, window_text
from mindnet_pipeline.settings import EmbeddingOptions, load_settings
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.protocol import Embedder, Vectors

TOP = 5
CORPORA = ("state_of_the_union", "chatlogs", "wikitexts", "pubmed", "finance")


@dataclass(frozen=True)
class Cut:
    """A chunk of a corpus: its span, and the text that is embedded for it."""

    start: int
    end: int
    window: str


Question = tuple[str, set[int]]
"""A question and the characters that answer it."""
Chunker = Callable[[str, Embedder], list[Cut]]


def ours(sizes: ChunkSizes, *, context: bool = True) -> Chunker:
    """The project's chunker with these sizes."""
    registry = Registry({"default": NoteType("default", sizes, (), 1.0, True, {})}, {}, {}, (), "")

    def cut(text: str, embedder: Embedder) -> list[Cut]:
        note = parse_note("corpus.md", text.encode(), "corpus", registry)
        chunks = chunk_note(note, registry, embedder, embedder.max_tokens)
        cuts = []
        for i, chunk in enumerate(chunks):
            overlapping = overlap_text(chunks[i - 1], chunk.overlap_chars) if i else ""
            shown = chunk if context else replace(chunk, context="")
            cuts.append(Cut(chunk.char_start, chunk.char_end, window_text(shown, overlapping)))
        return cuts

    return cut


def other(name: str, size: int) -> Chunker:
    """Another chunker, with chunks of at most this size."""

    def cut(text: str, embedder: Embedder) -> list[Cut]:
        return located(text, RIVALS[name](size, embedder)(text))

    return cut


def chunkers(trials: Sequence[str]) -> dict[str, Chunker]:
    """All chunkers by name: ours as it is set up, the sizes to be tried, the others."""
    shipped = load_settings().registry.type_of("default").sizes
    found = {
        f"mindnet {written(shipped)}": ours(shipped),
        "mindnet, overlap 30": ours(replace(shipped, overlap=30)),
        "mindnet, no context line": ours(shipped, context=False),
    }
    for trial in trials:
        low, high, most, minimum, overlap = map(int, trial.split(","))
        sizes = ChunkSizes("trial", low, high, most, minimum, overlap)
        found[f"trial {written(sizes)}"] = ours(sizes)
    for size, name in product((200, 400), RIVALS):
        found[f"{name} {size}"] = other(name, size)
    return found


def written(sizes: ChunkSizes) -> str:
    """Sizes in few characters: target, maximum, minimum, overlap.

    >>> written(ChunkSizes("", 100, 180, 220, 60, 30))
    '100-180/220/60/30'
    """
    return f"{sizes.target_min}-{sizes.target_max}/{sizes.maximum}/{sizes.minimum}/{sizes.overlap}"


def located(text: str, parts: Sequence[str]) -> list[Cut]:
    """The parts with their places, found in order."""
    cuts, at = [], 0
    for part in parts:
        start = text.index(part, at)
        cuts.append(Cut(start, start + len(part), part))
        at = start + 1
    return cuts


class Vectorizer:
    """Embeds each text once, ever: vectors are kept in a folder by the text's hash."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self.embedder = embedder
        self._folder = folder / embedder.model_key.replace("/", "_")
        self._folder.mkdir(parents=True, exist_ok=True)

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of documents, in order."""
        files = [self._file("d", text) for text in texts]
        missing = sorted({i for i, file in enumerate(files) if not file.exists()}, key=lambda i: len(texts[i]))
        for at in range(0, len(missing), 16):
            batch = missing[at : at + 16]
            for i, vector in zip(batch, self.embedder.embed_documents([texts[i] for i in batch]), strict=True):
                np.save(files[i], vector)
        return np.stack([np.load(file) for file in files])

    def question(self, text: str) -> np.ndarray:
        """The vector of a question."""
        file = self._file("q", text)
        if not file.exists():
            np.save(file, self.embedder.embed_query(text))
        return np.asarray(np.load(file))

    def _file(self, kind: str, text: str) -> Path:
        return self._folder / f"{kind}-{hashlib.sha256(text.encode()).hexdigest()}.npy"


def measures(cuts: Sequence[Cut], best: Sequence[int], wanted: set[int]) -> tuple[float, float, float, float]:
    """Recall, precision, precision-omega and IoU of one question, in characters."""
    found = set().union(*(range(cuts[i].start, cuts[i].end) for i in best))
    shown = sum(cuts[i].end - cuts[i].start for i in best)
    right = len(found & wanted)
    low, high = min(wanted), max(wanted)
    near = [cut for cut in cuts if cut.end > low and cut.start <= high]
    needed = sum(cut.end - cut.start for cut in near if not wanted.isdisjoint(range(cut.start, cut.end)))
    return (
        right / len(wanted),
        right / shown,
        len(wanted) / needed if needed else 0.0,
        right / (shown + len(wanted) - right),
    )


def chroma(folder: Path, corpus: str) -> tuple[str, list[Question]]:
    """A text of Chroma's evaluation, and its questions."""
    text = (folder / "chroma_chunking" / "corpora" / f"{corpus}.md").read_text("utf-8")
    rows = map(json.loads, (folder / "chroma_chunking" / "queries.jsonl").read_text("utf-8").splitlines())
    asked: list[Question] = []
    for row in rows:
        if row["corpus"] == corpus:
            spans = ((ref["start_index"], ref["end_index"]) for ref in row["references"])
            asked.append((row["text"], {i for start, end in spans for i in range(start, end)}))
    return text, asked


def articles(folder: Path, name: str) -> tuple[str, list[Question]]:
    """A question set's passages as one note with a section for each title; what is sought is the answer's own words."""
    data = load(name, folder)
    text, title, starts = "", "", {}
    for row in data.passages:
        text += "" if row["title"] == title else f"## {row['title']}\n\n"
        title, starts[row["id"]] = row["title"], len(text)
        text += row["text"] + "\n\n"
    asked: list[Question] = []
    for line in (folder / name / "queries.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        (passage,) = data.relevant[row["id"]]
        at = text.find(row["answer"], starts[passage])
        if at >= 0:
            asked.append((row["text"], set(range(at, at + len(row["answer"])))))
    return text, asked


def evaluate(name: str, chunker: Chunker, vectorizer: Vectorizer, folder: Path, options: argparse.Namespace) -> str:
    """One row of the table."""
    results, lengths = [], []
    for corpus in options.corpora:
        text, asked = articles(folder, corpus) if corpus.startswith("xquad") else chroma(folder, corpus)
        try:
            cuts = chunker(text, vectorizer.embedder)
        except ImportError as missing:
            return f"{name:<30} not installed: {missing.name}"
        vectors = vectorizer.documents([cut.window for cut in cuts])
        lengths += [cut.end - cut.start for cut in cuts]
        for question, wanted in asked if options.half == "all" else asked[options.half == "odd" :: 2]:
            best = np.argsort(-(vectors @ vectorizer.question(question)), kind="stable")[:TOP]
            results.append(measures(cuts, [int(i) for i in best], wanted))
    recall, precision, omega, iou = (100 * value for value in np.mean(results, axis=0))
    mean = sum(lengths) // len(lengths)
    return f"{name:<30} {len(lengths):>6} {mean:>6} {recall:>7.1f} {precision:>7.1f} {omega:>7.1f} {iou:>7.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=CORPORA)
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors")
    parser.add_argument("--engine", choices=["bundled", "onnx"], default="bundled", help="the model's engine")
    parser.add_argument("--half", choices=["odd", "even", "all"], default="odd")
    parser.add_argument("--sizes", nargs="*", default=[], help="further sizes to try: FROM,TO,MAX,MIN,OVERLAP")
    parser.add_argument("--only", default="", help="chunkers whose name holds this")
    options = parser.parse_args()
    folder = Path(os.environ["MINDNET_SHARED"]) / "bench"
    embedder = open_embedder(EmbeddingOptions(engine=options.engine), str(options.cache))
    vectorizer = Vectorizer(embedder, options.cache)
    print(f"{'chunker':<30} {'chunks':>6} {'chars':>6} {'recall':>7} {'prec.':>7} {'p-omega':>7} {'IoU':>7}")
    for name, chunker in chunkers(options.sizes).items():
        if options.only in name:
            print(evaluate(name, chunker, vectorizer, folder, options), flush=True)


if __name__ == "__main__":
    main()
