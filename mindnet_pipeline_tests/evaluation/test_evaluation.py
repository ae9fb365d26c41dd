"""Golden questions: reading, judging hits, summing up."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.evaluation.evaluation import answer_all, compare, summarise
from mindnet_pipeline.evaluation.golden import GoldenQuestion, Relevant, read_golden
from mindnet_pipeline.evaluation.judging import grades_of, judged

GOLDEN = Path(__file__).parents[2] / "config" / "golden.yaml"


def found(path: str, section: str = "", index: int = 1) -> Hit:
    name = path.removesuffix(".md")
    return Hit(f"{name}#c{index:02d}", name, name, path, "concept", (section,) if section else (), 0, 1, 1, "x", 1.0)


def question(question_id: str, *paths: str, category: str = "") -> GoldenQuestion:
    return GoldenQuestion(
        id=question_id, question=f"{question_id}?", category=category, relevant=tuple(Relevant(path=p) for p in paths)
    )


def test_a_section_must_be_the_hits_own() -> None:
    place = Relevant(path="A.md", section="Warum")
    assert judged([found("A.md", "Wann"), found("a.md", "warum", 2)], [place]) == ["chunk:A#c01", "place:a.md#warum"]


def test_a_place_counts_once() -> None:
    ranking = judged([found("A.md"), found("A.md", index=2)], [Relevant(path="A.md")])
    assert ranking == ["place:a.md#", "chunk:A#c02"]


def test_a_hit_at_two_places_counts_for_the_better_one_first() -> None:
    places = [Relevant(path="A.md", grade=1), Relevant(path="A.md", section="Warum", grade=2)]
    ranking = judged([found("A.md", "Warum"), found("A.md", "Warum", 2)], places)
    assert ranking == ["place:a.md#warum", "place:a.md#"]
    assert grades_of(places) == {"place:a.md#": 1, "place:a.md#warum": 2}


def test_the_report_has_all_categories_latency_and_what_was_missed() -> None:
    questions = [question("q1", "A.md", category="why"), question("q2", "B.md", category="keyword")]
    ticks = count()
    report = summarise(answer_all(questions, lambda _: [found("A.md")], lambda: next(ticks) / 100))
    assert dict(report.counts) == {"all": 2, "why": 1, "keyword": 1}
    assert [report.means[name]["hit@1"].value for name in ("all", "why", "keyword")] == [0.5, 1.0, 0.0]
    assert report.missed == ("q2",)
    assert (report.p50_ms, report.p95_ms) == pytest.approx((10, 10))


def test_a_comparison_is_made_question_by_question() -> None:
    questions = [question("q1", "A.md"), question("q2", "B.md")]
    base = answer_all(questions, lambda asked: [found("A.md")] if asked == "q1?" else [found("B.md")], lambda: 0.0)
    worse = answer_all(questions, lambda _: [found("A.md")], lambda: 0.0)
    assert compare(base, worse)["hit@1"].value == -0.5
    assert compare(base, base)["hit@1"] == compare(worse, worse)["hit@1"]


def test_the_shipped_questions_can_be_read() -> None:
    assert len(read_golden(GOLDEN)) >= 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no questions"),
        ("- {id: a, question: x}", "relevant"),
        ("- {id: a, question: x, relevant: []}", "relevant"),
        ("- {id: a, question: x, relevant: [{path: A.md, grades: 2}]}", "grades"),
        ("[broken", "not valid YAML"),
        ("- {id: a, question: x, relevant: [{path: A.md}]}\n" * 2, "`a` is there twice"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "golden.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=message):
        read_golden(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing\.yaml"):
        read_golden(tmp_path / "nothing.yaml")
