"""What a sync makes of the changes that people make to a vault: each story ends as a rebuild would."""

from __future__ import annotations

import os
import unicodedata
import uuid
from datetime import UTC, datetime, timedelta

import pytest

from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.core.ids import point_id
from mindnet_pipeline.engine.planning import look_at_vault
from mindnet_pipeline_tests.engine.vaults import points_of, rows_of


class TestRenames:
    @pytest.fixture
    def moved(self, world):
        world.write("alt/Apfel.md", "---\nid: apfel-1\n---\nEin roter Apfel.\n")
        world.write("korb.md", "Im Korb liegt [[Apfel]].\n")
        world.sync()
        world.move("alt/Apfel.md", "neu/Boskop.md")
        return world

    def test_a_note_with_an_id_is_the_same_note_at_its_new_place(self, moved) -> None:
        moved.sync()
        assert moved.paths() == {"apfel-1": "neu/Boskop.md", "korb": "korb.md"}

    def test_its_chunks_keep_their_ids(self, moved) -> None:
        before = rows_of(moved.pipeline())["chunks"][0]["chunk_id"]
        moved.sync()
        assert rows_of(moved.pipeline())["chunks"][0]["chunk_id"] == before

    def test_a_link_by_the_old_name_is_unresolved_from_then_on(self, moved) -> None:
        moved.sync()
        assert moved.links("korb") == {"Apfel": ("Apfel", "unresolved")}
        moved.assert_same_as_rebuild()

    def test_it_counts_as_moved(self, moved) -> None:
        plan = look_at_vault(moved.pipeline()).plan
        assert (plan.added, plan.moved, plan.removed) == ((), ("apfel-1",), ())

    def test_a_note_without_an_id_leaves_nothing_under_its_old_name(self, world) -> None:
        world.write("a.md", "Wandert.\n")
        world.sync()
        world.move("a.md", "b.md")
        world.sync()
        assert world.paths() == {"b": "b.md"}
        world.assert_same_as_rebuild()

    def test_two_notes_may_swap_their_places(self, world) -> None:
        world.write("a.md", "---\nid: eins\n---\nErste.\n")
        world.write("b.md", "---\nid: zwei\n---\nZweite.\n")
        world.sync()
        for old, new in (("a.md", "x.md"), ("b.md", "a.md"), ("x.md", "b.md")):
            world.move(old, new)
        world.sync()
        assert world.paths() == {"eins": "b.md", "zwei": "a.md"}
        world.assert_same_as_rebuild()

    def test_only_the_case_of_a_name_may_change(self, world) -> None:
        world.write("apfel.md", "Rot.\n")
        world.write("b.md", "[[Apfel]]\n")
        world.sync()
        world.move("apfel.md", "Apfel.md")
        world.sync()
        assert world.links("b")["Apfel"] == ("Apfel", "ok")
        world.assert_same_as_rebuild()

    def test_a_folder_may_be_renamed(self, world) -> None:
        for name in "abc":
            world.write(f"alt/{name}.md", f"Notiz {name} [[alt/a]]\n")
        world.sync()
        world.move("alt", "neu")
        world.sync()
        assert set(world.paths()) == {"neu/a", "neu/b", "neu/c"}
        world.assert_same_as_rebuild()

    def test_a_file_renamed_to_the_other_unicode_form_stays_one_note(self, world) -> None:
        composed, decomposed = (unicodedata.normalize(form, "Käse.md") for form in ("NFC", "NFD"))
        world.write(composed, "Löchrig.\n")
        world.write("a.md", "[[Käse]]\n")
        world.sync()
        world.move(composed, decomposed)
        world.sync()
        assert list(world.paths()) == ["Käse", "a"]
        assert world.links("a")["Käse"] == (unicodedata.normalize("NFC", "Käse"), "ok")
        world.assert_same_as_rebuild()


class TestDeletions:
    @pytest.fixture
    def without_b(self, world):
        world.write("a.md", "[[b]] und [[c]]\n")
        world.write("b.md", "Fort damit.\n")
        world.write("c.md", "Bleibt.\n")
        world.sync()
        world.delete("b.md")
        world.sync()
        return world

    def test_a_deleted_note_is_found_no_more(self, without_b) -> None:
        assert set(without_b.paths()) == {"a", "c"}
        assert "Fort damit.\n" not in without_b.texts()

    def test_links_to_it_stay_and_are_unresolved(self, without_b) -> None:
        assert without_b.links("a") == {"b": ("b", "unresolved"), "c": ("c", "ok")}

    def test_a_missing_target_is_no_note(self, without_b) -> None:
        assert set(points_of(without_b.pipeline())["notes"]) == {"a", "c"}

    def test_when_it_comes_back_its_links_heal_by_themselves(self, without_b) -> None:
        without_b.write("b.md", "Wieder da.\n")
        report = without_b.sync()
        assert without_b.links("a")["b"] == ("b", "ok")
        assert (report.totals["notes"], report.totals["relinked"]) == (1, 1)
        without_b.assert_same_as_rebuild()

    def test_a_note_moved_to_the_trash_is_deleted(self, world) -> None:
        world.write("a.md", "Bleibt.\n")
        world.write("b.md", "Fort.\n")
        world.sync()
        world.move("b.md", ".trash/b.md")
        world.sync()
        assert set(world.paths()) == {"a"}


class TestContestedIds:
    @pytest.fixture
    def twins(self, world):
        world.write("x.md", "---\nid: gleich\n---\nInhalt X.\n")
        world.write("y.md", "---\nid: gleich\n---\nInhalt Y.\n")
        return world

    def test_both_contents_are_found(self, twins) -> None:
        twins.sync()
        assert twins.texts() == {"Inhalt X.\n", "Inhalt Y.\n"}

    def test_the_order_in_which_they_came_does_not_matter(self, world) -> None:
        world.write("y.md", "---\nid: gleich\n---\nInhalt Y.\n")
        world.sync()
        world.write("x.md", "---\nid: gleich\n---\nInhalt X.\n")
        world.sync()
        assert world.paths()["gleich"] == "x.md"
        world.assert_same_as_rebuild()

    @pytest.mark.parametrize(("gone", "left"), [("x.md", "Inhalt Y.\n"), ("y.md", "Inhalt X.\n")])
    def test_deleting_one_leaves_the_other_with_the_id(self, twins, gone: str, left: str) -> None:
        twins.sync()
        twins.delete(gone)
        twins.sync()
        assert set(twins.paths()) == {"gleich"}
        assert twins.texts() == {left}
        twins.assert_same_as_rebuild()

    def test_a_second_sync_changes_nothing(self, twins) -> None:
        twins.sync()
        before = rows_of(twins.pipeline())
        assert twins.sync().totals == {}
        assert rows_of(twins.pipeline()) == before

    def test_a_new_id_in_an_old_file_takes_the_old_id_away(self, world) -> None:
        world.write("a.md", "---\nid: eins\n---\nText.\n")
        world.sync()
        world.write("a.md", "---\nid: zwei\n---\nText.\n")
        world.sync()
        assert world.paths() == {"zwei": "a.md"}
        world.assert_same_as_rebuild()


class TestContent:
    @pytest.mark.parametrize("rest", ["", "\n", "---\ntitle: Leer\n---\n"])
    def test_a_note_cut_down_to_nothing_stays_without_chunks(self, world, rest: str) -> None:
        world.write("a.md", "## A\n\nAlter Inhalt mit [[Ziel]].\n")
        world.write("Ziel.md", "Da.\n")
        world.sync()
        world.write("a.md", rest)
        world.sync()
        assert set(world.paths()) == {"a", "Ziel"}
        assert world.links("a") == {}
        assert not any("Alter Inhalt" in text for text in world.texts())
        world.assert_same_as_rebuild()

    def test_a_change_without_effect_on_the_size_is_seen(self, world) -> None:
        world.write("a.md", "Das eine Wort.\n")
        world.sync()
        world.write("a.md", "Ein neues Wort\n")
        world.touch("a.md")
        world.sync()
        assert world.texts() == {"Ein neues Wort\n"}

    def test_a_touched_file_makes_nothing_anew(self, world) -> None:
        world.write("a.md", "Text.\n")
        world.sync()
        world.touch("a.md")
        assert world.sync().totals == {}
        assert world.sync().look.plan.touched == ()

    @pytest.mark.parametrize("year", [1901, 1969, 2300, 9999])
    def test_a_file_may_be_from_any_year(self, world, year: int) -> None:
        world.write("a.md", "Text.\n")
        time_ns = (datetime(year, 1, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1) * 10**9
        os.utime(world.vault / "a.md", ns=(time_ns, time_ns))
        world.sync()
        assert world.texts() == {"Text.\n"}
        assert world.sync().look.plan.touched == ()

    def test_points_have_uuids_that_the_logical_id_gives(self, world) -> None:
        world.write("a.md", "---\nid: 20250902-1830-gedanke-yaml\n---\nText.\n")
        world.sync()
        first = rows_of(world.pipeline())
        world.touch("a.md")
        world.write("b.md", "Zweite.\n")
        world.sync()
        (chunk, _) = sorted(points_of(world.pipeline())["chunks"])
        assert chunk == "20250902-1830-gedanke-yaml#c01"
        assert uuid.UUID(point_id(chunk)).version == 5
        assert first["chunks"][0] in rows_of(world.pipeline())["chunks"]


class TestWhatUnchangedLinksMean:
    def test_a_new_file_can_take_over_a_link(self, world) -> None:
        world.write("a.md", "[[Neu]] und [[Notiz]]\n")
        world.write("tief/unten/Notiz.md", "Eins.\n")
        world.sync()
        first = rows_of(world.pipeline())
        assert world.links("a") == {"Neu": ("Neu", "unresolved"), "Notiz": ("tief/unten/Notiz", "ok")}
        world.write("Neu.md", "Da.\n")
        world.write("k/Notiz.md", "Zwei.\n")
        report = world.sync()
        assert world.links("a") == {"Neu": ("Neu", "ok"), "Notiz": ("k/Notiz", "ok")}
        assert (report.totals["notes"], report.totals["relinked"]) == (2, 1)
        world.delete("Neu.md")
        world.delete("k/Notiz.md")
        world.sync(allow_mass_delete=True)
        assert rows_of(world.pipeline()) == first

    @pytest.mark.parametrize("head", ["title: Der Name", "aliases: [Der Name]", "id: Der Name"])
    def test_a_name_that_appears_or_vanishes_is_noticed(self, world, head: str) -> None:
        world.write("a.md", "[[Der Name]]\n")
        world.write("b.md", "Noch ohne.\n")
        world.sync()
        assert world.links("a")["Der Name"][1] == "unresolved"
        world.write("b.md", f"---\n{head}\n---\nJetzt mit.\n")
        world.sync()
        assert world.links("a")["Der Name"][1] == "ok"
        world.write("b.md", "Wieder ohne.\n")
        world.sync()
        assert world.links("a")["Der Name"][1] == "unresolved"
        world.assert_same_as_rebuild()

    def test_a_second_note_with_the_same_title_makes_it_useless(self, world) -> None:
        world.write("a.md", "[[Plan]]\n")
        world.write("b.md", "---\ntitle: Plan\n---\n")
        world.sync()
        world.write("c.md", "---\ntitle: Plan\n---\n")
        world.sync()
        world.assert_same_as_rebuild()

    def test_a_note_beside_the_source_wins_when_it_comes(self, world) -> None:
        world.write("x/a.md", "[[Notiz]]\n")
        world.write("fern/Notiz.md", "Fern.\n")
        world.sync()
        world.write("x/Notiz.md", "Nah.\n")
        world.sync()
        assert world.links("x/a")["Notiz"] == ("x/Notiz", "ok")
        world.assert_same_as_rebuild()


class TestAVaultThatIsNotThere:
    @pytest.fixture
    def indexed(self, world):
        world.write("a.md", "Eins.\n")
        world.write("b.md", "Zwei.\n")
        world.sync()
        return world

    def test_a_missing_vault_leaves_the_index(self, indexed) -> None:
        indexed.vault.rename(indexed.folder / "elsewhere")
        before = rows_of(indexed.pipeline()), points_of(indexed.pipeline())
        with pytest.raises(VaultError, match="does not exist"):
            indexed.sync()
        assert (rows_of(indexed.pipeline()), points_of(indexed.pipeline())) == before

    def test_a_file_in_the_vaults_place_leaves_the_index(self, indexed) -> None:
        indexed.vault.rename(indexed.folder / "elsewhere")
        indexed.vault.write_text("kein Ordner")
        with pytest.raises(VaultError, match="not a folder"):
            indexed.sync(allow_mass_delete=True)
        assert set(indexed.paths()) == {"a", "b"}

    def test_an_emptied_vault_leaves_the_index_until_confirmed(self, indexed) -> None:
        indexed.delete("a.md")
        indexed.delete("b.md")
        with pytest.raises(VaultError, match="allow-mass-delete"):
            indexed.sync()
        assert set(indexed.paths()) == {"a", "b"}
        indexed.sync(allow_mass_delete=True)
        assert indexed.paths() == {}
        assert not any(points_of(indexed.pipeline()).values())

    def test_most_of_a_large_vault_does_not_go_without_a_word(self, world) -> None:
        for number in range(20):
            world.write(f"n{number}.md", f"Notiz {number}.\n")
        world.sync()
        for number in range(11):
            world.delete(f"n{number}.md")
        with pytest.raises(VaultError, match="11 of 20"):
            world.sync()

    def test_a_large_vault_may_move_into_a_folder(self, world) -> None:
        for number in range(20):
            world.write(f"n{number}.md", f"Notiz {number}.\n")
        world.sync()
        for number in range(20):
            world.move(f"n{number}.md", f"Archiv/n{number}.md")
        world.sync()
        assert set(world.paths()) == {f"Archiv/n{number}" for number in range(20)}


class TestWhatIsLeftOut:
    def test_hidden_and_excluded_folders_are_no_notes_and_answer_no_links(self, world) -> None:
        for hidden in (".obsidian/plugins/x/README.md", ".trash/Ziel.md", ".git/x.md", "Ordner/.verborgen.md"):
            world.write(hidden, "[[Ziel]]\n")
        world.write("node_modules/p/README.md", "Fremd.\n")
        world.write("a.md", "[[Ziel]]\n")
        world.sync()
        assert set(world.paths()) == {"a"}
        assert world.links("a") == {"Ziel": ("Ziel", "unresolved")}

    def test_a_note_that_is_excluded_later_leaves_and_comes_back(self, world) -> None:
        world.write("a.md", "[[b]]\n")
        world.write("Archiv/b.md", "Alt.\n")
        world.sync()
        world.options = {"exclude": ("Archiv/",)}
        world.sync()
        assert set(world.paths()) == {"a"}
        assert world.links("a")["b"] == ("b", "unresolved")
        world.options = {}
        world.sync()
        assert world.links("a")["b"] == ("Archiv/b", "ok")
        world.assert_same_as_rebuild()
