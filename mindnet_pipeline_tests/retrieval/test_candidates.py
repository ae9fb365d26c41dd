"""Candidates: what could answer, also in another language, and how much of the question was found at all."""

from __future__ import annotations

import numpy as np
import pytest

from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.retrieval.candidates import Question, merge
from mindnet_pipeline.retrieval.matching import question_language
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.vectors.protocol import Found
from mindnet_pipeline_tests.retrieval.worlds import WordEmbedder, World


class ForeignEmbedder(WordEmbedder):
    """A model of a family whose cosines are known to be lower between two languages."""

    model_key = "words-e5-test"


def crowded(embedder: WordEmbedder) -> World:
    """Many German notes about birds, and an English one that means the same."""
    world = World(embedder=embedder).note("english", "A bird.", title="Feathers", lang="en")
    for number in range(20):
        world.note(f"vogel{number}", f"Amsel und Drossel {number}.")
    return world


def hits(world: World, question: str) -> tuple[Hit, ...]:
    return world.retriever(candidates={"dense": 10, "lexical": 1}).search(question, limit=30).hits


def test_a_note_in_another_language_is_not_crowded_out() -> None:
    assert "english" in {hit.note_id for hit in hits(crowded(ForeignEmbedder()), "Welche Amsel singt hier?")}


def test_a_model_that_loses_nothing_between_languages_is_asked_once() -> None:
    assert "english" not in {hit.note_id for hit in hits(crowded(WordEmbedder()), "Welche Amsel singt hier?")}


def test_a_cosine_between_two_languages_is_raised_by_what_the_model_loses() -> None:
    question = Question("x", "de", np.zeros(1, dtype=np.float32), None, foreign=0.05)
    near = [Found(name, {"note_id": name, "lang": name}, 0.8) for name in ("de", "en", "")]
    cosines = {key: candidate.cosine for key, candidate in merge(question, near, ()).items()}
    assert cosines == pytest.approx({"de": 0.8, "en": 0.85, "": 0.8})


def test_one_word_of_many_is_no_full_match_of_words() -> None:
    world = World().note("a", "Kohl.").note("b", "Motor.")
    (hit,) = (h for h in world.retriever().search("Kohl Rettich Lauch Salat", explain=True).hits if h.note_id == "a")
    assert hit.explanation.score_breakdown["lexical"] == pytest.approx(0.4 * 0.25**0.75)


def test_all_words_in_one_chunk_are_a_full_match_of_words() -> None:
    world = World().note("a", "Kohl und Rettich.").note("b", "Motor.")
    (hit,) = (h for h in world.retriever().search("Kohl Rettich", explain=True).hits if h.note_id == "a")
    assert hit.explanation.score_breakdown["lexical"] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("text", "detected", "language"),
    [
        ("What do the strains of y. pestis suggest about the plague?", "de", "en"),
        ("Welchen Netzwerktyp verwendet X.25?", "nl", "de"),
        ("Wie hängt das zusammen?", "de", "de"),
        ("Quelle est la question de Sophie?", "fr", "fr"),
        ("Qdrant", "de", "de"),
    ],
)
def test_the_stop_words_of_a_question_say_its_language(text: str, detected: str, language: str) -> None:
    assert question_language(text, detected, Bm25Encoder()) == language
