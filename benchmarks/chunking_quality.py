"""How well chunks serve search: recall, precision, precision-omega and IoU of Chroma's chunking evaluation.

All chunkers use the same token counter and the same embedding model; the five nearest chunks of a question are compared
with the spans that answer it, character by character. `MINDNET_SHARED` names the folder with `bench/chroma_chunking`.

    python benchmarks/chunking_quality.py --corpora state_of_the_union chatlogs --cache /tmp/vectors

needs `pip install semantic-text-splitter chonkie langchain-text-splitters`; a chunker that is not installed is left
out. Odd questions are for choosing (`--half odd`), even ones for reporting (the default).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.core.registry import ChunkSizes, NoteType, Registry
from mindnet_pipeline.core.windows import overlap_text, window_text
from mindnet_pipeline.settings import EmbeddingOptions
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.protocol import Embedder, Vectors

TOP = 5


@dataclass(frozen=True)
class Cut:
    """A chunk of a corpus: its span, and the text that is embedded for it."""

    start: int
    end: int
    window: str


Chunker = Callable[[str, Embedder], list[Cut]]


def ours(low: int, high: int, most: int, overlap: int, minimum: int = 100, *, context: bool = True) -> Chunker:
    """The project's chunker with these sizes."""
    sizes = ChunkSizes("bench", low, high, most, minimum, overlap)
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


def langchain(size: int) -> Chunker:
    """LangChain's recursive splitter without overlap, as in Chroma's evaluation."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415  # optional, for comparison only

    def cut(text: str, embedder: Embedder) -> list[Cut]:
        splitter = RecursiveCharacterTextSplitter(
            chunk_size=size,
            chunk_overlap=0,
            length_function=lambda part: len(embedder.token_offsets(part)),
            separators=["\n\n", "\n", ".", "?", "!", " ", ""],
        )
        return located(text, splitter.split_text(text))

    return cut


def semantic_text_splitter(size: int) -> Chunker:
    """The Markdown splitter of text-splitter."""
    from semantic_text_splitter import MarkdownSplitter  # noqa: PLC0415  # optional, for comparison only

    def cut(text: str, embedder: Embedder) -> list[Cut]:
        splitter = MarkdownSplitter.from_callback(lambda part: len(embedder.token_offsets(part)), size)
        return located(text, splitter.chunks(text))

    return cut


def chonkie(size: int) -> Chunker:
    """Chonkie's recursive chunker."""
    from chonkie import RecursiveChunker  # noqa: PLC0415  # optional, for comparison only

    def cut(text: str, embedder: Embedder) -> list[Cut]:
        chunker = RecursiveChunker(tokenizer=lambda part: len(embedder.token_offsets(part)), chunk_size=size)
        return located(text, [chunk.text for chunk in chunker.chunk(text)])

    return cut


CHUNKERS: dict[str, Callable[[], Chunker]] = {
    "mindnet default 200-300/500": lambda: ours(200, 300, 500, 50),
    "mindnet default, no overlap": lambda: ours(200, 300, 500, 0),
    "mindnet default, no context": lambda: ours(200, 300, 500, 50, context=False),
    "mindnet short 150-250/300": lambda: ours(150, 250, 300, 35),
    "mindnet 100-180/220, min 60": lambda: ours(100, 180, 220, 30, 60),
    "langchain recursive 400": lambda: langchain(400),
    "langchain recursive 200": lambda: langchain(200),
    "semantic-text-splitter 400": lambda: semantic_text_splitter(400),
    "semantic-text-splitter 200": lambda: semantic_text_splitter(200),
    "chonkie recursive 400": lambda: chonkie(400),
    "chonkie recursive 200": lambda: chonkie(200),
}


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


def questions(folder: Path, corpora: Sequence[str], half: str) -> Iterator[tuple[str, str, set[int]]]:
    """(corpus, question, characters that answer it) of one half."""
    for number, line in enumerate((folder / "queries.jsonl").read_text("utf-8").splitlines()):
        row = json.loads(line)
        if row["corpus"] in corpora and (half == "all" or (number % 2 == 1) == (half == "odd")):
            spans = ((ref["start_index"], ref["end_index"]) for ref in row["references"])
            yield row["corpus"], row["text"], {i for start, end in spans for i in range(start, end)}


def evaluate(name: str, vectorizer: Vectorizer, folder: Path, options: argparse.Namespace) -> str:
    """One row of the table."""
    try:
        chunker = CHUNKERS[name]()
    except ImportError as missing:
        return f"{name:<30} not installed: {missing.name}"
    cuts, vectors = {}, {}
    for corpus in options.corpora:
        text = (folder / "corpora" / f"{corpus}.md").read_text("utf-8")
        cuts[corpus] = chunker(text, vectorizer.embedder)
        vectors[corpus] = vectorizer.documents([cut.window for cut in cuts[corpus]])
    results = []
    for corpus, question, wanted in questions(folder, options.corpora, options.half):
        best = np.argsort(-(vectors[corpus] @ vectorizer.question(question)), kind="stable")[:TOP]
        results.append(measures(cuts[corpus], [int(i) for i in best], wanted))
    recall, precision, omega, iou = (100 * value for value in np.mean(results, axis=0))
    count = sum(map(len, cuts.values()))
    mean = sum(cut.end - cut.start for found in cuts.values() for cut in found) // count
    return f"{name:<30} {count:>6} {mean:>6} {recall:>7.1f} {precision:>7.1f} {omega:>7.1f} {iou:>7.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["state_of_the_union", "chatlogs", "wikitexts"])
    parser.add_argument("--cache", type=Path, required=True, help="folder for vectors")
    parser.add_argument("--half", choices=["odd", "even", "all"], default="even")
    parser.add_argument("--only", default="", help="chunkers whose name holds this")
    options = parser.parse_args()
    folder = Path(os.environ["MINDNET_SHARED"]) / "bench" / "chroma_chunking"
    vectorizer = Vectorizer(open_embedder(EmbeddingOptions(engine="bundled"), ""), options.cache)
    print(f"{'chunker':<30} {'chunks':>6} {'chars':>6} {'recall':>7} {'prec.':>7} {'p-omega':>7} {'IoU':>7}")
    for name in CHUNKERS:
        if options.only in name:
            print(evaluate(name, vectorizer, folder, options), flush=True)


if __name__ == "__main__":
    main()
