"""Translations of one vault should have one link graph: notes are tied by their permalink."""

from __future__ import annotations

import os
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


def link_graph(root: Path) -> tuple[dict[str, str], set[tuple[str, str]], set[tuple[str, str]]]:
    """Paths by permalink, the distinct (from, to) by permalink, and the distinct (from, text) that lead nowhere."""
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
    return {names[note.note_id]: note.path for note in notes}, links, lost


@pytest.mark.parametrize(("language", "least"), [("de", 0.98), ("ja", 0.98)])
def test_translations_have_the_links_of_the_original(language: str, least: float):
    paths, english, _ = link_graph(VAULTS / "obsidian-help-en")
    others, translated, _ = link_graph(VAULTS / f"obsidian-help-{language}")
    common = paths.keys() & others.keys()
    one = {pair for pair in english if set(pair) <= common}
    other = {pair for pair in translated if set(pair) <= common}
    differences = sorted(one ^ other)
    assert len(common) > 150
    assert len(one & other) / len(one | other) >= least, differences
