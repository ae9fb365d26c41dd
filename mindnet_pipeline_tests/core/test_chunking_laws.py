"""The chunking laws, on generated notes of every block kind, at many sizes, with counters of different grain."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.model import Chunk, Note
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.core.registry import ChunkSizes, NoteType, Registry
from mindnet_pipeline.core.sentences import sentence_spans
from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.core.windows import context_line, overlap_text, window_text

WHOLE = ("code", "table", "math", "callout")
quick = settings(max_examples=20, deadline=None)


class CharacterCounter:
    """The finest counter there is: each character that is no blank."""

    def token_offsets(self, text: str) -> list[int]:
        return [i for i, character in enumerate(text) if not character.isspace()]


def registry_of(sizes: ChunkSizes, quotes_apart: bool = True) -> Registry:
    kind = NoteType("default", sizes, (), 1.0, quotes_apart, {})
    return Registry({"default": kind}, {}, {}, ("mögliche verbindungen",), "x")


def parsed(body: str, registry: Registry) -> Note:
    return replace(parse_note("n.md", body.encode(), "n", registry), lang="de")


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
    ]
)
sentence = st.builds(
    lambda ws, end: "Der " + " ".join(ws) + end, st.lists(words, min_size=1, max_size=12), st.sampled_from(".?!…")
)
paragraph = st.lists(sentence, min_size=1, max_size=12).map(" ".join)
items = st.lists(paragraph, min_size=1, max_size=14)
block = st.one_of(
    paragraph,
    paragraph,
    items.map(lambda found: "\n".join(f"- {item}" for item in found)),
    items.map(lambda found: "Es gilt:\n\n" + "\n".join(f"{i}. {item}" for i, item in enumerate(found, 1))),
    paragraph.map(lambda text: f"- Punkt\n\n  ```sh\n  ## {text}\n  ```\n- Ende"),
    paragraph.map(lambda text: f"```py\n# {text}\n\n## kein Titel\n```"),
    paragraph.map(lambda text: f"~~~\n{text}\n~~~"),
    st.lists(sentence, min_size=1, max_size=6).map(
        lambda rows: "| A | B |\n|---|---|\n" + "\n".join(f"| {row} | 2 |" for row in rows)
    ),
    items.map(lambda lines: "\n".join(f"> {line}" for line in lines)),
    items.map(lambda lines: "> [!note] T\n" + "\n".join(f"> {line}" for line in lines)),
    paragraph.map(lambda text: f"$$\na\n=\n{text.split()[0]}\n$$"),
    paragraph.map(lambda text: f"%% {text} %%"),
    paragraph.map(lambda text: f"<div>\n{text}\n</div>"),
    st.just("---"),
)
heading = st.builds(lambda level, text: "#" * level + " " + text, st.integers(1, 5), st.sampled_from("ABCDE"))
body = st.lists(st.one_of(block, block, heading), max_size=14).flatmap(
    lambda parts: st.sampled_from(["\n\n", "\n\n\n", "\r\n\r\n"]).map(lambda gap: gap.join(parts) + gap)
)
counters = st.sampled_from([WordCounter(), CharacterCounter()])
models = st.sampled_from([10, 60, 200, 512, 8192])


def chunked(
    text: str, size: ChunkSizes, counter: WordCounter | CharacterCounter, model: int
) -> tuple[Note, list[Chunk]]:
    registry = registry_of(size)
    note = parsed(text, registry)
    return note, chunk_note(note, registry, counter, model)


def atomic_spans(note: Note) -> list[tuple[int, int]]:
    return [(block.start, block.end) for block in note.blocks if block.kind in WHOLE]


def stand_alone(note: Note, chunk: Chunk) -> bool:
    inside = [b for b in note.blocks if chunk.char_start <= b.start < chunk.char_end]
    return len(inside) == 1


@quick
@given(body, sizes, counters, models)
def test_texts_joined_are_the_body_and_offsets_say_where(text, size, counter, model) -> None:
    note, chunks = chunked(text, size, counter, model)
    assert "".join(chunk.text for chunk in chunks) == (note.fulltext if note.fulltext.strip() else "")
    at = 0
    for index, chunk in enumerate(chunks, 1):
        assert (chunk.char_start, chunk.chunk_index) == (at, index)
        assert chunk.text == note.fulltext[chunk.char_start : chunk.char_end] != ""
        at = chunk.char_end


@quick
@given(body, sizes, counters, models)
def test_code_tables_formulas_and_callouts_stay_whole(text, size, counter, model) -> None:
    note, chunks = chunked(text, size, counter, model)
    cuts = {chunk.char_start for chunk in chunks}
    assert not [(a, b) for a, b in atomic_spans(note) if any(a < cut < b for cut in cuts)]


@quick
@given(body, sizes, counters, models)
def test_no_cut_lies_inside_a_sentence_of_a_paragraph(text, size, counter, model) -> None:
    note, chunks = chunked(text, size, counter, model)
    cuts = {chunk.char_start for chunk in chunks if not chunk.hard_split}
    for part in note.blocks:
        if part.kind == "paragraph":
            ends = {part.start + a for a, _ in sentence_spans(note.fulltext[part.start : part.end], note.lang)}
            assert {cut for cut in cuts if part.start < cut < part.end} <= ends


@quick
@given(body, sizes, counters)
def test_only_a_single_sentence_or_block_is_above_the_maximum(text, size, counter) -> None:
    note, chunks = chunked(text, size, counter, 8192)
    for chunk in chunks:
        if chunk.token_count > size.maximum and not stand_alone(note, chunk):
            (block,) = [b for b in note.blocks if b.start < chunk.char_end and b.end > chunk.char_start]
            if block.kind == "paragraph":
                ends = {block.start + a for a, _ in sentence_spans(note.fulltext[block.start : block.end], note.lang)}
                assert not [end for end in ends if chunk.char_start < end < chunk.char_end]


@quick
@given(body, sizes)
def test_every_h2_starts_a_chunk(text, size) -> None:
    note, chunks = chunked(text, size, WordCounter(), 8192)
    starts = {chunk.char_start for chunk in chunks}
    first_text = len(note.fulltext) - len(note.fulltext.lstrip())
    h2 = {b.start for b in note.blocks if b.kind == "heading" and b.level == 2 and b.start > first_text}
    assert h2 <= starts


@quick
@given(body, sizes)
def test_a_chunk_under_the_minimum_has_no_neighbour_that_it_could_join(text, size) -> None:
    note, chunks = chunked(text, size, WordCounter(), 8192)
    h2 = [b.start for b in note.blocks if b.kind == "heading" and b.level <= 2]
    for one, two in pairwise(chunks):
        apart = any(c.kind == "quote" or "> " in c.text for c in (one, two))
        if min(one.token_count, two.token_count) < size.minimum and two.char_start not in h2 and not apart:
            assert one.token_count + two.token_count > size.maximum


@quick
@given(body, sizes, counters)
def test_overlap_is_whole_sentences_of_the_chunk_before(text, size, counter) -> None:
    note, chunks = chunked(text, size, counter, 8192)
    for before, chunk in pairwise(chunks):
        if chunk.overlap_chars:
            assert size.overlap > 0
            assert chunk.overlap_chars <= len(before.text)
            assert before.section_path[: len(chunk.section_path)] == chunk.section_path or not chunk.section_path
            overlap = (chunk.char_start - chunk.overlap_chars, chunk.char_start)
            assert not [s for s in atomic_spans(note) if s[0] < overlap[1] and s[1] > overlap[0]]


@quick
@given(body, sizes, counters, models)
def test_windows_without_whole_blocks_fit_the_model(text, size, counter, model) -> None:
    note, chunks = chunked(text, size, counter, model)
    previous = None
    for chunk in chunks:
        window = window_text(chunk, overlap_text(previous, chunk.overlap_chars) if previous else "")
        context = len(counter.token_offsets(context_line(note.title, chunk.section_path)))
        long_context = context + size.maximum // 4 + size.overlap + 8 > model
        held = (
            "```" in chunk.text or "~~~" in chunk.text or "$$" in chunk.text or "|" in chunk.text or "[!" in chunk.text
        )
        if not held and not long_context and "%%" not in chunk.text:
            slack = 2 * window.count("...") + 2
            assert len(counter.token_offsets(window)) <= model + slack
        previous = chunk


@quick
@given(body, sizes)
def test_same_input_same_chunks(text, size) -> None:
    assert chunked(text, size, WordCounter(), 512) == chunked(text, size, WordCounter(), 512)


@quick
@given(st.lists(st.lists(block, min_size=1, max_size=4), min_size=2, max_size=5), sizes, st.data())
def test_stable_ids_survive_another_section(sections, size, data) -> None:
    written = [f"## Titel {i}\n\n" + "\n\n".join(blocks) + "\n\n" for i, blocks in enumerate(sections)]
    at = data.draw(st.integers(0, len(written) - 1))
    _, full = chunked("".join(written), size, WordCounter(), 512)
    _, less = chunked("".join(written[:at] + written[at + 1 :]), size, WordCounter(), 512)
    _, turned = chunked("".join(written[::-1]), size, WordCounter(), 512)
    gone = f"Titel {at}"
    kept = [chunk.stable_id for chunk in full if not chunk.section_path or chunk.section_path[0] != gone]
    assert kept == [chunk.stable_id for chunk in less if not chunk.section_path or chunk.section_path[0] != gone]
    assert {chunk.stable_id for chunk in full} == {chunk.stable_id for chunk in turned}
    assert len({chunk.stable_id for chunk in full}) == len(full)


@pytest.mark.slow
def test_real_vaults_hold_the_laws() -> None:
    root = Path(os.environ.get("MINDNET_SHARED", "")) / "vaults"
    if not os.environ.get("MINDNET_SHARED") or not root.is_dir():
        pytest.skip("MINDNET_SHARED names no folder with vaults")
    size = ChunkSizes("p", 200, 300, 500, 100, 50)
    for path in sorted(root.rglob("*.md")):
        registry = registry_of(size)
        note = parse_note(path.name, path.read_bytes(), path.stem, registry)
        chunks = chunk_note(note, registry, WordCounter(), 512)
        assert "".join(chunk.text for chunk in chunks) == (note.fulltext if note.fulltext.strip() else ""), path
        cuts = {chunk.char_start for chunk in chunks}
        assert not [s for s in atomic_spans(note) if any(s[0] < cut < s[1] for cut in cuts)], path
