"""Translations of one vault should have one link graph: notes are tied by their permalink.

Every difference that is left has been looked up in both notes and is written down here with its reason; each reason is
the translator's, none is a fault of reading or resolving. A difference that is not written down fails the test, and so
does a reason that no longer has its difference.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from mindnet_pipeline.core.ids import assign_note_ids
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.core.resolve import NoteIndex, names_of
from mindnet_pipeline.storage.vault import read_bytes, scan_vault
from mindnet_pipeline_tests.core.link_vaults import REGISTRY

SHARED = os.environ.get("MINDNET_SHARED", "")
VAULTS = Path(SHARED) / "vaults"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SHARED or not VAULTS.is_dir(), reason="MINDNET_SHARED names no folder with vaults"),
]


Pair = tuple[str, str]

OTHER_NOTE = "the translation links another note that exists"
NO_SUCH_NOTE = "the translation links a name that no note, title or alias has"
OWN_HEADING = "the translation links a heading of its own note instead"
LEFT_OUT = "the translation has no link there"
OPEN_PIPE = "the translation writes the pipe in a table without a backslash: the cell, and the link with it, ends there"
SELF = "the translation links the note to itself where the original has plain text"
NAMESAKES = "two notes have one name in the translation: the link means the one in the same folder"

EXPLAINED: dict[str, dict[str, set[Pair]]] = {
    "de": {
        OTHER_NOTE: {
            ("bases/views", "tags"),
            ("bases/views", "plugins/tags"),
            ("obsidian", "themes"),
            ("obsidian", "appearance"),
            ("plugins", "bases/views/map"),
            ("plugins", "bases/views/cards"),
            ("settings", "themes"),  # its other note is linked there in the original too
            ("sync/settings", "themes"),
            ("sync/settings", "appearance"),
            ("teams/deploy", "themes"),
            ("teams/deploy", "appearance"),
        },
        NO_SUCH_NOTE: {
            ("import", "import/airtable"),
            ("plugins/templates", "edit-and-read"),
            ("syntax", "plugins/footnotes"),
        },
        OWN_HEADING: {("sync/migrate", "sync/setup")},
        LEFT_OUT: {("web-clipper/variables", "web-clipper/logic")},
        OPEN_PIPE: {("sync/headless", "configuration-folder")},
        SELF: {("plugins/slides", "plugins/slides")},
    },
    "ja": {
        OTHER_NOTE: {("sync/headless", "headless"), ("sync/headless", "sync/headless")},
        NO_SUCH_NOTE: {("import", "import/airtable")},
        OWN_HEADING: {("sync/migrate", "sync/setup")},
        LEFT_OUT: {("publish/analytics", "publish")},
        OPEN_PIPE: {
            ("publish/sites", "plugins/outline"),
            ("sync/headless", "configuration-folder"),
            ("sync/headless", "sync/region"),
            ("sync/headless", "sync/version-history"),
        },
        NAMESAKES: {("cli", "workspace"), ("tabs", "plugins/workspaces"), ("tabs", "workspace")},
    },
}

LOST: dict[str, set[Pair]] = {
    "en": {("links", "Example"), ("links", "Example.md")},
    "de": {
        ("import", "Airtable"),
        ("links", "Beispiel"),
        ("links", "Beispiel.md"),
        ("plugins/templates", "Ansichten und Bearbeitungsmodi"),
        ("syntax", "Fußnotenansicht"),
    },
    "ja": {("import", "Airtable"), ("links", "Example"), ("links", "Example.md")},
}
"""The links that lead nowhere: examples in the text on links, and names under which the translation has no note."""


@cache
def link_graph(language: str) -> tuple[set[str], set[Pair], set[Pair]]:
    """All permalinks, the distinct (from, to) by permalink, and the distinct (from, text) that lead nowhere."""
    root = VAULTS / f"obsidian-help-{language}"
    data = {path: read_bytes(root, path) for path in sorted(scan_vault(root).files)}
    ids = assign_note_ids(dict.fromkeys(data, ""))
    notes = [parse_note(path, each, ids[path], REGISTRY) for path, each in data.items()]
    index = NoteIndex(map(names_of, notes))
    names = {note.note_id: str(note.frontmatter.get("permalink") or note.path) for note in notes}
    links, lost = set(), set()
    for note in notes:
        for link in note.links:
            if link.destination == "note" and link.target:
                found = index.resolve(link, note.path).target_id
                if found is None:
                    lost.add((names[note.note_id], link.target))
                else:
                    links.add((names[note.note_id], names[found]))
    return set(names.values()), links, lost


@pytest.mark.parametrize("language", ["de", "ja"])
def test_translations_have_the_links_of_the_original_but_for_explained_ones(language: str):
    notes, english, _ = link_graph("en")
    others, translated, _ = link_graph(language)
    assert notes == others
    assert len(english & translated) > 950
    assert english ^ translated == set().union(*EXPLAINED[language].values())


@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_only_links_without_a_note_lead_nowhere(language: str):
    assert link_graph(language)[2] == LOST[language]
