"""What the chunker does with single notes: sections, whole blocks, lists, quotes, tables, sizes by type, links."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.model import Chunk
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.core.registry import ChunkSizes, NoteType, Registry
from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.core.windows import window_text

USUAL = ChunkSizes("default", 200, 300, 500, 100, 50)
SMALL = ChunkSizes("small", 8, 12, 20, 2, 1)
TINY = ChunkSizes("tiny", 5, 8, 10, 1, 0)


def cut(
    body: str, sizes: ChunkSizes = USUAL, model: int = 2000, *, apart: bool = True, kind: str = "default"
) -> list[Chunk]:
    types = {
        "default": NoteType("default", sizes, (), 1.0, apart, {}),
        "other": NoteType("other", sizes, (), 0.5, False, {}),
    }
    registry = Registry(types, {}, {}, ("mögliche verbindungen",), "")
    note = replace(parse_note("n.md", body.encode(), "n", registry), type=kind, lang="de")
    chunks = chunk_note(note, registry, WordCounter(), model)
    assert "".join(chunk.text for chunk in chunks) == (body if body.strip() else "")
    return chunks


def paths(body: str, sizes: ChunkSizes = USUAL) -> list[tuple[str, ...]]:
    return list(dict.fromkeys(chunk.section_path for chunk in cut(body, sizes)))


@pytest.mark.parametrize("body", ["", "\n", " \n\t\n"])
def test_a_blank_body_has_no_chunks(body: str) -> None:
    assert cut(body) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("## Eins\n\n~~~sh\n## nein\n~~~\n\n## Zwei\n\ny\n", [("Eins",), ("Zwei",)]),
        ("~~~ q ~~~\n## nein\n~~~\n## Drei\n\ny\n", [(), ("Drei",)]),
        ("## Eins\n\n```sh\nls\n`````\n\n## Zwei\n\ny\n", [("Eins",), ("Zwei",)]),
        ("## Eins\n\n   ```\n   ## nein\n   ```\n\n## Zwei\n\ny\n", [("Eins",), ("Zwei",)]),
        ("## Eins\n\n```\nnie zu\n## nein\n", [("Eins",)]),
        ("## Formel\n\n$$\nu + v\n=\nw\n$$\n\nEnde.\n", [("Formel",)]),
        ("## A\r\n\r\n$$\r\na\r\n===\r\n$$\r\n\r\n## B\r\n\r\ny\r\n", [("A",), ("B",)]),
        ("## A\n\nEs gilt $$\na\n---\nb\n$$ also.\n\n## B\n\ny\n", [("A",), ("B",)]),
        ("## A\n\n$$\na\n\n# b\n\n- c\n```\n$$\n\n## B\n\ny\n", [("A",), ("B",)]),
        ("## A\n\n- $$\n  a\n  ---\n  b\n  $$\n- x\n\n## B\n\ny\n", [("A",), ("B",)]),
        ("## A\n\n> $$\n> a\n> ---\n> $$\n\n## B\n\ny\n", [("A",), ("B",)]),
        ("## A\n\n$$a$$\n$$\nb\n---\n$$\n\n## B\n\ny\n", [("A",), ("B",)]),
        ("## A\n\n`$$`\n\nx\n---\ny\n\n`$$`\n\n## B\n\nz\n", [("A",), ("x",), ("B",)]),
        ("## Oben\n\n> [!tip] Rat\n> ## innen\n> mehr\n\nWeiter oben.\n", [("Oben",)]),
        ("- Punkt\n---\n\nEcht\n---\n\nText\n", [(), ("Echt",)]),
        (
            "## Grund / Folge\n\nx\n\n## Grund\n\n### Folge\n\ny\n\n## 9/11\n\nz\n",
            [("Grund / Folge",), ("Grund", "Folge"), ("9/11",)],
        ),
        ("## A\n\n###\n\nx\n\n##\n\ny\n", [("A",), ()]),
        ("# Titel\n\n## A\n\nx\n", [(), ("A",)]),
        ("#\n\n# Titel\n\n## A\n\nx\n", [(), ("A",)]),
        ("# Titel\n\na\n\n# Zweiter\n\nb\n\n## A\n\nc\n", [(), ("Zweiter",), ("Zweiter", "A")]),
    ],
)
def test_sections_are_those_of_markdown(body: str, expected: list[tuple[str, ...]]) -> None:
    assert paths(body) == expected


def test_text_before_the_first_heading_is_a_chunk_without_section() -> None:
    first, second = cut("Vorweg mit [[Ziel]].\n\n## A\n\nText.\n")
    assert (first.text, first.section_path, first.wikilinks) == ("Vorweg mit [[Ziel]].\n\n", (), ("Ziel",))
    assert second.section_path == ("A",)


def test_equal_sections_have_rising_offsets() -> None:
    body = "## A\n\nGanz gleich.\n\n## B\n\nGanz gleich.\n"
    assert [chunk.char_start for chunk in cut(body)] == [0, body.index("## B")]


def test_small_subsections_of_one_section_join_under_their_shared_path() -> None:
    (chunk,) = cut("## A\n\n### B\n\nkurz\n\n### C\n\nauch\n")
    assert chunk.section_path == ("A",)


def test_a_heading_without_text_takes_the_path_of_its_only_subsection() -> None:
    (chunk,) = cut("## A\n\n### B\n\nkurz\n")
    assert chunk.section_path == ("A", "B")


def test_small_sections_under_different_h2_stay_apart() -> None:
    assert len(cut("## A\n\nkurz\n\n## B\n\nkurz\n")) == 2


def test_code_above_the_maximum_stands_alone() -> None:
    code = "```py\n" + "x = 1\n" * 30 + "```\n"
    chunks = cut(f"Davor.\n\n{code}\nDanach.\n", SMALL)
    assert [(chunk.text.strip() == code.strip(), chunk.kind) for chunk in chunks] == [
        (False, "text"),
        (True, "code"),
        (False, "text"),
    ]


def test_nothing_overlaps_into_or_out_of_code() -> None:
    chunks = cut("Ein Satz davor.\n\n```py\n" + "x = 1\n" * 30 + "```\n\nEin Satz danach.\n", SMALL)
    assert [chunk.overlap_chars for chunk in chunks] == [0, 0, 0]


def test_nothing_overlaps_out_of_a_list_that_holds_code() -> None:
    items = "- Erst ein Punkt.\n- Dann Code:\n\n  ```\n  x = 1\n  ```\n\n"
    chunks = cut(items + "Danach kommt ein Satz mit Wörtern. " * 6, ChunkSizes("p", 12, 22, 32, 1, 11))
    holder = next(i for i, chunk in enumerate(chunks) if "x = 1" in chunk.text)
    assert chunks[holder].text == items
    assert chunks[holder + 1].overlap_chars == 0


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize(
    ("body", "whole"),
    [
        ("- Erst\n\n  ```sh\n  ## nein. Ja. So.\n  ls -l\n  ```\n- Zweiter\n", "Erst\n\n  ```sh … ls -l\n  ```"),
        ("1. Erst\n\n   ~~~\n   a b. C d e f. G h i.\n   ~~~\n2. Zweiter\n", "Erst\n\n   ~~~ … ~~~"),
        ("- [ ] Erst\n\t```js\n\tlet a; // Eins. Zwei. Drei. Vier.\n\t```\n", "Erst\n\t```js … Vier.\n\t```"),
        ("- Eins\n  - Erst\n\n    ```\n    a. B c d. E f g. H\n    ```\n", "Erst\n\n    ``` … H\n    ```"),
        ("- Erst\n\n  | A | B |\n  |---|---|\n  | a b. C d. E | f. G |\n\n- Ende\n", "Erst\n\n  | A … G |"),
        ("- Erst\n  > [!tip] Rat. Ein Satz.\n  > Noch einer. Und einer.\n", "Erst\n  > [!tip] … einer."),
        ("- Erst\n\n      a b. C d e f. G h i. J\n\n- Ende\n", "Erst\n\n      a … J"),
        ("- Erst\n\n  $$\n  a. b\n  = c. D e f. G\n  $$\n- Ende\n", "Erst\n\n  $$ … $$"),
        (
            "> Erst ist da.\n>\n> ```py\n> a. B c d. E f g. H\n> ```\n>\n> Ende.\n",
            "Erst ist da.\n>\n> ```py … H\n> ```",
        ),
        (
            "[^1]: Erst ist es da.\n\n    ```\n    a. B c d. E f g. H\n    ```\n",
            "Erst ist es da.\n\n    ``` … H\n    ```",
        ),
    ],
)
def test_what_a_list_or_quote_holds_stays_whole_with_the_line_before(body: str, whole: str, apart: bool) -> None:
    first, last = whole.split(" … ")
    assert [first in chunk.text and last in chunk.text for chunk in cut(body, TINY, apart=apart)].count(True) == 1


def test_blanks_after_a_nested_block_go_with_it() -> None:
    body = "- Erst\n\n  ```sh\n  ls a b c d e f g\n  ```\n\n- Zweiter Punkt ist auch da\n"
    assert [chunk.text[:2] for chunk in cut(body, TINY)] == ["- ", "- "]


def test_an_open_fence_keeps_its_text_as_written() -> None:
    assert cut("## A\n\n```\nCode\n[[Nein]]\n")[0].wikilinks == ()


def test_long_lists_are_cut_between_groups_of_five_to_eight() -> None:
    lines = [f"- Punkt Nummer {i} ist hier\n" for i in range(40)]
    chunks = cut("".join(lines), ChunkSizes("p", 30, 50, 60, 10, 5))
    assert len(chunks) > 1
    assert all(5 <= chunk.text.count("- Punkt") <= 8 for chunk in chunks)


def test_short_items_are_cut_between_groups_only() -> None:
    chunks = cut("".join(f"- Punkt {i:02}\n" for i in range(40)), ChunkSizes("p", 30, 50, 60, 10, 5))
    assert len(chunks) > 2
    assert all(chunk.text.count("- Punkt") % 8 == 0 for chunk in chunks)


def test_an_introducing_sentence_stays_with_its_list() -> None:
    before = "Ein Satz, der nur füllt. " * 12
    body = before + "Das brauchen wir:\n\n" + "".join(f"- Ding {i} und mehr\n" for i in range(12))
    chunks = cut(body, ChunkSizes("p", 30, 50, 60, 5, 0))
    (chunk,) = [chunk for chunk in chunks if "brauchen wir:" in chunk.text]
    assert "- Ding 0" in chunk.text


@pytest.mark.parametrize("limit", range(20, 80, 3))
@pytest.mark.parametrize("count", [1, 4, 8, 9, 30])
@pytest.mark.parametrize("head", ["", "## Kopf\n\n", "Davor ein kurzer Satz.\n\n"])
def test_an_introducing_sentence_stays_with_a_list_of_any_length(head: str, count: int, limit: int) -> None:
    body = f"{head}Das brauchen wir:\n\n" + "- Ding i a b c d e\n" * count
    chunks = cut(body, ChunkSizes("p", limit - 12, limit - 6, limit, 2, 0))
    (chunk,) = [chunk for chunk in chunks if "brauchen wir:" in chunk.text]
    assert "- Ding" in chunk.text
    assert not head.startswith("#") or chunk.text.startswith(head)
    assert all(chunk.token_count <= limit for chunk in chunks)


def test_a_heading_stays_with_a_text_that_just_fits_into_a_chunk_without_it() -> None:
    first, *_ = cut(
        "## Ein Kopf mit Wörtern\n\n" + "Ein Satz mit sechs Wörtern. " * 5, ChunkSizes("p", 28, 30, 31, 2, 0)
    )
    assert "Ein Satz" in first.text


def test_the_overlap_after_a_list_is_its_last_item() -> None:
    lines = [f"- Punkt Nummer {i} ist hier\n" for i in range(40)]
    first, second, *_ = cut("".join(lines), ChunkSizes("p", 30, 50, 60, 10, 5))
    assert first.text[-second.overlap_chars :] == first.text.splitlines(keepends=True)[-1]


def test_quotes_of_three_lines_are_chunks_of_their_own() -> None:
    quote = "> eins\n> zwei\n> drei\n"
    chunks = cut(f"Davor.\n\n{quote}\nDanach.\n")
    assert [(chunk.text.strip(), chunk.kind) for chunk in chunks][1] == (quote.strip(), "quote")


def test_a_quote_of_its_own_takes_headings_that_stand_directly_above_it_and_no_text_above_those() -> None:
    quote = "### B\n\n#### C\n\n> eins\n> zwei\n> drei\n"
    assert [chunk.text for chunk in cut(f"## A\n\n{quote}")] == [f"## A\n\n{quote}"]
    assert [chunk.text for chunk in cut(f"## A\n\nDavor.\n\n{quote}")] == ["## A\n\nDavor.\n\n", quote]


def test_quotes_of_two_lines_stay_in_the_text() -> None:
    assert len(cut("Davor.\n\n> eins\n> zwei\n\nDanach.\n")) == 1


@pytest.mark.parametrize("kind", ["default", "other"])
def test_a_long_quote_that_fits_is_not_cut_at_its_sentences(kind: str) -> None:
    quote = "> Ein Satz steht hier.\n> Noch ein Satz steht hier.\n> Und noch ein dritter.\n"
    assert any(quote in chunk.text for chunk in cut(f"Davor.\n\n{quote}\nDanach.\n", SMALL, kind=kind))


def test_other_types_keep_quotes_inside() -> None:
    assert len(cut("Davor.\n\n> eins\n> zwei\n> drei\n\nDanach.\n", kind="other")) == 1


def test_a_table_has_its_first_rows_as_summary() -> None:
    rows = "".join(f"| Berg {i} | {i}00 |\n" for i in range(1, 9))
    (chunk,) = cut(f"| Name | Höhe |\n|---|---:|\n{rows}")
    assert (chunk.kind, chunk.summary) == (
        "table",
        "Name: Berg 1, Höhe: 100; Name: Berg 2, Höhe: 200; Name: Berg 3, Höhe: 300",
    )


@pytest.mark.parametrize(
    "body", ["> | A | B |\n> |---|---|\n> | 1 | 2 |\n", "- x\n\n  | A | B |\n  |---|---|\n  | 1 | 2 |\n"]
)
@pytest.mark.parametrize("callout", ["", "> [!note] N\n"])
def test_a_table_inside_something_has_its_summary_too(body: str, callout: str) -> None:
    (chunk,) = cut(callout + (body if not callout else "> " + body.replace("\n", "\n> ")))
    assert chunk.summary == "A: 1, B: 2"


@pytest.mark.parametrize(
    "item", ["- Sie kamen dann erst am\n  3. Oktober wieder zurück und blieben dort bis\n  4. November oder länger.\n"]
)
def test_a_wrapped_line_of_an_item_is_no_item(item: str) -> None:
    assert [chunk.text for chunk in cut(item * 3, SMALL)] == [item] * 3


def test_a_long_item_is_cut_where_an_item_inside_it_starts() -> None:
    body = "- Hier steht der lange Punkt ganz oben\n  - der hat noch zwei Punkte\n  - die sind auch nicht kurz\n"
    assert [chunk.text.split()[1] for chunk in cut(body, TINY)] == ["Hier", "der", "die"]


@pytest.mark.parametrize(
    "mark", ["![[Ziel]]", "![Ein Haus](h.png)", "![[Z#T|A]]", "`x! Y`", "$a! B + c$", "%%Ah! Ja%%"]
)
def test_no_sentence_ends_inside_a_line_s_marks(mark: str) -> None:
    sentence = f"Wir sehen dazu {mark} und mehr. "
    assert [chunk.text for chunk in cut(sentence * 3, TINY)] == [sentence] * 3


@pytest.mark.parametrize("tag", ["pre", "script", "table", "STYLE"])
def test_html_that_is_code_or_a_table_is_never_cut(tag: str) -> None:
    html = f"<{tag}>\nErst das hier. Dann das da. Und das auch noch.\n</{tag}>\n"
    assert html in [chunk.text for chunk in cut("Davor steht ein Satz.\n\n" + html, TINY)]


def test_a_stop_section_is_a_chunk_of_kind_links() -> None:
    chunks = cut("## A\n\nText.\n\n### Mögliche Verbindungen\n\n- [[X]]\n\n### C\n\nMehr.\n")
    assert [chunk.kind for chunk in chunks] == ["text", "links", "text"]


@pytest.mark.parametrize("overlap", [0, 9, 25])
@pytest.mark.parametrize(
    "link",
    [
        "Dann [[Ziel]]. ",
        "Dann [[Ziel#Teil|z. B. dort]]. ",
        "Dann ![[Ziel]]. ",
        "Dann [so](Ziel.md). ",
        "Dann [[rel:depends_on Ziel]]. ",
        "Dann (depends_on:: [[Ziel]]). ",
        "Dann https://example.org/Ziel. ",
        "\n\n- Eins\n- Dann [[Ziel]]\n\n",
    ],
)
def test_links_belong_to_the_chunk_that_holds_them_not_to_the_overlap(link: str, overlap: int) -> None:
    body = "Füllsatz ist hier lang genug. " * 8 + link + "Weiter geht der Text hier. " * 8
    chunks = cut(body, ChunkSizes("p", 30, 40, 60, 10, overlap))
    assert any(chunk.overlap_chars for chunk in chunks) == (overlap > 0)
    (holder,) = (chunk for chunk in chunks if chunk.wikilinks or chunk.external_links)
    assert link.strip()[-8:] in holder.text


def test_external_links_are_apart_from_wikilinks() -> None:
    (chunk,) = cut("Siehe [[A|b]], [x](https://example.org/) und ![[bild.png]].\n")
    assert (chunk.wikilinks, chunk.external_links) == (("A",), ("https://example.org/",))


@pytest.mark.parametrize("run", ["https://example.org/" + "a" * 200_000, "wort " * 40_000], ids=["url", "words"])
def test_a_run_without_sentence_ends_is_cut_and_says_so(run: str) -> None:
    chunks = cut(f"Kurz. {run}\n", model=512) if " " in run else cut(f"Kurz. {run}\n", SMALL, model=64)
    assert all(chunk.text for chunk in chunks)
    if " " in run:
        assert sum(chunk.hard_split for chunk in chunks) == len(chunks)
        assert all(chunk.token_count <= USUAL.maximum for chunk in chunks)


@pytest.mark.parametrize("overlap", [0, 40])
@pytest.mark.parametrize(
    "run",
    [
        "data:image/png;base64," + "Ab1/" * 4_000,
        "日" * 8_000,
        "- " + "x" * 50_000,
        "> " + "wort " * 4_000,
        "[^1]: " + "wort " * 4_000,
        "wort\n" * 4_000,
        ". " * 8_000,
        "(" * 8_000,
        "[[" * 4_000,
        "![[" * 1_000,
        "\u200b" * 8_000,
        "`" * 10_001,
    ],
    ids=[
        "base64",
        "cjk",
        "item",
        "quote",
        "footnote",
        "lines",
        "stops",
        "brackets",
        "links",
        "embeds",
        "zero",
        "ticks",
    ],
)
def test_no_run_loops_or_leaves_an_empty_chunk(run: str, overlap: int) -> None:
    chunks = cut(f"Kurz davor.\n\n{run}", ChunkSizes("p", 80, 150, 200, 50, overlap), model=508)
    assert len(chunks) < 500
    assert all(chunk.text for chunk in chunks)


@pytest.mark.parametrize("words", range(1, 12))
def test_a_sentence_too_long_for_the_model_is_cut_beside_its_links(words: int) -> None:
    chunks = cut(("wort " * words + "[[Titel mit Blanks]] ") * 40, ChunkSizes("p", 20, 28, 30, 2, 0), model=40)
    assert all(chunk.hard_split for chunk in chunks)
    assert all(chunk.text.count("[[") == chunk.text.count("]]") for chunk in chunks)


def test_a_sentence_above_the_maximum_stays_whole_if_the_model_can_read_it() -> None:
    sentence = "Wort " * 30 + "Ende. "
    chunks = cut(sentence * 3, SMALL)
    assert [chunk.hard_split for chunk in chunks] == [False] * 3


@pytest.mark.parametrize("sentence", ["今天我们讨论了向量数据库的设计。", "これはノートです。", "本当ですか？"])
def test_chinese_and_japanese_are_cut_after_their_full_stops(sentence: str) -> None:
    chunks = cut("## 記\n\n" + sentence * 80 + "\n", ChunkSizes("p", 60, 90, 120, 30, 10))
    assert len(chunks) > 2
    assert all(chunk.text.rstrip().endswith(sentence[-1]) and chunk.token_count <= 120 for chunk in chunks)


def test_german_abbreviations_and_dates_are_never_cut() -> None:
    sentence = "Am 3. Oktober kam z. B. Dr. Lay, d. h. der Chef, mit 2,5 Mio. Euro. "
    assert all(chunk.text.startswith("Am 3.") for chunk in cut(sentence * 40, ChunkSizes("p", 30, 50, 70, 10, 5)))


def test_the_overlap_is_whole_sentences_up_to_its_size() -> None:
    chunks = cut("Das ist ein Satz mit Wörtern. " * 60, ChunkSizes("p", 40, 60, 80, 20, 15))
    assert {first.text[-second.overlap_chars :] for first, second in pairwise(chunks)} == {
        "Das ist ein Satz mit Wörtern. " * 2
    }


def test_no_overlap_crosses_a_section() -> None:
    body = "".join(f"## T{i}\n\n" + "Ein Satz mit einigen Wörtern. " * 30 + "\n\n" for i in range(3))
    assert [chunk.overlap_chars for chunk in cut(body)] == [0, 0, 0]


def test_equal_chunks_get_different_stable_ids() -> None:
    chunks = cut("## A\n\nGleich.\n\n## A\n\nGleich.\n\n## A\n\nGleich.\n")
    assert [chunk.stable_id.removeprefix(chunks[0].stable_id) for chunk in chunks] == ["", "-2", "-3"]


def test_identity_hangs_on_the_first_words_and_the_section() -> None:
    text = "Ein Satz mit sechs Wörtern hier. " * 12
    ids = [
        cut(body)[0].stable_id
        for body in (f"## A\n\n{text}", f"## A\n\n{text}Mehr.", f"## A\n\nAnders. {text}", f"## B\n\n{text}")
    ]
    assert ids[0] == ids[1]
    assert len({*ids}) == 3


def test_a_section_put_in_front_leaves_stable_ids_and_windows() -> None:
    body = "".join(f"## T{i}\n\n" + f"Ein Satz im Teil {i}. " * 30 + "\n\n" for i in range(3))
    after = cut("## Neu\n\nNeu.\n\n" + body)[1:]
    assert [(c.stable_id, c.window_hash) for c in after] == [(c.stable_id, c.window_hash) for c in cut(body)]


def test_a_section_put_above_the_title_leaves_stable_ids_and_windows() -> None:
    body = "# Name\n\n" + "".join(f"## T{i}\n\n" + f"Ein Satz im Teil {i}. " * 30 + "\n\n" for i in range(3))
    after = cut("## Neu\n\nNeu.\n\n" + body)[1:]
    assert [(c.stable_id, c.window_hash) for c in after] == [(c.stable_id, c.window_hash) for c in cut(body)]


def test_stable_ids_survive_that_another_heading_becomes_the_title() -> None:
    first, *rest = (f"# J{i}\n\nWoche {i}.\n\n## Montag\n\n" + f"Tag {i}. " * 50 for i in range(3))
    assert [c.stable_id for c in cut("\n\n".join([first, *rest]))][2:] == [c.stable_id for c in cut("\n\n".join(rest))]


def test_a_small_section_put_under_an_h2_changes_little_around_it() -> None:
    small = [f"### T{i}\n\nEin kurzer Absatz über {i}.\n\n" for i in range(100)]
    before = {chunk.stable_id for chunk in cut("## A\n\n" + "".join(small))}
    for at in range(0, 100, 7):
        more = [*small[:at], "### Neu\n\nEin neuer Absatz, ebenso kurz.\n\n", *small[at:]]
        assert len(before - {chunk.stable_id for chunk in cut("## A\n\n" + "".join(more))}) <= 1, at


@pytest.mark.parametrize("body", ["%% nur ein Kommentar %%\n", "<!-- x -->\n", "```compressed-json\nabc\n```\n"])
def test_what_nobody_can_read_is_embedded_with_its_notes_name(body: str) -> None:
    (chunk,) = cut(body)
    assert window_text(chunk, "") == "n"


def test_a_heading_goes_with_a_text_that_has_no_sentence_ends() -> None:
    first, *_ = cut("## A\n\n" + "wort " * 2000, ChunkSizes("p", 30, 60, 80, 10, 0), 200)
    assert "wort" in first.text


@pytest.mark.parametrize("part", ["Absatz.\n\n", "### T\n\n", "#### T\n\n"])
def test_very_many_short_paragraphs_and_headings_are_packed(part: str) -> None:
    assert len(cut(part * 20_000)) > 50
