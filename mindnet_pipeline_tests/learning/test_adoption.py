"""Weights taken over and taken back, and that nothing anybody wrote is lost."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import ConfigError, StoreError
from mindnet_pipeline.learning.adoption import adopt, adoptions, history, rollback
from mindnet_pipeline.learning.proposals import GoldenCheck, Proposal, find, proposals, save, tuning_folder
from mindnet_pipeline.settings import Settings
from mindnet_pipeline_tests.learning.vaults import configured

FIRST, SECOND, THIRD = (f"2025-03-01T1{hour}:00:00.000+00:00" for hour in range(3))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return configured(tmp_path)


def file_of(settings: Settings) -> Path:
    return settings.config_folder / "retriever.yaml"


def proposal(settings: Settings, name: str = "2025-03-01T0900-abcd", **weights: float) -> Proposal:
    """A saved proposal that starts from the weights in force."""
    present = settings.retriever.weights
    made = Proposal(
        id=name, created=FIRST, digest=name, ratings=60, questions=20, pairs=90, present=present,
        weights=present.model_copy(update=weights), measures=(), golden=GoldenCheck(not_checked="a test"),
    )  # fmt: skip
    save(settings, made)
    return made


def test_adopted_weights_are_in_force_at_once_and_comments_stay(settings: Settings) -> None:
    before = file_of(settings).read_text(encoding="utf-8")
    adopt(settings, proposal(settings, type=0.45), FIRST)
    assert settings.retriever.weights.type == 0.45
    after = file_of(settings).read_text(encoding="utf-8")
    assert after.replace("0.45", "0.05") == before


def test_taken_back_the_file_is_what_it_was_byte_for_byte(settings: Settings) -> None:
    odd = b"# mine \r\nweights:   {type: 5.0e-2} # \xc3\xbc\r\n\r\n"
    file_of(settings).write_bytes(odd)
    adopt(settings, proposal(settings, type=0.45), FIRST)
    assert file_of(settings).read_bytes() != odd
    rollback(settings, SECOND)
    assert file_of(settings).read_bytes() == odd


def test_a_file_that_was_not_there_is_not_there_again(settings: Settings) -> None:
    file_of(settings).unlink()
    adopt(settings, proposal(settings, type=0.45), FIRST)
    assert settings.retriever.weights.type == 0.45
    rollback(settings, SECOND)
    assert not file_of(settings).exists()


def test_adoptions_are_taken_back_one_by_one(settings: Settings) -> None:
    start = file_of(settings).read_bytes()
    adopt(settings, proposal(settings, "a", type=0.2), FIRST)
    between = file_of(settings).read_bytes()
    adopt(settings, proposal(settings, "b", type=0.3), SECOND)
    rollback(settings, THIRD)
    assert file_of(settings).read_bytes() == between
    rollback(settings, THIRD)
    assert file_of(settings).read_bytes() == start
    with pytest.raises(ConfigError, match="no adoption"):
        rollback(settings, THIRD)


def test_an_edit_since_the_adoption_is_kept_when_it_is_taken_back(settings: Settings) -> None:
    before = settings.retriever.weights
    adopt(settings, proposal(settings, type=0.45), FIRST)
    file_of(settings).write_text("weights: {type: 0.9}  # by hand\n", encoding="utf-8")
    step = rollback(settings, SECOND)
    kept = tuning_folder(settings) / "versions" / step.edited
    assert kept.read_text(encoding="utf-8") == "weights: {type: 0.9}  # by hand\n"
    assert settings.retriever.weights == before


def test_weights_that_changed_since_the_proposal_are_not_overwritten(settings: Settings) -> None:
    made = proposal(settings, type=0.45)
    file_of(settings).write_text("weights: {edge: 0.1}\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="changed since"):
        adopt(settings, made, FIRST)
    assert file_of(settings).read_text(encoding="utf-8") == "weights: {edge: 0.1}\n"
    assert history(settings) == ()


def test_a_file_that_cannot_be_edited_is_left_alone(settings: Settings) -> None:
    file_of(settings).write_text("graph: {cap: &c 0.7}\nweights: {type: *c}\n", encoding="utf-8")
    before = file_of(settings).read_bytes()
    with pytest.raises(ConfigError, match="yourself"):
        adopt(settings, proposal(settings, type=0.45), FIRST)
    assert file_of(settings).read_bytes() == before
    assert adoptions(history(settings)) == []


def test_a_version_that_was_deleted_is_told(settings: Settings) -> None:
    step = adopt(settings, proposal(settings, type=0.45), FIRST)
    (tuning_folder(settings) / "versions" / step.version).unlink()
    with pytest.raises(ConfigError, match="is gone"):
        rollback(settings, SECOND)
    assert settings.retriever.weights.type == 0.45


def test_the_history_tells_every_step(settings: Settings) -> None:
    adopt(settings, proposal(settings, "a", type=0.2), FIRST)
    rollback(settings, SECOND)
    assert [(step.time, step.action, step.proposal) for step in history(settings)] == [
        (FIRST, "adopt", "a"),
        (SECOND, "rollback", "a"),
    ]


def test_proposals_come_back_as_they_were_saved(settings: Settings) -> None:
    made = [proposal(settings, name) for name in ("2025-a", "2025-b")]
    assert proposals(settings) == made


@pytest.mark.parametrize(("written", "meant"), [("last", "2025-b1"), ("2025-a", "2025-a"), ("2025-b", "2025-b1")])
def test_a_proposal_is_meant_by_id_beginning_or_as_the_last(settings: Settings, written: str, meant: str) -> None:
    known = [proposal(settings, name) for name in ("2025-a", "2025-a2", "2025-b1")]
    assert find(known, written).id == meant


@pytest.mark.parametrize(("written", "said"), [("2025", "several.*2025-a, 2025-b"), ("x", "no proposal.*2025-a")])
def test_an_unclear_proposal_is_told_with_those_there_are(settings: Settings, written: str, said: str) -> None:
    known = [proposal(settings, name) for name in ("2025-a", "2025-b")]
    with pytest.raises(ConfigError, match=said):
        find(known, written)


def test_without_proposals_it_is_said_how_to_make_one() -> None:
    with pytest.raises(ConfigError, match=r"mindnet_pipeline\.tune"):
        find([], "last")


def test_a_damaged_proposal_is_told_by_its_place(settings: Settings) -> None:
    proposal(settings, "broken")
    (tuning_folder(settings) / "proposals" / "broken.yaml").write_text("id: [", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"broken\.yaml"):
        proposals(settings)


def test_a_remote_data_folder_cannot_keep_versions(tmp_path: Path) -> None:
    remote = dataclasses.replace(configured(tmp_path), data="memory://b/m")
    with pytest.raises(StoreError, match="memory://b/m"):
        tuning_folder(remote)
