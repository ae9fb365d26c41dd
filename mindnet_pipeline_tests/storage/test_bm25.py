"""BM25 weights: questions and documents of one language must speak of the same words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline.storage.bm25 import Bm25Encoder

ENCODER = Bm25Encoder()


def shared(question: str, langs: list[str], document: str, lang: str) -> int:
    return len(set(ENCODER.query(question, langs).indices) & set(ENCODER.document(document, lang).indices))


@pytest.mark.parametrize(
    ("lang", "question", "document"),
    [
        ("de", "Vektoren", "Der Vektor zeigt nach Norden."),
        ("de", "straße", "Straßen im Dorf"),
        ("de-AT", "Häuser", "ein Haus"),
        ("en", "running", "they run"),
        ("pl", "graf", "graf wiedzy"),
        ("", "graf", "graf wiedzy"),
    ],
)
def test_an_inflected_word_is_found_in_its_language(lang, question, document):
    assert shared(question, [lang], document, lang) == 1


def test_stop_words_have_no_weight():
    assert ENCODER.query("der die und das", ["de"]).indices == ()


def test_a_question_in_two_languages_finds_documents_of_both():
    question = ["de", "en"]
    assert shared("Häuser running", question, "ein Haus", "de") >= 1
    assert shared("Häuser running", question, "they run", "en") >= 1


def test_a_rare_code_is_treated_like_any_language_without_stemmer():
    assert ENCODER.document("Wörter bleiben", "tlh") == ENCODER.document("Wörter bleiben", "")


@pytest.mark.parametrize("lang", ["zh", "ja", "de", ""])
def test_words_are_found_inside_unbroken_script(lang):
    assert shared("数据库", [lang], "今天我们讨论了向量数据库的设计。", lang) == 2


def test_a_single_unbroken_character_is_a_word():
    assert shared("猫", ["ja"], "犬 猫 鳥", "ja") == 1


def test_more_of_a_word_weighs_more_but_saturates():
    once, twice, often = (max(ENCODER.document("Quark " * times, "de").values) for times in (1, 2, 50))
    assert once < twice < often < 2.2


def test_a_question_word_weighs_one_however_often_it_stands():
    assert ENCODER.query("Quark Quark Brot", ["de"]).values == (1.0, 1.0)


@pytest.mark.parametrize("text", ["", "   ", "…!?", "\ud800", "\x00"])
def test_text_without_words_has_no_weights_and_no_error(text):
    assert len(ENCODER.document(text, "de").indices) == 0 or text == "\ud800"


@given(st.text(max_size=60), st.sampled_from(["de", "en", "ja", "xx"]))
@settings(max_examples=150, deadline=None)
def test_a_text_shares_every_word_of_its_document_form(text, lang):
    document, question = ENCODER.document(text, lang), ENCODER.query(text, [lang])
    assert document.indices == question.indices
    assert list(document.indices) == sorted(set(document.indices))
    assert all(weight > 0 for weight in document.values)


@pytest.mark.parametrize("word", ["Häuser", "houses", "die", "Qdrant"])
def test_the_forms_of_a_word_are_what_a_question_of_it_asks_for(word):
    assert Bm25Encoder().forms(word, ("de", "en")) == frozenset(Bm25Encoder().query(word, ("de", "en")).indices)
