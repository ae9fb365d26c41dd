"""Words together in a sentence say more than the same words spread over a chunk, and longer words hold shorter ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.retrieval.reading import Text, read, split
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder, World

QUESTION = "Kohl Garten Schnecken"
SENTENCES = st.lists(st.frozensets(st.integers(0, 9)), max_size=4)


def garden() -> World:
    """Two notes with the same words, which one of them has in one sentence; without a model, so that words decide."""
    world = World(embedder=NoEmbedder())
    world.note("dort", "Im Garten fressen Schnecken den Kohl. Regen fiel. Der Abend kam.")
    return world.note("da", "Im Garten fiel Regen. Schnecken fressen. Der Abend kam, den Kohl")


def lexical(hit: Hit) -> float:
    assert hit.explanation
    return hit.explanation.score_breakdown["lexical"]


def test_words_of_one_sentence_count_more_than_the_same_words_in_several() -> None:
    together, spread = garden().retriever().search(QUESTION, explain=True).hits
    assert (together.note_id, spread.note_id) == ("dort", "da")
    assert lexical(spread) < 0.7 * lexical(together)


def test_without_spread_only_the_words_count() -> None:
    first, second = garden().retriever(scale={"spread": 0}).search(QUESTION, explain=True).hits
    assert lexical(first) == pytest.approx(lexical(second))


def test_the_titles_are_a_sentence() -> None:
    world = garden().note("titel", "Regen fiel.", title="Kohl und Schnecken im Garten")
    found = {hit.note_id: lexical(hit) for hit in world.retriever().search(QUESTION, explain=True).hits}
    assert found["titel"] > found["da"]


def test_a_word_that_only_an_alias_has_counts_in_full() -> None:
    world = World(embedder=NoEmbedder()).note("text", "Die Brassica wächst. Regen fiel auf den Weg.")
    world.note("alias", "Er wächst. Regen fiel auf den Weg.", aliases=["Brassica"])
    found = {hit.note_id: lexical(hit) for hit in world.retriever().search("Brassica", explain=True).hits}
    assert found["alias"] == pytest.approx(found["text"], rel=0.05)


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    texts = {"rare": [{1}], "common": [{2}], "other": [{2}], "another": [{2}], "none": [{3}]}
    readings = read(["", ""], {key: Text([{1}, {2}], sentences, "") for key, sentences in texts.items()})
    assert readings["rare"].together == 1.0
    assert readings["common"].together < 0.5


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("Verwaltung", "Die Kolonialverwaltung zog um."),
        ("Waffenfabrikant", "Das Haus der Waffenfabriken."),
        ("conception", "It was conceptual."),
    ],
)
def test_a_word_inside_a_longer_one_or_a_related_one_is_found_and_named(asked: str, written: str) -> None:
    world = World(embedder=NoEmbedder()).note("a", f"{written} Der Regen fiel.").note("b", "Regen im Garten.")
    question = f"{asked} Regen"
    hits = world.retriever().search(question, explain=True).hits
    exactly = world.retriever(scale={"alike": 0}).search(question, explain=True).hits
    (alike,) = (hit for hit in hits if hit.note_id == "a")
    assert hits[0] == alike
    assert lexical(alike) > max(lexical(hit) for hit in exactly)
    assert any(asked[:5].lower() in word.lower() for word in alike.explanation.matched_words)


def test_a_word_that_is_there_as_it_is_counts_more_than_one_inside_a_longer_one() -> None:
    world = World(embedder=NoEmbedder()).note("in", "Die Kolonialverwaltung zog um.")
    hits = world.note("as", "Die Verwaltung zog um.").retriever().search("Verwaltung").hits
    assert hits[0].note_id == "as"


def test_a_short_word_is_looked_for_as_it_is_only() -> None:
    world = World(embedder=NoEmbedder()).note("rest", "Der Kohlmeise Nest im Regen.").note("kohl", "Kohl im Beet.")
    assert "Kohlmeise" not in {
        word
        for hit in world.retriever().search("Kohl Regen", explain=True).hits
        for word in hit.explanation.matched_words
    }


@given(
    st.lists(st.tuples(st.frozensets(st.integers(0, 9)), st.text("ab", max_size=2)), max_size=5),
    st.dictionaries(st.text(), st.tuples(SENTENCES, st.text("ab", max_size=5)), max_size=5),
)
def test_readings_lie_between_0_and_1(question, written) -> None:
    texts = {key: Text([word for word, _ in question], *text) for key, text in written.items()}
    readings = read([start for _, start in question], texts)
    assert readings.keys() == texts.keys()
    assert all(0 < reading.together <= 1 and 0 <= reading.alike <= 1 for reading in readings.values())


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Er ging. Sie kam!", ["Er ging.", "Sie kam!"]),
        ("„Er ging.“ Sie kam.", ["„Er ging.“", "Sie kam."]),
        ("Siehe z. B. Kohl, Dr. Lay oder den 3. Oktober.", ["Siehe z. B. Kohl, Dr. Lay oder den 3. Oktober."]),
        ("Eine Zeile,\ndie weitergeht.", ["Eine Zeile,\ndie weitergeht."]),
        ("Ein Absatz\n\nNoch einer", ["Ein Absatz", "Noch einer"]),
        ("Liste:\n- eins\n  1. zwei\n* drei", ["Liste:", "- eins", "1. zwei", "* drei"]),
        ("| a | b |\n| c | d |", ["| a | b |", "| c | d |"]),
        ("今日は雨。明日は晴れ。", ["今日は雨。", "明日は晴れ。"]),
        ("", []),
    ],
)
def test_a_text_is_cut_into_its_sentences(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences
