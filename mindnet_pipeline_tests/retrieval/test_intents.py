"""What the kind of a question does to its hits, on small vaults in a real store with the shipped intents."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import pytest
from rich.console import Console

from mindnet_pipeline.decision_engine.engine import DecisionEngine
from mindnet_pipeline.decision_engine.intents import Intent, Shape
from mindnet_pipeline.retrieval.filters import Filters
from mindnet_pipeline.retrieval.graph import Tie, boosted
from mindnet_pipeline.retrieval.rendering import as_json, render_markdown
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.terminal import print_result
from mindnet_pipeline.settings import DecisionOptions, load_decision_options
from mindnet_pipeline_tests.retrieval.worlds import REGISTRY, WordEmbedder, World

CONFIG = Path(__file__).parents[2] / "config"
SHIPPED = load_decision_options(CONFIG, REGISTRY)
WHY = "Warum nutzen wir Qdrant im KI-Projekt?"


def world(options: DecisionOptions = SHIPPED) -> World:
    embedder = WordEmbedder()
    return World(embedder, DecisionEngine(options, embedder))


def projects(options: DecisionOptions = SHIPPED, decision: str = "decision") -> World:
    """A project note nearer to the question than the note that gives the reason, and some others."""
    made = world(options).note("plan", "Im KI-Projekt nutzen wir Qdrant. Qdrant im KI-Projekt.", type="project")
    made.note("grund", "Qdrant nutzen wir im Projekt, denn die Daten bleiben im Haus.", type=decision)
    for number in range(8):
        made.note(f"rest{number}", f"Ganz andere Dinge über Thema {number} und Äpfel.", type="concept")
    return made


def intents(**changes: object) -> DecisionOptions:
    """Intents of a configuration of one's own: the default and `why`, which recognises `Warum`."""
    why = {"label": {"de": "Warum-Frage"}, "patterns": {"de": ["warum"]}, **changes}
    return DecisionOptions.model_validate({"intents": {"fact": {}, "why": why}})


def order(result: SearchResult) -> list[str]:
    return [hit.note_id for hit in result.hits]


def test_a_why_question_gets_the_decision_first_though_the_project_matches_better() -> None:
    retriever = projects().retriever()
    assert order(retriever.search(WHY, intent="off"))[:2] == ["plan", "grund"]
    assert order(retriever.search(WHY))[:2] == ["grund", "plan"]


def test_the_breakdown_names_the_intent_and_adds_up_exactly() -> None:
    hits = projects().link("plan#c01", "grund", "caused_by").retriever().search(WHY, explain=True).hits
    parts = {hit.note_id: hit.explanation.score_breakdown for hit in hits if hit.explanation}
    assert parts["grund"]["intent"] > 0
    assert parts["plan"]["intent"] == 0
    assert all(math.fsum(parts[hit.note_id].values()) == hit.score for hit in hits)


def test_a_preference_carries_nothing_irrelevant() -> None:
    made = world().note("qdrant", "Wir nutzen Qdrant im KI-Projekt.", type="concept")
    for number in range(12):
        made.note(f"rest{number}", f"Äpfel und Birnen, Sorte {number}.", type="decision")
    hits = made.retriever().search(WHY).hits
    assert hits[0].note_id == "qdrant"
    assert all(hit.score < 0.7 * hits[0].score for hit in hits[1:])


def test_a_preferred_note_is_found_beyond_the_nearest() -> None:
    made = world()
    for number in range(20):
        made.note(f"nah{number}", f"Qdrant im KI-Projekt nutzen wir, Fassung {number}.", type="project")
    made.note("grund", "Qdrant kam der Lizenz wegen.", type="decision")
    near = {"dense": 3, "lexical": 3}
    without = made.retriever(candidates={**near, "preferred": 0}).search(WHY)
    assert "grund" not in order(without)
    assert "grund" in order(made.retriever(candidates=near).search(WHY))


def test_types_that_no_note_has_change_nothing() -> None:
    retriever = projects(decision="concept").retriever()
    asked, plain = retriever.search(WHY), retriever.search(WHY, intent="off")
    assert [hit.chunk_id for hit in asked.hits] == [hit.chunk_id for hit in plain.hits]
    assert [hit.score for hit in asked.hits] == pytest.approx([hit.score for hit in plain.hits])
    assert asked.understood == ""


@pytest.mark.parametrize("intent", SHIPPED.intents)
def test_a_vault_without_types_ranks_as_ever_for_every_kind_of_question(intent: str) -> None:
    made = world()
    for number in range(6):
        made.note(f"n{number}", f"Qdrant{' und Äpfel' * number} im Haus.", type="default").link(f"n{number}#c01", "n3")
    retriever = made.retriever()
    assert order(retriever.search("Qdrant im Haus", intent=intent)) == order(
        retriever.search("Qdrant im Haus", intent="off")
    )


def test_a_filter_holds_for_what_is_preferred_too() -> None:
    assert order(projects().retriever().search(WHY, filters=Filters(types=("project",)))) == ["plan"]


def test_a_relation_that_the_question_is_about_counts_more() -> None:
    made = projects(intents(edge_boosts={"caused_by": 2.0})).link("plan#c01", "grund", "caused_by", confidence=0.4)
    retriever = made.retriever()

    def edge_of(intent: str) -> float:
        hits = retriever.search(WHY, explain=True, intent=intent).hits
        return next(h.explanation.score_breakdown["edge"] for h in hits if h.note_id == "grund" and h.explanation)

    assert edge_of("auto") == pytest.approx(2 * edge_of("off"))


def test_a_boosted_tie_is_never_stronger_than_certain() -> None:
    tie = Tie("a", "", "b", "", "", "caused_by", 0.9)
    assert [t.strength for t in boosted([tie], {"caused_by": 2.0})] == [1.0]
    assert boosted([tie], {"supports": 2.0}) == [tie]


def test_the_result_takes_its_shape_from_the_intent_unless_told_otherwise() -> None:
    retriever = projects(intents(shape={"limit": 1})).retriever()
    assert len(retriever.search(WHY).hits) == 1
    assert len(retriever.search(WHY, limit=3).hits) == 3
    assert len(retriever.search(WHY, intent="off").hits) == 10


@pytest.mark.parametrize(("wanted", "expected"), [("newest", ["neu", "alt"]), ("oldest", ["alt", "neu"])])
def test_good_hits_come_by_date_where_the_question_asks_for_it(wanted: str, expected: list[str]) -> None:
    made = world(intents(shape={"order": wanted})).note("neu", "Qdrant heute.", created="2025-09-01")
    made.note("alt", "Qdrant damals.", created="2024-01-01").note("fern", "Äpfel.", created="2025-12-01")
    assert order(made.retriever().search("Warum Qdrant")) == [*expected, "fern"]


def test_an_intent_without_a_preference_says_nothing() -> None:
    assert projects().retriever().search("Was ist Qdrant?").understood == ""


@pytest.mark.parametrize(
    ("language", "understood", "reason"),
    [
        (
            "de",
            "Als Warum-Frage verstanden: Entscheidungen bevorzugt.",
            "Bevorzugt, da als Warum-Frage verstanden und vom Typ Entscheidung.",
        ),
        (
            "en",
            "Understood as a why-question: decisions preferred.",
            "Preferred: understood as a why-question, and this is a decision.",
        ),
    ],
)
def test_it_is_said_once_and_at_each_hit_where_it_counted(language: str, understood: str, reason: str) -> None:
    result = projects().retriever(language).search(WHY, explain=True)
    told = {hit.note_id: hit.explanation.reasons for hit in result.hits if hit.explanation}
    assert result.understood == understood
    assert [note for note, reasons in told.items() if reason in reasons] == ["grund"]


def test_terminal_markdown_and_json_say_what_was_understood() -> None:
    result = projects().retriever().search(WHY, explain=True)
    console = Console(file=io.StringIO(), width=120)
    print_result(result, Path("Vault"), explain=True, console=console)
    said = "Als Warum-Frage verstanden: Entscheidungen bevorzugt."
    assert said in console.file.getvalue()
    assert said in render_markdown(result)
    values = json.loads(json.dumps(as_json(result)))["intent"]
    assert (values["name"], values["recognised_by"], values["understood"]) == ("why", "pattern", said)


def test_links_are_named_where_only_they_count_more() -> None:
    made = projects(intents(edge_boosts={"caused_by": 1.5})).link("plan#c01", "grund", "caused_by")
    result = made.retriever().search(WHY, explain=True)
    assert result.understood == "Als Warum-Frage verstanden: Verknüpfungen zählen mehr, die ‚verursacht durch‘ sagen."
    reasons = next(hit.explanation.reasons for hit in result.hits if hit.note_id == "grund" and hit.explanation)
    assert "Da als Warum-Frage verstanden, zählt die Verknüpfung mehr: ‚verursacht durch‘." in reasons


def test_a_neutral_intent_is_known_as_such() -> None:
    assert Intent().is_neutral
    assert not Intent(shape=Shape(order="newest")).is_neutral
