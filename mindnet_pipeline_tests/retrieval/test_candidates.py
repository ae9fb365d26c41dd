"""Candidates: what could answer, also in another language, and how much of the question was found at all."""

from __future__ import annotations

import numpy as np
import pytest

from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.retrieval.candidates import Question, merge
from mindnet_pipeline.retrieval.matching import question_language
from mindnet_pipeline.retrieval.retriever import Retriever
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.embedders.none import NoEmbedder
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
    question = Question("x", "de", np.zeros(1, dtype=np.float32), foreign=0.05)
    near = [Found(name, {"note_id": name, "lang": name}, 0.8) for name in ("de", "en", "")]
    cosines = {key: candidate.cosine for key, candidate in merge(question, near, ()).items()}
    assert cosines == pytest.approx({"de": 0.8, "en": 0.85, "": 0.8})


def explained(retriever: Retriever, question: str, note_id: str) -> Hit:
    return next(hit for hit in retriever.search(question, explain=True, limit=30).hits if hit.note_id == note_id)


def test_a_long_note_takes_from_no_other_its_nearness_in_meaning() -> None:
    world = World().note("lang", *(f"vogel vogel x{number}" for number in range(200)))
    retriever = world.note("solo", "quarz vogel wort0 wort1").retriever()
    assert explained(retriever, "Vogel Quarz", "solo").explanation.score_breakdown["semantic"] > 0.1


def test_a_long_note_takes_from_no_other_its_matching_words() -> None:
    world = World().note("lang", *(f"Amsel, Kohl Kohl {number}." for number in range(200)))
    world.note("kurz", "Die Drossel und der Kohl, der auf dem Beet wächst.")
    retriever = world.retriever(candidates={"dense": 300, "lexical": 50})
    assert explained(retriever, "Kohl Kohl vogel", "kurz").explanation.score_breakdown["lexical"] > 0


def test_a_long_note_keeps_no_other_that_links_lead_to_away() -> None:
    world = World().note("start", "Welches Werkzeug nutzt Nordlicht?").note("ziel", "Hammer und Zange.")
    world.note("lang", *(f"Werkzeug, Werkzeug {number}." for number in range(30)), type="person")
    for number in range(5):
        world.note(f"rest{number}", f"Nordlicht nutzt Werkzeug {number}.")
    world.link("start#c01", "ziel", "depends_on").link("start#c01", "lang")
    retriever = world.retriever(candidates={"dense": 6, "lexical": 6})
    assert "ziel" in {hit.note_id for hit in retriever.search("Welches Werkzeug nutzt Nordlicht?", limit=30).hits}


def test_a_link_to_a_heading_lifts_the_chunk_below_it_however_unlike_the_question_it_is() -> None:
    world = World().note("start", "Welches Werkzeug nutzt Nordlicht?")
    others = [f"Werkzeug, Sache {number}." for number in range(8)]
    sections = (*(f"Nummer {number}" for number in range(8)), "Liste")
    world.note("ziel", *others, "Hammer und Zange.", sections=sections)
    world.link("start#c01", "ziel", "depends_on", target_section="liste")
    retriever = world.retriever(candidates={"dense": 3, "lexical": 3}, results={"max_per_note": 9})
    hits = retriever.search("Welches Werkzeug nutzt Nordlicht?", explain=True, limit=30).hits
    assert {hit.chunk_id for hit in hits if hit.explanation.score_breakdown["edge"]} == {"ziel#c09"}


def test_a_symmetric_link_read_backwards_brings_the_chunk_that_wrote_it() -> None:
    world = World().note("start", "Welches Werkzeug nutzt Nordlicht?")
    world.note("ziel", *(f"Werkzeug, Sache {number}." for number in range(8)), "Hammer und Zange.")
    world.link("ziel#c09", "start", "related_to")
    retriever = world.retriever(candidates={"dense": 3, "lexical": 3}, results={"max_per_note": 9})
    hits = retriever.search("Welches Werkzeug nutzt Nordlicht?", explain=True, limit=30).hits
    assert "ziel#c09" in {hit.chunk_id for hit in hits if hit.explanation.score_breakdown["edge"]}


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


def test_a_chunk_in_the_questions_language_is_searched_in_that_language_only() -> None:
    """The German stemmer cuts `larger` down to what the English one makes of `large`."""
    world = World(embedder=NoEmbedder()).note("a", "A larger scale is the aim of it.", lang="en")
    world.note("b", "It is one of the large scales of the world.", lang="en")
    (hit,) = world.retriever().search("What is larger?").hits
    assert (hit.note_id, hit.relevance) == ("a", 1.0)


def test_a_chunk_in_another_language_is_searched_in_its_own_too() -> None:
    world = World(embedder=NoEmbedder()).note("en", "She asked for a dozen of larger kangaroos.", lang="en")
    (hit,) = world.retriever().search("Wie groß werden Kangaroos?").hits
    assert hit.note_id == "en"
