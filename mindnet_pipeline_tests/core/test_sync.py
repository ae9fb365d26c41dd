"""The plan: (known, seen) → what to make and what to delete."""

from __future__ import annotations

import pytest

from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.core.sync import (
    Known,
    Seen,
    SyncPlan,
    displaced,
    first_part,
    guard_against_mass_delete,
    plan,
    state_key,
    without_vanished,
)

FINGERPRINT = "rules-1"


def seen(path: str, content: str = "text", declared_id: str = "", mtime_ns: int = 1) -> Seen:
    return Seen(path, len(content), mtime_ns, f"file:{content}", f"content:{content}", declared_id)


def known(file: Seen, note_id: str) -> Known:
    return Known(file, note_id, state_key(file.content_hash, file.path, FINGERPRINT))


def plan_of(before: list[tuple[Seen, str]], after: list[Seen], fingerprint: str = FINGERPRINT, **options) -> SyncPlan:
    known_notes = {file.path: known(file, note_id) for file, note_id in before}
    return plan(known_notes, {file.path: file for file in after}, fingerprint, **options)


def test_a_vault_as_it_was_needs_nothing() -> None:
    file = seen("a.md")
    assert plan_of([(file, "a")], [file]).is_empty


def test_a_new_file_is_added() -> None:
    assert plan_of([], [seen("a.md")]).added == ("a",)


def test_other_content_is_a_change() -> None:
    assert plan_of([(seen("a.md", "old"), "a")], [seen("a.md", "new")]).changed == ("a",)


def test_a_file_that_was_only_touched_is_noted_and_not_made_anew() -> None:
    result = plan_of([(seen("a.md"), "a")], [seen("a.md", mtime_ns=2)])
    assert result.is_empty
    assert [file.path for file in result.touched] == ["a.md"]


def test_a_vanished_file_is_removed() -> None:
    assert plan_of([(seen("a.md"), "a")], []).removed == ("a",)


def test_a_note_with_an_id_keeps_it_when_it_moves() -> None:
    result = plan_of([(seen("alt/a.md", declared_id="x"), "x")], [seen("neu/b.md", declared_id="x")])
    assert (result.moved, result.removed) == (("x",), ())


def test_a_note_without_an_id_is_recognised_by_its_content_when_it_moves() -> None:
    result = plan_of([(seen("alt.md"), "alt")], [seen("neu.md")])
    assert (result.moved, result.removed, result.added) == (("neu",), ("alt",), ())


@pytest.mark.parametrize(
    ("after", "counted"),
    [
        ([seen("neu.md")], {"moved": 1}),
        ([seen("neu.md", "other")], {"added": 1, "removed": 1}),
        ([seen("neu.md"), seen("copy.md")], {"moved": 1, "added": 1}),
        ([seen("neu/alt.md", declared_id="alt")], {"moved": 1}),
        ([seen("alt.md", "with an id", declared_id="x")], {"changed": 1}),
        ([], {"removed": 1}),
    ],
    ids=["renamed", "another note", "renamed and copied", "moved with its id", "given an id", "deleted"],
)
def test_what_became_of_one_note_is_counted_as_one(after: list[Seen], counted: dict[str, int]) -> None:
    result = plan_of([(seen("alt.md"), "alt")], after)
    assert {name: count for name, count in result.counts.items() if count} == counted


def test_a_part_of_a_plan_counts_a_rename_as_one() -> None:
    whole = plan_of([(seen("alt.md"), "alt")], [seen("neu.md"), seen("zwei.md", "two")])
    assert first_part(whole, 1).counts == {"added": 0, "changed": 0, "moved": 1, "removed": 0, "unchanged": 0}


def test_other_rules_reach_every_note() -> None:
    file = seen("a.md")
    assert plan_of([(file, "a")], [file], "rules-2").changed == ("a",)


def test_what_an_interrupted_run_left_is_made_anew_or_deleted() -> None:
    file = seen("a.md")
    result = plan_of([(file, "a")], [file], unfinished=["a", "gone"])
    assert (result.changed, result.removed) == (("a",), ("gone",))


def test_the_second_of_two_notes_with_one_id_gets_the_id_when_the_first_goes() -> None:
    first, second = seen("a.md", "1", "x"), seen("bb.md", "2", "x")
    loser = next(u.note_id for u in plan_of([], [first, second]).upserts if u.seen.path == "bb.md")
    result = plan_of([(first, "x"), (second, loser)], [second])
    assert [upsert.note_id for upsert in result.upserts] == ["x"]
    assert result.removed == (loser,)


def test_a_part_of_a_plan_keeps_all_deletions() -> None:
    whole = plan_of([(seen("gone.md", "gone"), "gone")], [seen("a.md", "a"), seen("b.md", "b")])
    part = first_part(whole, 1)
    assert (part.added, part.removed) == (("a",), ("gone",))


def test_a_note_whose_path_gets_another_id_is_displaced_though_its_id_is_made_elsewhere() -> None:
    before = {"a.md": known(seen("a.md", "1", "alt"), "alt"), "b.md": known(seen("b.md", "2"), "b")}
    after = {"a.md": seen("a.md", "3", "neu"), "b.md": seen("b.md", "4"), "c.md": seen("c.md", "1", "alt")}
    whole = plan(before, after, FINGERPRINT)
    assert displaced(before, whole.upserts) == frozenset()
    assert displaced(before, [upsert for upsert in whole.upserts if upsert.note_id != "alt"]) == {"alt"}


def test_what_vanished_stays_while_files_are_unread_and_what_lost_its_id_goes() -> None:
    vanished, renamed = seen("a.md", "1"), seen("b.md", "2")
    before = {"a.md": known(vanished, "a"), "b.md": known(renamed, "b")}
    after = {"b.md": seen("b.md", "2", "neu")}
    whole = plan(before, after, FINGERPRINT)
    assert whole.removed == ("a", "b")
    part = without_vanished(whole, before, after)
    assert (part.removed, part.counts["removed"]) == (("b",), 0)


def many(count: int) -> list[Seen]:
    return [seen(f"{number}.md", f"text {number}") for number in range(count)]


def guard(before: list[Seen], after: list[Seen]) -> None:
    known_notes = {file.path: known(file, file.path[:-3]) for file in before}
    guard_against_mass_delete(known_notes, {file.path: file for file in after}, vault="vault")


def test_an_empty_vault_is_refused_while_notes_are_indexed() -> None:
    with pytest.raises(VaultError, match="--allow-mass-delete"):
        guard(many(2), [])


def test_more_than_half_of_twenty_notes_gone_is_refused() -> None:
    with pytest.raises(VaultError, match=r"11 of 20"):
        guard(many(20), many(20)[:9])


def test_half_of_twenty_notes_gone_is_a_person_deleting_notes() -> None:
    guard(many(20), many(20)[:10])


def test_a_vault_whose_folders_were_all_renamed_has_lost_nothing() -> None:
    moved = [Seen(f"neu/{f.path}", f.size, f.mtime_ns, f.file_hash, f.content_hash, "") for f in many(30)]
    guard(many(30), moved)


def test_one_copy_that_is_left_does_not_stand_for_all_notes_of_that_text() -> None:
    daily = [seen(f"Tage/{number}.md", "Vorlage") for number in range(30)]
    with pytest.raises(VaultError, match=r"29 of 30"):
        guard(daily, daily[:1])


def test_one_new_copy_stands_for_one_note() -> None:
    daily = [seen(f"Tage/{number}.md", "Vorlage") for number in range(30)]
    with pytest.raises(VaultError, match=r"29 of 30"):
        guard(daily, [seen("Vorlage.md", "Vorlage")])


def test_notes_of_one_text_may_move_together() -> None:
    guard([seen(f"{n}.md", "Vorlage") for n in range(30)], [seen(f"neu/{n}.md", "Vorlage") for n in range(30)])


def test_notes_whose_counted_part_is_the_same_are_told_apart() -> None:
    before = [Seen(f.path, f.size, f.mtime_ns, f.file_hash, "no frontmatter", "") for f in many(30)]
    with pytest.raises(VaultError, match=r"29 of 30"):
        guard(before, before[:1])


def test_few_notes_may_vanish_in_any_share() -> None:
    guard(many(5), many(5)[:1])
