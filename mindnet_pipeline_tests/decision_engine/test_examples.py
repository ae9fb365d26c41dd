"""Recognition by nearness to example questions, and the file that keeps their vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindnet_pipeline.decision_engine.engine import DecisionEngine
from mindnet_pipeline.decision_engine.examples import Example, nearest_example
from mindnet_pipeline.settings import DecisionOptions
from mindnet_pipeline.settings.pipeline import EmbeddingOptions
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline_tests.decision_engine.questions import OPTIONS, questions
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder, WordEmbedder

OWN = DecisionOptions.model_validate(
    {
        "recognition": {"similarity": 0.3, "margin": 0.1},
        "intents": {
            "fact": {"examples": {"de": ["Farbe Haus Tor"]}, "patterns": {"de": ["^was ist"]}},
            "cook": {"examples": {"de": ["Suppe kochen Topf", "Brot backen Ofen"]}},
        },
    }
)


class CountingEmbedder(WordEmbedder):
    """Counts what it embeds."""

    def __init__(self, model_key: str = "words@test") -> None:
        self.model_key = model_key
        self.embedded: list[str] = []

    def embed_query(self, text: str) -> np.ndarray:
        self.embedded.append(text)
        return super().embed_query(text)


def test_the_nearest_example_decides_where_no_pattern_fits() -> None:
    intent = DecisionEngine(OWN, WordEmbedder()).understand("Brot im Ofen backen")
    assert (intent.name, intent.recognised_by, intent.evidence) == ("cook", "example", "Brot backen Ofen")
    assert 0.3 <= intent.confidence <= 1


def test_a_question_near_to_no_example_is_neutral() -> None:
    intent = DecisionEngine(OWN, WordEmbedder()).understand("Zug nach Jena")
    assert (intent.name, intent.recognised_by) == ("fact", "default")


def test_a_lead_below_the_margin_is_neutral() -> None:
    options = OWN.model_copy(update={"recognition": OWN.recognition.model_copy(update={"margin": 2.0})})
    intent = DecisionEngine(options, WordEmbedder()).understand("Brot im Ofen backen")
    assert (intent.name, intent.recognised_by) == ("fact", "default")


def test_a_pattern_spares_the_model() -> None:
    embedder = CountingEmbedder()
    DecisionEngine(OWN, embedder).understand("Was ist Brot?")
    assert embedder.embedded == []


def test_without_a_model_patterns_alone_decide() -> None:
    assert DecisionEngine(OWN, NoEmbedder()).understand("Brot im Ofen backen").recognised_by == "default"


def test_examples_can_be_switched_off() -> None:
    options = OWN.model_copy(update={"recognition": OWN.recognition.model_copy(update={"examples": False})})
    assert DecisionEngine(options, WordEmbedder()).understand("Brot im Ofen backen").recognised_by == "default"


def test_a_vector_that_is_there_is_not_made_again(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    engine = DecisionEngine(OWN, embedder, str(tmp_path))
    engine.understand("Brot backen", vector=WordEmbedder().embed_query("Brot backen"))
    assert "Brot backen" not in embedder.embedded


def test_examples_are_embedded_once_per_model_and_text(tmp_path: Path) -> None:
    first, second, other = CountingEmbedder(), CountingEmbedder(), CountingEmbedder("other@test")
    for embedder in (first, second, other):
        DecisionEngine(OWN, embedder, str(tmp_path)).understand("Zug nach Jena")
    assert len(first.embedded) == len(other.embedded) == 4
    assert second.embedded == ["Zug nach Jena"]


def test_a_new_example_is_the_only_one_embedded(tmp_path: Path) -> None:
    DecisionEngine(OWN, CountingEmbedder(), str(tmp_path)).understand("Zug")
    cook = OWN.intents["cook"].model_copy(update={"examples": {"de": ("Suppe kochen Topf", "Tee aufgießen")}})
    options = OWN.model_copy(update={"intents": {**OWN.intents, "cook": cook}})
    embedder = CountingEmbedder()
    DecisionEngine(options, embedder, str(tmp_path)).understand("Zug")
    assert embedder.embedded == ["Zug", "Tee aufgießen"]


@pytest.mark.parametrize("damage", [b"", b"no archive", b"PK\x03\x04 torn"])
def test_a_broken_file_costs_time_and_no_answer(tmp_path: Path, damage: bytes) -> None:
    DecisionEngine(OWN, WordEmbedder(), str(tmp_path)).understand("Zug")
    (file,) = (tmp_path / "cache" / "examples").iterdir()
    file.write_bytes(damage)
    assert DecisionEngine(OWN, WordEmbedder(), str(tmp_path)).understand("Brot im Ofen backen").name == "cook"


def test_one_intent_alone_is_never_the_nearest() -> None:
    vectors = np.eye(2, dtype=np.float32)
    alone = [Example("why", "a"), Example("why", "b")]
    assert nearest_example(alone, vectors, vectors[0]) is None
    both = [Example("why", "a"), Example("fact", "b")]
    near = nearest_example(both, vectors, vectors[0])
    assert near is not None
    assert (near.example.text, round(near.similarity, 3), round(near.lead, 3)) == ("a", 1.0, 2.0)


@pytest.mark.slow
def test_the_shipped_examples_recognise_what_no_pattern_fits_and_leave_facts_alone(tmp_path: Path) -> None:
    embedder = open_embedder(EmbeddingOptions(engine="bundled"), str(tmp_path))
    engine = DecisionEngine(OPTIONS, embedder, str(tmp_path))
    found = [(wanted, engine.understand(q, lang).name) for wanted, lang, q in questions("unusual.txt")]
    particular = [pair for pair in found if pair[0] != "fact"]
    facts = [got for wanted, got in found if wanted == "fact"]
    right = sum(wanted == got for wanted, got in particular)
    wrong = sum(got not in {wanted, "fact"} for wanted, got in particular)
    print(f"{right} of {len(particular)} recognised, {wrong} taken for another kind; {facts.count('fact')} facts left")
    assert right >= 0.4 * len(particular)
    assert wrong <= 0.05 * len(particular)
    assert facts.count("fact") >= 0.95 * len(facts)
