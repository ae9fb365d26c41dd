from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import pytest

from mindnet_pipeline.core.ids import path_id
from mindnet_pipeline.core.model import Link, NoteNames, Resolution
from mindnet_pipeline.core.resolve import NoteIndex, changed_keys, link_keys, name_keys

CASES = Path(__file__).parent / "fixtures" / "links" / "resolution.txt"
WIKILINK = re.compile(r"\[\[(?P<target>[^|\]]*)(?:\|(?P<display>[^\]]*))?\]\]")
MARKDOWN_LINK = re.compile(r"\[(?P<display>[^\]]*)\]\((?P<target>[^)]*)\)")


def link_of(written: str) -> Link:
    if match := WIKILINK.fullmatch(written):
        return Link("wikilink", match["target"].strip(), 0, len(written), display=match["display"] or "")
    match = MARKDOWN_LINK.fullmatch(written)
    assert match, f"not a link: {written}"
    return Link("mdlink", match["target"].strip(), 0, len(written), display=match["display"])


def names_of_line(line: str) -> NoteNames:
    path, *facts = (part.strip() for part in line.split("|"))
    known = [(key.strip(), value.strip()) for key, _, value in (fact.partition(":") for fact in facts)]
    first = dict(reversed(known))
    stem = path_id(path)
    return NoteNames(
        note_id=first.get("id", stem),
        path=path,
        title=first.get("title", stem.rpartition("/")[2]),
        aliases=tuple(value for key, value in known if key == "alias"),
    )


@dataclass(frozen=True)
class Case:
    title: str
    notes: tuple[NoteNames, ...]
    lines: tuple[str, ...]


def load_cases() -> list[Case]:
    cases = []
    for text in CASES.read_text(encoding="utf-8").split("\n# ")[1:]:
        head, _, links = text.partition("\n---\n")
        title, *notes = head.splitlines()
        cases.append(Case(title, tuple(map(names_of_line, notes)), tuple(filter(None, links.splitlines()))))
    return cases


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.title)
def test_links_lead_where_obsidian_leads_them(case: Case):
    paths = {names.note_id: names.path for names in case.notes}
    index = NoteIndex(case.notes)
    for line in case.lines:
        source, _, rest = line.partition(": ")
        written, _, expected = rest.rpartition(" -> ")
        found = index.resolve(link_of(written), source)
        told = "nothing" if found.target_id is None else f"{paths[found.target_id]} ({found.resolved_by})"
        assert told + (" ?" if found.ambiguous else "") == expected, line


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.title)
def test_the_order_of_the_notes_does_not_matter(case: Case):
    one, other = NoteIndex(case.notes), NoteIndex(reversed(case.notes))
    for line in case.lines:
        source, _, rest = line.partition(": ")
        link = link_of(rest.rpartition(" -> ")[0])
        assert one.resolve(link, source) == other.resolve(link, source)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("written", ["März", "Ma\u0308rz", "MÄRZ.md"])
def test_composed_and_decomposed_names_are_one(form: str, written: str):
    path = unicodedata.normalize(form, "März.md")
    index = NoteIndex([NoteNames("m", path, "x")])
    assert index.resolve(Link("wikilink", written, 0, 0), "a.md") == Resolution("m", "path")


def test_a_no_break_space_is_a_space():
    index = NoteIndex([NoteNames("m", "Mein Beet.md", "x")])
    assert index.resolve(Link("wikilink", "Mein\u00a0Beet", 0, 0), "a.md").target_id == "m"


@pytest.mark.parametrize("destination", ["attachment", "external"])
def test_links_to_other_things_than_notes_are_not_resolved(destination: str):
    index = NoteIndex([NoteNames("bild", "bild.md", "x")])
    link = Link("embed", "bild", 0, 0, destination=destination)
    assert index.resolve(link, "a.md").target_id is None
    assert link_keys(link) == frozenset()


def test_namesakes_are_all_notes_that_a_person_could_mean():
    index = NoteIndex(
        [
            NoteNames("1", "a/Beet.md", "x"),
            NoteNames("2", "b.md", "Beet"),
            NoteNames("3", "c.md", "y", ("beet",)),
            NoteNames("4", "d.md", "z"),
        ]
    )
    assert index.namesakes("Beet") == ("a/Beet.md", "b.md", "c.md")


def test_a_renamed_note_changes_the_keys_of_both_names():
    old = {"x": NoteNames("x", "alt.md", "Titel")}
    new = {"x": NoteNames("x", "neu.md", "Titel")}
    assert {"alt", "neu"} <= changed_keys(old, new)


def test_equal_names_change_nothing():
    names = {"x": NoteNames("x", "alt.md", "Titel", ("Name",))}
    assert changed_keys(names, dict(names)) == frozenset()


def test_a_note_has_the_keys_of_file_name_id_title_and_aliases():
    assert name_keys(NoteNames("ID-1", "a/Beet.md", "Mein Titel", ("KI",))) == {"id-1", "beet", "mein titel", "ki"}
