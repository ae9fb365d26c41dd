"""What of a chunk is matched word by word (BM25): where it stands, what else its note is called, and its own text.

The overlap with the chunk before is left out, so that a word counts for the chunk that holds it and for no neighbour.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from mindnet_pipeline.core.model import Chunk

_NO_WORD = re.compile(r"\S{120,}")
"""Runs without a blank that no one searches for: encoded drawings, keys. They would only dilute the other words."""


def lexical_text(chunk: Chunk, aliases: Sequence[str]) -> str:
    """The text that the sparse vector of a chunk is made from, in NFKC: titles, the note's aliases, text, summary."""
    titles = " › ".join((chunk.note_title, *chunk.section_path))
    parts = (titles, *aliases, chunk.text, chunk.summary)
    text = "\n".join(part for part in parts if part)
    return _NO_WORD.sub(" ", unicodedata.normalize("NFKC", text))
