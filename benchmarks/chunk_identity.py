"""How many chunks get another stable id when a subsection beside them goes.

    python benchmarks/chunk_identity.py [--notes 1000]

Made-up notes of eight H3 sections below one H2, from which one section is deleted. Printed: of the chunks without that
section, how many have an id, or a window to embed, that the shorter note has not.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import replace

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.model import Chunk
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.settings import load_settings

_SECTIONS = 8
_MODEL_READS = 508
SIZES = {"of all sizes": (1, 1, 2, 3, 5, 8, 13), "small": (1, 2, 3)}
"""Sentences of a section, of ten words each."""


def sections(made: random.Random, sentences: Sequence[int]) -> list[str]:
    """The subsections of a note."""
    return [
        f"### Teil {number}\n\n" + " ".join(sentence(made) for _ in range(made.choice(sentences))) + "\n\n"
        for number in made.sample(range(1000), _SECTIONS)
    ]


def sentence(made: random.Random) -> str:
    """One that no other section has."""
    return f"Der Satz {made.randrange(1000)} hat {made.randrange(1000)} Wörter und noch ein paar mehr."


def chunks_of(parts: Sequence[str], registry: Registry) -> list[Chunk]:
    """The chunks of a note with these subsections."""
    text = "# Titel\n\n## Oben\n\nEinleitung.\n\n" + "".join(parts)
    note = replace(parse_note("n.md", text.encode(), "n", registry), lang="de")
    return chunk_note(note, registry, WordCounter(), _MODEL_READS)


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1000)
    notes, registry = parser.parse_args().notes, load_settings().registry
    for name, sentences in SIZES.items():
        made = random.Random(7)
        other: list[Chunk] = []
        new_ids = new_windows = 0
        for _ in range(notes):
            parts, gone = sections(made, sentences), made.randrange(_SECTIONS)
            shorter = chunks_of([*parts[:gone], *parts[gone + 1 :]], registry)
            ids, windows = {chunk.stable_id for chunk in shorter}, {chunk.window_hash for chunk in shorter}
            heading = parts[gone].splitlines()[0]
            kept = [chunk for chunk in chunks_of(parts, registry) if heading not in chunk.text.splitlines()]
            new_ids += sum(chunk.stable_id not in ids for chunk in kept)
            new_windows += sum(chunk.window_hash not in windows for chunk in kept)
            other += kept
        print(f"sections {name}: {len(other)} other chunks, {new_ids} with another id, {new_windows} to embed anew")


if __name__ == "__main__":
    main()
