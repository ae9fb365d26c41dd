"""What is embedded for a chunk: context line, overlap, text, without what no reader would read.

The stored text of a chunk is never changed; this is derived from it. Pure and deterministic: `Chunk.window_hash` is the
key under which a vector is stored, so a change here must raise `CHUNKER_VERSION`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from mindnet_pipeline.core.model import Chunk, Span

_LONG_RUN = re.compile(r"[A-Za-z0-9+/=_-]{120,}")
_LONG_DATA = re.compile(r"data:[\w/+.-]+;base64," + _LONG_RUN.pattern)
_LONG_LINES = re.compile(r"(?:^[ \t>]*[A-Za-z0-9+/=_-]{40,}[ \t]*\n)+[ \t>]*[A-Za-z0-9+/=_-]+[ \t]*$", re.MULTILINE)
_WORD_BREAKS = re.compile(r"[-_/+=]+")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_BLANK_LINES = re.compile(r"\n[ \t\n]*\n")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")


_LONGEST_HEADING = 160
"""Characters. Longer ones are no names: to Markdown, a paragraph above a row of `=` is a heading, and in the window of
every chunk it would make all of a note look alike."""


def context_line(title: str, section_path: tuple[str, ...]) -> str:
    """The line that says where a text stands, without headings that are paragraphs.

    >>> context_line("Qdrant", ("Betrieb", "Sicherung")), context_line("Absatz " * 50, ("Betrieb",))
    ('Qdrant › Betrieb › Sicherung', 'Betrieb')
    """
    names = (" ".join(part.split()) for part in (title, *section_path))
    return " › ".join(name for name in names if 0 < len(name) <= _LONGEST_HEADING)


def overlap_text(previous: Chunk, overlap_chars: int) -> str:
    """What a reader sees of the end of the previous chunk that is repeated in the window of the next one."""
    return visible(previous.text, previous.hidden, len(previous.text) - overlap_chars)


def window_text(chunk: Chunk, overlap: str) -> str:
    """The text that is embedded for a chunk: in NFKC, without comments, drawings and runs of blank lines."""
    return joined_window(chunk.context, chunk.summary, overlap + visible(chunk.text, chunk.hidden))


def joined_window(context: str, summary: str, text: str) -> str:
    """The window of its three parts; `text` is what a reader sees of overlap and text."""
    return "\n".join(clean for part in (context, summary, readable(text)) if (clean := _normal(part)))


def visible(text: str, hidden: Iterable[Span], start: int = 0) -> str:
    """The text from `start` on without the hidden spans, which are in order.

    >>> visible("Da %%nicht%% ist es.", [(3, 12)])
    'Da  ist es.'
    """
    seen = []
    for gap_start, gap_end in hidden:
        seen.append(text[start:gap_start])
        start = max(start, gap_end)
    return "".join([*seen, text[start:]])


def readable(text: str) -> str:
    """The text with plain line ends and without base64, in one run or in lines of equal length."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if ";base64," in text:
        text = _LONG_DATA.sub("", text)
    text = _LONG_LINES.sub(lambda m: "" if _are_binary(m[0]) else m[0], text)
    return _LONG_RUN.sub(lambda m: "" if _is_binary(m[0]) else m[0], text)


def _are_binary(lines: str) -> bool:
    """Whether the lines are the parts of one long run, all but the last of the same length."""
    *parts, last = [line.strip(" \t>") for line in lines.split("\n")]
    run = "".join((*parts, last))
    same_length = len({len(part) for part in parts}) == 1 and len(last) <= len(parts[0])
    return same_length and bool(_LONG_RUN.fullmatch(run)) and _is_binary(run)


def _is_binary(run: str) -> bool:
    """Base64 mixes digits and both cases, also within what would be its words; a long word, a rule or a path does not.

    >>> _is_binary("iVBORw0KGgoAAAANSUhEUgAAAAUA/AFCAYAAACNbyblAAAA")
    True
    >>> _is_binary("2024/Wie-man-Orchideen-im-Winter-pflegt")
    False
    """
    in_words = sum(len(part) for part in _WORD_BREAKS.split(run) if _WORD.fullmatch(part))
    is_mixed = any(c.isdigit() for c in run) and any(c.isupper() for c in run) and any(c.islower() for c in run)
    return is_mixed and 2 * in_words < len(run)


def _normal(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", _CONTROLS.sub("", unicodedata.normalize("NFKC", text))).strip()
