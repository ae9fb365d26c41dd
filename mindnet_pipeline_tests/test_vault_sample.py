"""The sample vault shows every construct, has the planned faults and only those, and the golden questions fit it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.edges import derive_edges
from mindnet_pipeline.core.frontmatter import split_source
from mindnet_pipeline.core.ids import assign_note_ids, nfc
from mindnet_pipeline.core.model import Chunk, Edge, Note
from mindnet_pipeline.core.notes import declared_id, parse_note
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.core.resolve import NoteIndex, names_of
from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.settings import load_registry

ROOT = Path(__file__).parent.parent
VAULT = ROOT / "vault_sample"
READABLE_TOKENS = 480


@dataclass(frozen=True)
class Sample:
    files: dict[str, bytes]
    notes: dict[str, Note]
    chunks: dict[str, list[Chunk]]
    edges: list[Edge]
    findings: set[tuple[str, str]]

    @property
    def written_edges(self) -> list[Edge]:
        return [edge for edge in self.edges if edge.provenance != "structure"]


@pytest.fixture(scope="module")
def registry() -> Registry:
    return load_registry(ROOT / "config" / "types.yaml")


@pytest.fixture(scope="module")
def sample(registry: Registry) -> Sample:
    files = {path.relative_to(VAULT).as_posix(): path.read_bytes() for path in sorted(VAULT.rglob("*.md"))}
    ids = assign_note_ids({path: declared_id(split_source(data)) for path, data in files.items()})
    notes = {path: parse_note(path, data, ids[path], registry) for path, data in files.items()}
    chunks = {path: chunk_note(note, registry, WordCounter(), READABLE_TOKENS) for path, note in notes.items()}
    index = NoteIndex(names_of(note) for note in notes.values())
    derived = {path: derive_edges(note, chunks[path], index, registry) for path, note in notes.items()}
    return Sample(
        files=files,
        notes=notes,
        chunks=chunks,
        edges=[edge for result in derived.values() for edge in result.edges],
        findings={(path, finding.code) for path, note in notes.items() for finding in note.warnings},
    )


def _rules(sample: Sample) -> set[str]:
    """The rules of all edges, without the part that names a type or a key."""
    return {edge.rule_id.partition(":")[0] for edge in sample.edges} | {edge.rule_id for edge in sample.edges}


# --- the notes


def test_there_are_about_fifty_notes_mostly_german(sample: Sample) -> None:
    languages = Counter(note.lang for note in sample.notes.values())
    assert 45 <= len(sample.notes) <= 60
    assert languages["de"] > languages["en"] >= 10


def test_every_shipped_type_is_used(sample: Sample, registry: Registry) -> None:
    assert {note.type for note in sample.notes.values()} == set(registry.types)


def test_file_names_are_composed_unicode(sample: Sample) -> None:
    assert all(nfc(path) == path for path in sample.files)


def test_some_file_names_have_umlauts_and_sharp_s(sample: Sample) -> None:
    names = "".join(sample.files)
    assert all(letter in names for letter in "äöüßÜ")


def test_several_notes_give_many_chunks(sample: Sample) -> None:
    assert sum(len(chunks) >= 5 for chunks in sample.chunks.values()) >= 5


def test_chunks_join_to_the_body(sample: Sample) -> None:
    for path, note in sample.notes.items():
        assert "".join(chunk.text for chunk in sample.chunks[path]) == note.fulltext


# --- what is written in them


def test_every_kind_of_block_occurs(sample: Sample) -> None:
    kinds = {block.kind for note in sample.notes.values() for block in note.blocks}
    assert kinds >= {
        "heading", "paragraph", "list", "code", "table", "quote", "callout", "html", "math", "comment", "break",
        "footnote",
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["text", "list", "table", "quote", "links"])
def test_every_kind_of_chunk_occurs(sample: Sample, kind: str) -> None:
    assert any(chunk.kind == kind for chunks in sample.chunks.values() for chunk in chunks)


@pytest.mark.parametrize("syntax", ["wikilink", "embed", "mdlink", "rel", "field", "callout", "frontmatter"])
def test_every_way_to_write_a_link_occurs(sample: Sample, syntax: str) -> None:
    assert any(link.syntax == syntax for note in sample.notes.values() for link in note.links)


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("Start hier.md", r"[[2025-W10\|KW 10]]"),
        ("Konzepte/Obsidian.md", "[[Chunking#Regeln#Der Kontext|der Kontext]]"),
        ("Konzepte/Obsidian.md", "[[Zettelkasten#^dritter-satz]]"),
        ("Konzepte/Obsidian.md", "![[Lichtenberg - Sudelbücher#Was ich mitnehme]]"),
        ("Projekte/mindnet.md", "![[pipeline.svg|600]]"),
        ("Start hier.md", "[Vannevar Bush](Quellen/Bush%20-%20As%20We%20May%20Think.md)"),
        ("Projekte/Umzug der Notizen.md", "[spitzen Klammern](<../Konzepte/Maßeinheit Token.md>)"),
        ("Projekte/Umzug der Notizen.md", "[als Referenz][zk]"),
        ("Quellen/Bush - As We May Think.md", "<https://www.theatlantic.com/"),
        ("Projekte/KI-Projekt.md", "[[rel:depends_on Qdrant Vektordatenbank]]"),
        ("Projekte/KI-Projekt.md", "[[rel:löst|Anbieterbindung|das Problem der Bindung]]"),
        ("Projekte/KI-Projekt.md", "part_of:: [[mindnet]]"),
        ("Projekte/KI-Projekt.md", "[supports:: [[Nachvollziehbarkeit]]]"),
        ("Projekte/KI-Projekt.md", "(similar_to:: [[Zettelkasten]])"),
        ("Projekte/KI-Projekt.md", "> [!edge] related_to: [[Vector DB Basics]]"),
    ],
)
def test_a_link_is_read_where_it_is_written(sample: Sample, path: str, written: str) -> None:
    note = sample.notes[path]
    at = note.fulltext.index(written)
    assert any(link.start < at + len(written) and at < link.end for link in note.links)


@pytest.mark.parametrize("never", ["Kein Link", "Auch kein Link", "x", "maskierte Klammern", "Kein Ziel"])
def test_what_is_no_link_is_not_read_as_one(sample: Sample, never: str) -> None:
    assert never not in {link.target for link in sample.notes["Konzepte/Obsidian.md"].links}


def test_what_is_no_heading_is_not_read_as_one(sample: Sample) -> None:
    titles = {block.title for block in sample.notes["Konzepte/Obsidian.md"].blocks if block.kind == "heading"}
    assert not titles & {"Keine Überschrift", "Auch das ist keine Überschrift"}


def test_tags_of_the_body_are_found_and_code_has_none(sample: Sample) -> None:
    assert "denken" in sample.notes["Konzepte/Zettelkasten.md"].tags
    assert "kein-tag" not in sample.notes["Konzepte/Obsidian.md"].tags


def test_formulas_stay_one_block_despite_their_lines(sample: Sample) -> None:
    blocks = sample.notes["Konzepte/Kosinus-Ähnlichkeit.md"].blocks
    assert [block.kind for block in blocks].count("math") == 1
    assert {block.level for block in blocks if block.kind == "heading"} == {1, 2}


# --- the edges


@pytest.mark.parametrize(
    "rule",
    [
        "explicit:wikilink", "explicit:embed", "explicit:mdlink", "inline:rel", "inline:field", "callout:edge",
        "frontmatter", "edge_defaults", "structure:belongs_to", "structure:next", "structure:prev",
        "structure:backlink",
    ],
)  # fmt: skip
def test_every_rule_makes_an_edge(sample: Sample, rule: str) -> None:
    assert rule in _rules(sample)


@pytest.mark.parametrize("resolved_by", ["path", "id", "folder", "name", "title", "alias", "swapped", ""])
def test_links_are_resolved_in_every_way(sample: Sample, resolved_by: str) -> None:
    assert any(edge.resolved_by == resolved_by for edge in sample.written_edges)


def test_the_showcase_note_depends_on_the_database(sample: Sample) -> None:
    shown = {(edge.kind, edge.rule_id, edge.target_id) for edge in sample.written_edges if edge.note_id == "ki-projekt"}
    assert ("depends_on", "inline:rel", "qdrant") in shown
    assert ("references", "explicit:wikilink", "embeddings-101") in shown
    assert ("related_to", "callout:edge", "vector-db-basics") in shown


def test_an_edge_callout_may_name_its_targets_on_the_lines_below(sample: Sample) -> None:
    targets = {
        edge.target_id
        for edge in sample.written_edges
        if (edge.note_id, edge.kind, edge.rule_id) == ("ki-projekt", "depends_on", "callout:edge")
    }
    assert targets == {"dagster", "obsidian", "token"}


def test_links_of_a_stop_section_make_no_edge(sample: Sample) -> None:
    mindnet = {edge.target_id for edge in sample.written_edges if edge.note_id == "mindnet"}
    assert not mindnet & {"g-vergessen", "q-luhmann", "b-links"}


def test_every_target_heading_and_block_exists(sample: Sample) -> None:
    notes = {note.note_id: note for note in sample.notes.values()}
    for edge in sample.written_edges:
        if not edge.target_section:
            continue
        note = notes[edge.target_id]
        if edge.target_section.startswith("^"):
            assert edge.target_section in note.fulltext
        else:
            titles = {block.title for block in note.blocks if block.kind == "heading"}
            assert set(edge.target_section.split("#")) <= titles


def test_every_attachment_exists(sample: Sample) -> None:
    wanted = {link.target for note in sample.notes.values() for link in note.links if link.destination == "attachment"}
    assert wanted <= {path.name for path in (VAULT / "Anhänge").iterdir()}


# --- the faults


def test_the_findings_are_the_planned_ones_and_no_others(sample: Sample) -> None:
    assert sample.findings == {
        ("Inbox/Alte Windows-Notiz.md", "not_utf8"),
        ("Inbox/Kaputter Kopf.md", "frontmatter_invalid"),
        ("Inbox/Kaputter Kopf.md", "fields_missing"),
        ("Inbox/Leere Notiz.md", "fields_missing"),
        ("Projekte/Umzug der Notizen.md", "links_outdated"),
    }


def test_one_link_leads_nowhere(sample: Sample) -> None:
    assert [edge.target_id for edge in sample.edges if edge.status == "unresolved"] == ["Noch nicht geschrieben"]


def test_one_link_is_ambiguous(sample: Sample) -> None:
    (edge,) = [edge for edge in sample.edges if edge.ambiguous]
    assert (edge.note_id, edge.target_raw, edge.target_id) == ("start", "Ideen", "ideen-inbox")


def test_one_id_is_declared_twice_and_the_shorter_path_keeps_it(sample: Sample) -> None:
    assert sample.notes["Konzepte/Chunking.md"].note_id == "chunking"
    assert sample.notes["Inbox/Doppelte Kennung.md"].note_id.startswith("chunking~")
    assert sum("~" in note.note_id for note in sample.notes.values()) == 1


def test_one_note_is_empty_and_still_a_note(sample: Sample) -> None:
    assert [path for path, chunks in sample.chunks.items() if not chunks] == ["Inbox/Leere Notiz.md"]
    assert any(edge.target_id == "Inbox/Leere Notiz" for edge in sample.written_edges)


def test_one_note_has_windows_line_ends_and_a_mark(sample: Sample) -> None:
    marked = [note for note in sample.notes.values() if note.bom]
    assert [(note.path, note.newline) for note in marked] == [("Inbox/Aus dem Büro.md", "crlf")]


def test_every_planned_fault_is_explained(sample: Sample) -> None:
    explained = {link.target for link in sample.notes["Inbox/Absichtliche Fehler.md"].links}
    faulty = {Path(path).stem for path, _ in sample.findings} | {"Doppelte Kennung", "Aus dem Büro"}
    assert faulty <= explained


def test_every_file_comes_back_byte_for_byte(sample: Sample) -> None:
    for path, data in sample.files.items():
        source = split_source(data)
        mark = b"\xef\xbb\xbf" if source.bom else b""
        assert mark + (source.raw + source.body).encode(source.encoding) == data, path


# --- the golden questions


def _golden() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = yaml.safe_load((ROOT / "config" / "golden.yaml").read_text(encoding="utf-8"))
    return entries


def test_there_are_seventy_three_golden_questions_with_ids_of_their_own() -> None:
    assert len({entry["id"] for entry in _golden()}) == len(_golden()) == 73


def test_golden_questions_are_of_every_category_and_both_languages() -> None:
    assert {entry["category"] for entry in _golden()} == {
        "keyword", "conceptual", "link-dependent", "why",
        "how-to", "person", "time", "status", "overview", "reflection",
    }  # fmt: skip
    assert {entry["lang"] for entry in _golden()} == {"de", "en"}


@pytest.mark.parametrize("entry", _golden(), ids=lambda entry: entry["id"])
def test_a_golden_answer_is_a_note_and_a_section_that_exist(sample: Sample, entry: dict[str, Any]) -> None:
    assert any(answer["grade"] == 2 for answer in entry["relevant"])
    for answer in entry["relevant"]:
        titles = {title for chunk in sample.chunks[answer["path"]] for title in chunk.section_path}
        assert "section" not in answer or answer["section"] in titles


def test_a_link_dependent_answer_is_one_link_away_from_a_partial_answer(sample: Sample) -> None:
    linked = {(edge.note_id, edge.target_id) for edge in sample.written_edges}
    for entry in (entry for entry in _golden() if entry["category"] == "link-dependent"):
        answers = {sample.notes[a["path"]].note_id for a in entry["relevant"] if a["grade"] == 2}
        sources = {sample.notes[a["path"]].note_id for a in entry["relevant"]}
        assert any((source, answer) in linked for source in sources for answer in answers), entry["id"]
