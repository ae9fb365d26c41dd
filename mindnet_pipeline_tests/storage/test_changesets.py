"""What a run is to do and what it has begun: small JSON files that outlive a crash."""

from __future__ import annotations

import os
import uuid
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.storage import changesets
from mindnet_pipeline.storage.changesets import (
    Pending,
    clear_confirmation,
    clear_pending,
    get,
    put,
    read_confirmation,
    read_pending,
    write_confirmation,
    write_pending,
)


@pytest.fixture(params=["folder", "memory URL"])
def data(request: pytest.FixtureRequest, quick_folder: Path) -> str:
    return str(quick_folder) if request.param == "folder" else f"memory://{uuid.uuid4().hex}"


class TestChangesets:
    def test_what_was_put_is_got(self, data: str) -> None:
        changeset = {"added": ["März.md", "\ud83d"], "removed": [], "options": {"verify": True}}
        assert get(data, put(data, changeset)) == changeset

    def test_the_same_work_has_the_same_name_whatever_the_order_of_its_keys(self, data: str) -> None:
        assert put(data, {"a": 1, "b": 2}) == put(data, {"b": 2, "a": 1})
        assert put(data, {"a": 1}) != put(data, {"a": 2})

    @pytest.mark.parametrize("name", ["0" * 32, "", "../pending", "a/b"])
    def test_an_unknown_one_is_an_error_that_says_what_to_do(self, data: str, name: str) -> None:
        write_pending(data, ["n"])
        with pytest.raises(StoreError, match="Start a new sync"):
            get(data, name)

    def test_the_oldest_are_removed_and_the_newest_never_is(
        self, quick_folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(changesets, "KEPT", 3)
        data, names = str(quick_folder), []
        for number in range(6):
            names.append(put(data, {"number": number}))
            os.utime(quick_folder / "changesets" / f"{names[-1]}.json", (1000 - number, 1000 - number))
        assert get(data, names[-1]) == {"number": 5}
        assert len(list((quick_folder / "changesets").iterdir())) == 3


class TestJournal:
    def test_before_the_first_run_it_is_empty(self, data: str) -> None:
        assert read_pending(data) == Pending()

    def test_what_a_crashed_run_left_stays_beside_what_the_next_begins(self, data: str) -> None:
        write_pending(data, ["a"], relinked=["b"])
        write_pending(data, ["c"])
        assert read_pending(data) == Pending(frozenset("ac"), frozenset("b"))
        assert read_pending(data).unfinished == {*"abc"}

    def test_only_committed_notes_are_taken_off(self, data: str) -> None:
        write_pending(data, ["a"], relinked=["b", "c"])
        clear_pending(data, ["a"], relinked=["b"])
        assert read_pending(data) == Pending(relinked=frozenset("c"))

    def test_a_half_written_note_stays_when_its_links_are_committed(self, data: str) -> None:
        write_pending(data, ["a"], relinked=["a"])
        clear_pending(data, [], relinked=["a"])
        assert read_pending(data) == Pending(frozenset("a"))

    def test_a_note_made_anew_needs_no_new_links(self, data: str) -> None:
        write_pending(data, ["a"], relinked=["a"])
        clear_pending(data, ["a"])
        assert read_pending(data) == Pending()

    def test_names_stay_until_all_are_committed(self, data: str) -> None:
        write_pending(data, ["a", "b"], names=["titel"])
        write_pending(data, ["c"], names=["kurz"])
        clear_pending(data, ["a", "b"])
        assert read_pending(data) == Pending(frozenset("c"), names=frozenset({"titel", "kurz"}))

    def test_when_all_are_committed_nothing_is_left(self, data: str) -> None:
        write_pending(data, ["a", "b"])
        clear_pending(data, ["a", "b", "x"])
        clear_pending(data, ["a", "b", "x"])
        assert read_pending(data) == Pending()


def test_a_confirmation_is_remembered_until_it_was_acted_on(data: str) -> None:
    assert read_confirmation(data) == frozenset()
    write_confirmation(data, ["b", "a"])
    assert read_confirmation(data) == {"a", "b"}
    clear_confirmation(data)
    assert read_confirmation(data) == frozenset()
