"""When a proposal is made, when not, and what it says."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline.learning.golden_floor import check_golden, problems_of
from mindnet_pipeline.learning.pair_table import read_pairs
from mindnet_pipeline.learning.pairs import TrainingPair
from mindnet_pipeline.learning.proposals import proposals
from mindnet_pipeline.learning.tuning import gather_pairs, tune
from mindnet_pipeline.retrieval.scoring import PartWeights, score
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.settings.retriever import Weights
from mindnet_pipeline_tests.engine.vaults import write_vault
from mindnet_pipeline_tests.learning.vaults import A_TASTE_FOR_TYPES, configured, rate
from mindnet_pipeline_tests.learning.worlds import (
    TIME,
    WEIGHTS,
    rated_pairs,
    someone_who_does_not_care,
    someone_who_likes,
)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return configured(tmp_path)


def test_ratings_with_a_taste_lead_to_a_proposal_that_follows_it(settings: Settings) -> None:
    rate(settings, A_TASTE_FOR_TYPES, 30)
    outcome = tune(settings, gather_pairs(settings).pairs, TIME)
    assert outcome.reason == ""
    assert outcome.proposal is not None
    assert outcome.proposal.weights.type > 2 * WEIGHTS.type
    assert outcome.proposal.weights.edge < 0.6 * WEIGHTS.edge
    assert all(row.low > 0 and row.after > row.before for row in outcome.measures)
    assert proposals(settings) == [outcome.proposal]


def test_a_proposal_changes_no_configuration(settings: Settings) -> None:
    before = {file.name: file.read_bytes() for file in settings.config_folder.iterdir()}
    rate(settings, A_TASTE_FOR_TYPES, 30)
    assert tune(settings, gather_pairs(settings).pairs, TIME).proposal is not None
    assert {file.name: file.read_bytes() for file in settings.config_folder.iterdir()} == before


def test_a_taste_that_shows_on_new_questions_too(settings: Settings) -> None:
    """The learned weights order fresh questions of the same person better than the present ones."""
    rate(settings, A_TASTE_FOR_TYPES, 30)
    outcome = tune(settings, gather_pairs(settings).pairs, TIME)
    assert outcome.learned is not None
    learned = dataclasses.replace(WEIGHTS, **outcome.learned.model_dump())
    fresh = rated_pairs(A_TASTE_FOR_TYPES, 60, seed=99)
    assert _in_order(fresh, learned) > _in_order(fresh, WEIGHTS) + 0.05


@pytest.mark.parametrize("seed", range(12))
def test_random_ratings_lead_to_no_proposal(settings: Settings, seed: int) -> None:
    outcome = tune(settings, rated_pairs(someone_who_does_not_care, 40, seed), TIME)
    assert outcome.proposal is None
    assert "no better than chance" in outcome.reason
    assert proposals(settings) == []


def test_someone_who_is_content_leads_to_no_proposal(settings: Settings) -> None:
    pairs = rated_pairs(someone_who_likes(WEIGHTS), 40, seed=1)
    assert tune(settings, pairs, TIME).proposal is None


def test_too_few_ratings_are_told_with_what_is_missing(settings: Settings) -> None:
    rate(settings, A_TASTE_FOR_TYPES, 4)
    outcome = tune(settings, gather_pairs(settings).pairs, TIME)
    assert outcome.proposal is None
    assert outcome.learned is None
    assert outcome.reason.startswith("40 ratings and 16 questions still missing: so far, 20 ratings in 4 questions")


def _in_order(pairs: Sequence[TrainingPair], weights: PartWeights) -> float:
    totals = [(score(p.better.signals, weights).total, score(p.worse.signals, weights).total) for p in pairs]
    return sum(better > worse for better, worse in totals) / len(totals)


def test_no_log_at_all_is_too_few(settings: Settings) -> None:
    assert "60 ratings and 20 questions still missing" in tune(settings, gather_pairs(settings).pairs, TIME).reason


def test_the_same_ratings_are_proposed_once(settings: Settings) -> None:
    rate(settings, A_TASTE_FOR_TYPES, 30)
    first = tune(settings, gather_pairs(settings).pairs, TIME)
    again = tune(settings, gather_pairs(settings).pairs, TIME.replace("10:00", "11:00"))
    assert again.proposal == first.proposal
    assert "nothing new" in again.reason
    assert len(proposals(settings)) == 1


def test_gathering_makes_the_table(settings: Settings) -> None:
    rate(settings, A_TASTE_FOR_TYPES, 5)
    gathered = gather_pairs(settings)
    assert read_pairs(settings.data) == gathered.pairs
    assert gathered.counts.labels == 30
    assert gathered.counts.pairs == len(gathered.pairs) > 0


GOOD = {"nDCG@10": 0.8, "MRR": 0.7}


@pytest.mark.parametrize(
    ("after", "problems"),
    [
        ({"nDCG@10": 0.8, "MRR": 0.7}, 0),
        ({"nDCG@10": 0.9, "MRR": 0.66}, 0),
        ({"nDCG@10": 0.79, "MRR": 0.7}, 1),
        ({"nDCG@10": 0.8, "MRR": 0.6}, 1),
        ({"nDCG@10": 0.7, "MRR": 0.6}, 2),
    ],
)
def test_golden_questions_may_not_fall_nor_break_a_floor(after: dict[str, float], problems: int) -> None:
    assert len(problems_of(GOOD, after, {"MRR": 0.65})) == problems


def test_a_floor_that_is_broken_already_does_not_forbid() -> None:
    assert problems_of(GOOD, GOOD, {"MRR": 0.9}) == ()


class TestGoldenQuestions:
    """On an index of three notes, without a model."""

    @pytest.fixture
    def indexed(self, tmp_path: Path) -> Settings:
        settings = configured(tmp_path)
        notes = {
            "beet.md": "Kohl wächst im Beet. Kohl Kohl.",
            "wahl.md": "---\ntype: decision\n---\nWir nehmen Kohl fürs Beet.",
            "rest.md": "Möhren und Erbsen.",
        }
        write_vault(tmp_path / "vault", notes)
        settings = dataclasses.replace(settings, vault=tmp_path / "vault")
        sync_once(Pipeline(settings))
        return settings

    def golden(self, settings: Settings, path: str) -> None:
        (settings.config_folder / "golden.yaml").write_text(
            f"- {{id: a, question: Kohl im Beet, relevant: [{{path: {path}}}]}}\n", encoding="utf-8"
        )

    def test_both_weights_are_asked_on_the_index(self, indexed: Settings) -> None:
        self.golden(indexed, "beet.md")
        check = check_golden(indexed, Weights(type=2.0, lexical=0.01, semantic=0.99))
        assert check.questions == 1
        assert check.before["nDCG@10"] == 1.0
        assert check.after["nDCG@10"] < 1.0
        assert "nDCG@10 would fall" in check.problems[0]

    def test_a_vault_without_the_golden_notes_is_said_not_to_be_checked(self, indexed: Settings) -> None:
        self.golden(indexed, "anderswo.md")
        check = check_golden(indexed, Weights())
        assert "none of the notes" in check.not_checked
        assert check.problems == ()

    def test_no_golden_questions_are_said_not_to_be_checked(self, indexed: Settings) -> None:
        assert "there is no" in check_golden(indexed, Weights()).not_checked

    def test_taste_is_not_proposed_against_the_golden_questions(self, indexed: Settings) -> None:
        self.golden(indexed, "beet.md")
        rate(indexed, someone_who_likes(dataclasses.replace(WEIGHTS, type=2.0, semantic=1.0, lexical=0.0)), 40)
        outcome = tune(indexed, gather_pairs(indexed).pairs, TIME)
        assert outcome.proposal is None
        assert "golden questions would be answered worse" in outcome.reason
        assert outcome.golden is not None
