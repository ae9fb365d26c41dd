"""Files that cannot be read, are only in the cloud or vanish under the reader: their last state stays."""

from __future__ import annotations

import os
import sys

import pytest

from mindnet_pipeline.engine.progress import listening
from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline_tests.engine.vaults import half_write, points_of, rows_of
from mindnet_pipeline_tests.storage.fakes import HashEmbedder

OTHER_RULES = {"MINDNET_NOTE_SCOPE_REFS": "true"}


class OtherEmbedder(HashEmbedder):
    model_key = "words@other"


@pytest.fixture
def evicted(world):
    """Two notes, one of them in the cloud only since the last sync."""
    world.write("a.md", "Da.\n")
    world.write("b.md", "Ausgelagert, mit [[a]].\r\n")
    world.sync()
    world.evict("b.md")
    return world


def test_a_note_that_is_only_in_the_cloud_is_kept(evicted) -> None:
    report = evicted.sync()
    assert set(evicted.paths()) == {"a", "b"}
    assert [path for path, _ in report.look.problems] == ["b.md"]


@pytest.mark.parametrize("environment", [OTHER_RULES, {"MINDNET_HASH_MODE": "body"}], ids=["rules", "hash mode"])
def test_other_rules_reach_a_note_in_the_cloud(evicted, environment: dict[str, str]) -> None:
    evicted.environment = environment
    assert evicted.sync().totals["notes"] == 2
    assert evicted.sync().totals == {}
    evicted.download("b.md", "Ausgelagert, mit [[a]].\r\n")
    assert evicted.sync().totals == {}
    evicted.assert_same_as_rebuild()


def test_a_sync_ends_though_many_notes_are_in_the_cloud(world) -> None:
    names = [f"n{number}.md" for number in range(150)]
    for name in names:
        world.write(name, f"Notiz {name}.\n")
    world.sync()
    for name in names[:120]:
        world.evict(name)
    world.environment = OTHER_RULES
    assert world.sync().totals["notes"] == 150


def test_another_model_takes_over_though_a_note_is_in_the_cloud(world) -> None:
    world.write("a.md", "Da.\n")
    world.write("b.md", "Ausgelagert.\n")
    sync_once(world.pipeline(embedder=HashEmbedder()))
    world.evict("b.md")
    pipeline = world.pipeline(embedder=OtherEmbedder())
    sync_once(pipeline)
    assert pipeline.store.current() == pipeline.facts
    assert set(points_of(pipeline)["notes"]) == {"a", "b"}


def test_a_note_in_the_cloud_gets_the_id_that_becomes_free(world) -> None:
    world.write("x.md", "---\nid: gleich\n---\nInhalt X.\n")
    world.write("yy.md", "---\nid: gleich\n---\nInhalt Y.\n")
    world.sync()
    world.evict("yy.md")
    world.delete("x.md")
    world.sync()
    assert world.paths() == {"gleich": "yy.md"}
    assert world.texts() == {"Inhalt Y.\n"}


def test_after_a_crash_a_note_in_the_cloud_is_there_once(world) -> None:
    test_a_note_in_the_cloud_gets_the_id_that_becomes_free(world)
    world.write("x.md", "---\nid: gleich\n---\nInhalt X.\n")
    half_write(world.pipeline())
    world.sync()
    assert world.texts() == {"Inhalt X.\n", "Inhalt Y.\n"}
    assert len(rows_of(world.pipeline())["notes"]) == 2


class TestAFileThatVanishesUnderTheReader:
    """An editor that saves by renaming takes the file away for a moment."""

    @pytest.fixture
    def synced(self, world):
        world.write("a.md", "Eins.\n")
        world.write("b.md", "Zwei.\n")
        world.sync()
        world.write("a.md", "Eins, aber neu.\n")
        return world

    @pytest.mark.parametrize("step", ["scan", "parsed_notes"])
    def test_it_keeps_its_last_state(self, synced, step: str) -> None:
        report = sync_while_hidden(synced, "a.md", step)
        assert synced.texts() == {"Eins.\n", "Zwei.\n"}
        assert [path for path, _ in (*report.look.problems, *report.notices)] == ["a.md"]

    @pytest.mark.parametrize("step", ["scan", "parsed_notes"])
    def test_the_next_sync_takes_what_came(self, synced, step: str) -> None:
        sync_while_hidden(synced, "a.md", step)
        synced.write("a.md", "Eins, aber neu.\n")
        synced.sync()
        assert synced.texts() == {"Eins, aber neu.\n", "Zwei.\n"}
        synced.assert_same_as_rebuild()

    @pytest.mark.parametrize("step", ["scan", "parsed_notes"])
    def test_the_next_sync_removes_it_if_nothing_came(self, synced, step: str) -> None:
        sync_while_hidden(synced, "a.md", step)
        synced.sync()
        assert synced.texts() == {"Zwei.\n"}
        synced.assert_same_as_rebuild()


def sync_while_hidden(world, path: str, step: str):
    """A sync during which a file vanishes just before this step reads it."""

    def vanish(reported: str, *_: int) -> None:
        if reported == step:
            (world.vault / path).unlink(missing_ok=True)

    with listening(vanish):
        return world.sync()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads everything")
def test_the_notes_of_an_unreadable_folder_are_kept_and_reported(world) -> None:
    world.write("zu/a.md", "Innen.\n")
    world.write("b.md", "Außen. [[a]]\n")
    world.sync()
    (world.vault / "zu").chmod(0)
    try:
        world.write("b.md", "Außen, geändert. [[a]]\n")
        problems = world.sync().look.problems
    finally:
        (world.vault / "zu").chmod(0o755)
    assert [path for path, _ in problems] == ["zu"]
    assert set(world.paths()) == {"zu/a", "b"}
    assert world.links("b")["a"] == ("zu/a", "ok")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_keeps_its_last_state(world) -> None:
    world.write("a.md", "Alt.\n")
    world.sync()
    world.write("a.md", "Neu und anders.\n")
    (world.vault / "a.md").chmod(0)
    report = world.sync()
    assert [path for path, _ in report.look.problems] == ["a.md"]
    assert world.texts() == {"Alt.\n"}
