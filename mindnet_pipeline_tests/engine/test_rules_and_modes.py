"""Other types, versions of the rules and ways to hash reach the notes that are there, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindnet_pipeline.engine import pipeline
from mindnet_pipeline_tests.engine.vaults import rows_of

CONFIG = Path(__file__).parents[2] / "config"


def test_changed_types_reach_the_notes_that_are_there(world) -> None:
    types = world.folder / "types.yaml"
    text = (CONFIG / "types.yaml").read_text(encoding="utf-8")
    types.write_text(text, encoding="utf-8")
    world.environment = {"MINDNET_TYPES_FILE": str(types)}
    world.write("a.md", "---\ntype: value\n---\n[[b]]\n")
    world.write("b.md", "Ziel.\n")
    world.sync()
    types.write_text(text.replace("edge_defaults: [related_to], label: {de: Wert", "label: {de: Wert"))
    report = world.sync()
    assert report.totals["notes"] == 2
    assert "edge_defaults:value:related_to" not in {row["rule_id"] for row in rows_of(world.pipeline())["edges"]}
    world.assert_same_as_rebuild()


@pytest.mark.parametrize(
    ("mode", "normalize", "written", "remade"),
    [
        ("body", "none", "---\nstatus: neu\n---\nText.\n", False),
        ("body", "none", "---\nstatus: alt\n---\nAnders.\n", True),
        ("frontmatter", "none", "---\nstatus: alt\n---\nAnders.\n", False),
        ("frontmatter", "none", "---\nstatus: neu\n---\nText.\n", True),
        ("body+frontmatter", "none", "---\nstatus: neu\n---\nText.\n", True),
        ("body+frontmatter", "none", "---\nstatus: alt\n---\nText.\r\n", True),
        ("body+frontmatter", "canonical", "---\nstatus: alt\n---\nText.\r\n", False),
        ("body+frontmatter", "canonical", "---\nstatus: alt\n---\nText.  \n", False),
        ("body+frontmatter", "canonical", "---\nstatus: alt\n---\nText!\n", True),
    ],
)
def test_the_hash_mode_decides_what_counts_as_a_change(
    world, mode: str, normalize: str, written: str, remade: bool
) -> None:
    world.environment = {"MINDNET_HASH_MODE": mode, "MINDNET_HASH_NORMALIZE": normalize}
    world.write("a.md", "---\nstatus: alt\n---\nText.\n")
    world.sync()
    world.write("a.md", written)
    world.touch("a.md")
    assert bool(world.sync().totals) is remade


def test_another_hash_mode_makes_all_notes_anew_once(world) -> None:
    world.write("a.md", "Text.\n")
    world.sync()
    world.environment = {"MINDNET_HASH_MODE": "body"}
    assert world.sync().totals["notes"] == 1
    assert world.sync().totals == {}


@pytest.mark.parametrize("version", ["READER_VERSION", "CHUNKER_VERSION", "EDGE_RULES_VERSION"])
def test_a_new_version_of_the_rules_makes_all_notes_anew_once(
    world, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    world.write("a.md", "Text.\n")
    world.write("b.md", "[[a]]\n")
    world.sync()
    monkeypatch.setattr(pipeline, version, 1_000)
    assert world.sync().totals["notes"] == 2
    assert world.sync().totals == {}
