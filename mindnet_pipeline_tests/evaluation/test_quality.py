"""The vault's own quality over time: which questions can be asked of it, and what is too bad."""

from __future__ import annotations

from typing import get_args

from mindnet_pipeline.evaluation.evaluation import Answered, summarise
from mindnet_pipeline.evaluation.golden import GoldenQuestion
from mindnet_pipeline.evaluation.measures import MEASURES
from mindnet_pipeline.evaluation.quality import answerable, below_floor, history_rows, latest, overall
from mindnet_pipeline.settings.evaluation import MeasureName


def question(name: str, *paths: str, category: str = "") -> GoldenQuestion:
    relevant = [{"path": path} for path in paths]
    return GoldenQuestion.model_validate({"id": name, "question": "?", "category": category, "relevant": relevant})


def rows(value: float, run_id: str = "r1") -> list[dict]:
    measured = dict.fromkeys(MEASURES, value)
    answered = [Answered(question(c, "a.md", category=c), measured, 0.01) for c in ("why", "person")]
    return history_rows(summarise(answered), finished_at=f"2025-01-0{run_id[1]}", run_id=run_id, model_key="m")


def test_a_question_is_asked_if_one_of_its_notes_is_there_in_any_case_of_letters() -> None:
    questions = [question("here", "Ordner/Ä.md", "fehlt.md"), question("elsewhere", "fehlt.md")]
    assert [each.id for each in answerable(questions, ["ordner/ä.md"])] == ["here"]


def test_an_evaluation_has_a_row_for_all_and_for_each_category() -> None:
    assert [(row["category"], row["questions"]) for row in rows(0.5)] == [("all", 2), ("why", 1), ("person", 1)]


def test_the_latest_evaluation_is_told_from_those_before() -> None:
    history = [*rows(0.5), *rows(0.75, "r2")]
    assert [row["MRR"] for row in latest(history)] == [0.75] * 3
    assert [row["MRR"] for row in overall(history)] == [0.5, 0.75]
    assert latest([]) == []


def test_a_floor_is_met_by_its_own_value_and_broken_by_less() -> None:
    assert below_floor(rows(0.7)[0], {"MRR": 0.7}) == []
    assert below_floor(rows(0.69)[0], {"MRR": 0.7, "hit@1": 0.5}) == ["MRR is 0.690, below its floor of 0.7."]


def test_a_floor_can_be_set_for_every_measure() -> None:
    assert set(get_args(MeasureName)) == set(MEASURES)
