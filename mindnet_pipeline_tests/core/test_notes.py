from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core.frontmatter import join_source, split_source
from mindnet_pipeline.core.model import Note
from mindnet_pipeline.core.notes import declared_id, parse_note
from mindnet_pipeline.core.registry import ChunkSizes, NoteType, Registry

_SIZES = ChunkSizes("default", 200, 300, 500, 100, 50)
_SHORT = ChunkSizes("short", 150, 250, 300, 100, 35)
REGISTRY = Registry(
    types={
        "default": NoteType("default", _SIZES, (), 1.0, quotes_apart=True, labels={}),
        "thought": NoteType("thought", _SHORT, ("related_to",), 0.9, quotes_apart=False, labels={}),
    },
    relations={},
    relation_names={},
    stop_sections=(),
    fingerprint="",
)


def read(text: str, path: str = "Ordner/Notiz.md") -> Note:
    return parse_note(path, text.encode(), "n1", REGISTRY)


def codes(note: Note) -> list[str]:
    return [finding.code for finding in note.warnings]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: Aus dem Kopf\n---\n# Aus dem Text\n", "Aus dem Kopf"),
        ("## Zwei\n\n# **Erste** [[Dinge|Sache]]\n", "Erste Sache"),
        ("Text\n", "Notiz"),
        ("---\ntitle: 2025\n---\n", "2025"),
        ("---\ntitle: '  '\n---\n", "Notiz"),
        ("#\n\n# Zwei\n", "Zwei"),
    ],
)
def test_the_title_comes_from_the_frontmatter_else_the_first_h1_else_the_file_name(text: str, title: str) -> None:
    assert read(text).title == title


def test_a_file_name_in_nfd_gives_a_title_in_nfc() -> None:
    assert read("x", "Ma\u0308rz.MD").title == "März"


@pytest.mark.parametrize(
    ("text", "kind", "profile"),
    [("", "default", "default"), ("type: Thought", "thought", "short"), ("type: neu", "neu", "default")],
)
def test_the_type_is_lower_case_and_an_unknown_one_takes_the_default_sizes(text: str, kind: str, profile: str) -> None:
    note = read(f"---\n{text}\n---\n")
    assert (note.type, note.chunk_profile) == (kind, profile)


@pytest.mark.parametrize(
    ("yaml", "tags"),
    [
        ("tags: eins, zwei", ("eins", "zwei")),
        ("tags: eins zwei", ("eins", "zwei")),
        ("tags: [a, a, A]", ("a",)),
        ('tags:\n- \n- drei/vier\n- 2024\n- "#fuenf"', ("drei/vier", "2024", "fuenf")),
        ("tags: #sechs", ()),
        ("tag: x", ("x",)),
        ("tags: {a: 1}", ()),
    ],
)
def test_tags_are_a_list_of_texts_however_they_are_written(yaml: str, tags: tuple[str, ...]) -> None:
    assert read(f"---\n{yaml}\n---\n").tags == tags


def test_tags_of_the_body_are_added_once() -> None:
    assert read("---\ntags: [Eins]\n---\n#eins #zwei/b `#nein`\n").tags == ("Eins", "zwei/b")


@pytest.mark.parametrize(
    ("yaml", "aliases"),
    [
        ("aliases: Leere Hülle", ("Leere Hülle",)),
        ("aliases: A, B", ("A", "B")),
        ("aliases: [A, 007, '']", ("A", "007")),
        ("alias: A", ("A",)),
        ("aliases:", ()),
    ],
)
def test_aliases_are_cut_at_commas_only(yaml: str, aliases: tuple[str, ...]) -> None:
    assert read(f"---\n{yaml}\n---\n").aliases == aliases


def test_people_are_shown_as_links_show_them() -> None:
    note = read('---\npeople:\n- "[[Leute/Anna|Anna]]"\n- [[Ben]]\n- Cem\n---\n')
    assert note.people == ("Anna", "Ben", "Cem")


@pytest.mark.parametrize(("yaml", "lang"), [("lang: EN", "en"), ("language: de-AT", "de"), ("x: y", "de")])
def test_the_language_is_declared_or_found(yaml: str, lang: str) -> None:
    assert read(f"---\n{yaml}\n---\nDas ist ein Satz, der nicht sehr lang ist und doch genügt.\n").lang == lang


def test_each_link_in_a_field_has_the_key_as_kind() -> None:
    fields = (
        'depends_on: "[[A#Teil|a]]"\nup: [[B]]\nsiehe:\n- "[[C]] und [[D]]"\n- [[E]]\nmeta:\n  tief: "[F](F%20f.md)"'
    )
    note = read(f"---\n{fields}\n---\n[[G]]\n")
    found = [
        (link.syntax, link.kind, link.target, link.start, link.end)
        for link in note.links
        if link.syntax == "frontmatter"
    ]
    kinds = ["depends_on", "up", "siehe", "siehe", "siehe", "meta"]
    assert found == [
        ("frontmatter", kind, target, 0, 0)
        for kind, target in zip(kinds, ["A", "B", "C", "D", "E", "F f.md"], strict=True)
    ]
    assert note.links[0].subpath == "Teil"
    assert note.links[-1].target == "G"


def test_the_key_links_is_read_and_reported_as_outdated() -> None:
    note = read('---\nlinks: ["[[A]]"]\n---\n')
    assert note.links[0].target == "A"
    assert "links_outdated" in codes(note)


def test_weight_and_profile_come_from_the_registry_alone() -> None:
    note = read("---\ntype: thought\nretriever_weight: 2\nchunk_profile: long\n---\n")
    assert (note.retriever_weight, note.chunk_profile) == (0.9, "short")
    assert [(f.code, f.line) for f in note.warnings if f.code == "field_ignored"] == [
        ("field_ignored", 3),
        ("field_ignored", 4),
    ]


def test_missing_fields_are_one_finding() -> None:
    note = read("---\nid: x\ntitle: t\n---\n")
    assert [f.message for f in note.warnings] == ["The frontmatter has no `type`, `status`, `created`, `tags`."]


def test_a_relation_without_a_target_is_reported_with_its_line_in_the_file() -> None:
    note = read("---\r\nid: x\r\n---\r\nA\r\n[[rel:blocks]]\r\n")
    assert [f.line for f in note.warnings if f.code == "relation_without_target"] == [5]


def test_broken_frontmatter_leaves_the_body_in_place() -> None:
    note = read("---\npeople: [[A]], [[B]]\n---\n## Teil\n\n[[Ziel]]\n")
    assert (note.blocks[0].title, note.links[0].target, note.frontmatter) == ("Teil", "Ziel", {})
    assert "frontmatter_invalid" in codes(note)


def test_a_note_of_nothing_but_frontmatter_is_a_note() -> None:
    note = read("---\nid: x\n---\n\n")
    assert (note.fulltext, note.blocks, note.links) == ("\n", (), ())


def test_no_carriage_return_gets_into_a_name() -> None:
    note = read("---\r\nid: x\r\ntitle: T\r\n---\r\n## Teil\r\n\r\n[[Ziel|z]]\r\n")
    assert (note.title, note.blocks[0].title, note.links[0].target, note.links[0].display) == ("T", "Teil", "Ziel", "z")


@pytest.mark.parametrize(
    ("yaml", "declared"), [("id: 0123", "0123"), ("id: ' x '", "x"), ("id: [a]", ""), ("id:", ""), ("title: x", "")]
)
def test_the_declared_id_is_a_text_or_nothing(yaml: str, declared: str) -> None:
    assert declared_id(split_source(f"---\n{yaml}\n---\n".encode())) == declared


@given(st.binary(max_size=120) | st.text(max_size=120).map(lambda text: b"---\n" + text.encode("utf-8", "replace")))
@settings(max_examples=400, deadline=None)
def test_any_bytes_are_a_note_that_gives_its_file_back(data: bytes) -> None:
    note = parse_note("a.md", data, "a", REGISTRY)
    assert join_source(note.frontmatter_raw, note.fulltext, bom=note.bom, encoding=note.encoding) == data
    json.dumps(note.frontmatter)
