"""Generated notes for the chunking laws: every block kind, nested, at many sizes, counted at different grains.

What may never be cut is written between marks: `[a7] … [z7]` becomes part of the text, so that a test can look for both
ends without asking the parser under test. Each sentence starts with `Der` and a word of its own (`v7`), so that a test
sees where sentences start and that none is lost; `INLINES` stand inside sentences and may hold a full stop.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.model import Chunk, Note
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.core.registry import ChunkSizes, NoteType, Registry
from mindnet_pipeline.core.tokens import TokenCounter, WordCounter

STOP = "Mögliche Verbindungen"
UNSEEN = "Geheim"
INLINES = (
    "![[Ziel]]",
    "![[Ziel#Teil|Da! Ja]]",
    "![Ein Haus](h.png)",
    "[Wer? Wir](Ziel.md)",
    "`a. B! C`",
    "$a! B + c$",
    f"%%{UNSEEN}. Und {UNSEEN}!%%",
    f"<!-- {UNSEEN}? Nur {UNSEEN}. -->",
)


class CharacterCounter:
    """The finest counter there is: each character that is no blank."""

    def token_offsets(self, text: str) -> list[int]:
        return [i for i, character in enumerate(text) if not character.isspace()]


class LineCounter:
    """A coarse one: a token for every seven characters, wherever they are."""

    def token_offsets(self, text: str) -> list[int]:
        return list(range(0, len(text), 7))


counters = st.sampled_from([WordCounter(), CharacterCounter(), LineCounter()])
models = st.sampled_from([10, 60, 200, 512, 8192])
sizes = st.builds(
    lambda minimum, low, span, more, overlap: ChunkSizes(
        "p", minimum + low, minimum + low + span, minimum + low + span + more, minimum, min(overlap, minimum - 1)
    ),
    st.integers(1, 60),
    st.integers(0, 80),
    st.integers(0, 80),
    st.integers(0, 150),
    st.integers(0, 40),
)
tight = st.builds(
    lambda low, more, minimum, overlap: ChunkSizes(
        "p", low, low + more, low + 2 * more, min(minimum, low), min(overlap, low - 1)
    ),
    st.integers(12, 40),
    st.integers(1, 12),
    st.integers(1, 20),
    st.integers(4, 39),
)
"""Sizes at which a few sentences are many chunks, with overlaps of one to several sentences."""

words = st.sampled_from(
    [
        "Haus",
        "geht",
        "z. B.",
        "Dr. Lay",
        "am 3. Oktober",
        "[[Ziel]]",
        "`a.b`",
        "**fett**",
        "1.5",
        "schön",
        "日本",
        "x" * 40,
        *INLINES,
    ]
)
sentence = st.builds(
    lambda found, end: "Der ¤ " + " ".join(found) + end,
    st.lists(words, min_size=1, max_size=8),
    st.sampled_from(".?!…"),
)
paragraph = st.lists(sentence, min_size=1, max_size=8).map(" ".join)
lines = st.lists(sentence, min_size=1, max_size=6)
heading = st.builds(lambda level, text: "#" * level + " " + text, st.integers(1, 5), st.sampled_from(["A", "B", STOP]))


def _fence(mark: str) -> Callable[[list[str]], str]:
    return lambda found: f"{mark}py\n‹\n## " + "\n\n".join(found) + f"\n›\n{mark}"


def _table(rows: list[str]) -> str:
    cells = "\n".join(f"| {row.replace('|', ' ')} | 2 |" for row in rows)
    return f"| ‹ | B |\n|---|---|\n{cells}\n| › | 3 |"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))


def _listed(items: list[list[str]]) -> str:
    return "\n".join("- " + _indented("\n\n".join(item)).lstrip(" ") for item in items)


def _wrapped(item: str) -> str:
    """An item as people wrap long ones: a line may begin with what looks like the next number of a list."""
    return "- " + item.replace(" am 3.", " am\n  3.").replace(" geht", "\n  geht")


def _bare(text: str) -> str:
    """The text without `INLINES`, as it may stand where they mean nothing or something else."""
    return re.sub("|".join(map(re.escape, INLINES)), "bloß", text)


def _unseen(text: str) -> str:
    """The text as it may stand in a comment: nothing in it must be embedded."""
    return _bare(text).replace("¤", UNSEEN)


whole = st.one_of(
    lines.map(_fence("```")),
    lines.map(_fence("~~~~")),
    lines.map(_table),
    lines.map(lambda found: "$$\n‹ a\n=\n" + "\n".join(found).replace("$", "") + "\n---\n›\n$$"),
    lines.map(lambda found: _quoted("[!note] ‹\n" + "\n".join(found) + "\n\n## nein\n›")),
    lines.map(lambda found: "<pre>\n‹\n" + "\n\n".join(found) + "\n›\n</pre>"),
)
quote = lines.map(lambda found: _quoted("\n".join(found)))
prose = st.one_of(
    paragraph,
    paragraph,
    lines.map("\n".join),
    lines.map(lambda found: "\n".join(f"- {item}" for item in found)),
    lines.map(lambda found: "\n".join(_wrapped(item) for item in found)),
    lines.map(lambda found: "Es gilt:\n\n" + "\n".join(f"{i}. {item}" for i, item in enumerate(found, 1))),
    quote,
)
nested = st.one_of(
    st.lists(st.tuples(sentence, st.one_of(whole, prose)).map(list), min_size=1, max_size=4).map(_listed),
    st.tuples(paragraph, whole).map("\n\n".join).map(_quoted),
    st.tuples(paragraph, whole).map("\n\n".join).map(_quoted).map(lambda text: _listed([["Der Punkt.", text]])),
)
other = st.one_of(
    paragraph.map(lambda text: f"%% {_unseen(text)} %%"),
    paragraph.map(lambda text: f"<!--\n{_unseen(text)}\n-->"),
    sentence.map(lambda text: f"<div>\n{_bare(text)}\n</div>"),
    st.sampled_from(["Der ¤ mit 100 %% ist da.", "Der ¤ <!-- ist offen."]),
    paragraph.map(lambda text: f"[^1]: {text}"),
    st.just("---"),
)
block = st.one_of(prose, prose, whole, nested, other)


def _numbered(text: str) -> str:
    """The marks of the text with numbers: they never nest, so the n-th start belongs to the n-th end."""
    starts, ends, own = iter(range(10_000)), iter(range(10_000)), iter(range(10_000))
    texts = {"‹": lambda: f"[a{next(starts)}]", "›": lambda: f"[z{next(ends)}]", "¤": lambda: f"v{next(own)}"}
    return re.sub("[‹›¤]", lambda m: texts[m[0]](), text)


def bodies(part: st.SearchStrategy[str], most: int = 8, least: int = 0) -> st.SearchStrategy[str]:
    """Notes of these parts, with one kind of line end."""
    parts = st.lists(part, min_size=least, max_size=most).map(lambda found: _numbered("\n\n".join(found)) + "\n")
    return st.tuples(parts, st.sampled_from(["\n", "\n", "\r\n"])).map(lambda pair: pair[0].replace("\n", pair[1]))


body = bodies(st.one_of(block, block, block, heading))
long_sections = bodies(st.one_of(st.lists(sentence, min_size=4, max_size=12).map(" ".join), heading), least=3)
holders = bodies(st.one_of(nested, whole, paragraph), least=2)
subheading = st.sampled_from(["### A", "### B", "#### C"])
quotes = bodies(st.one_of(sentence, quote, st.tuples(subheading, quote).map("\n\n".join)), least=2)
small_sections = bodies(st.one_of(sentence, subheading, st.just("## C")))

runs = st.builds(
    lambda before, run, times, after: before + run * times + after,
    st.sampled_from(["", "Kurz. ", "- ", "> ", "## A\n\n", "[^1]: "]),
    st.sampled_from(
        ["a", "Ab1/", "日", "wort ", "wort\n", "- a\n", ". ", "!", "(", "[[", "**", "> ", "| a ", "\u200b"]
    ),
    st.integers(1, 600),
    st.sampled_from(["\n", "", " Ende.\n", "\n\nDanach kommt ein Satz.\n"]),
)


def registry_of(size: ChunkSizes, *, quotes_apart: bool = True) -> Registry:
    kind = NoteType("default", size, (), 1.0, quotes_apart, {})
    return Registry({"default": kind}, {}, {}, (STOP.lower(),), "x")


def chunked(
    text: str, size: ChunkSizes, counter: TokenCounter, model: int = 8192, *, quotes_apart: bool = True
) -> tuple[Note, list[Chunk]]:
    """A note in German, and its chunks."""
    registry = registry_of(size, quotes_apart=quotes_apart)
    note = replace(parse_note("n.md", text.encode(), "n", registry), lang="de")
    return note, chunk_note(note, registry, counter, model)
