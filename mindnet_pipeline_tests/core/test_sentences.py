from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.core.sentences import sentence_spans

GOLD = Path(__file__).parent / "fixtures" / "chunking"


def split(text: str, lang: str = "de") -> list[str]:
    return [text[a:b] for a, b in sentence_spans(text, lang)]


def ends_in_gold(lang: str) -> tuple[int, int, int]:
    """Sentence ends inside paragraphs: rightly found, wrongly found, missed."""
    right = wrong = missed = 0
    for paragraph in (GOLD / f"sentences_{lang}.txt").read_text("utf-8").strip().split("\n\n"):
        sentences = paragraph.split("\n")
        gold = {len(" ".join(sentences[:i])) + 1 for i in range(1, len(sentences))}
        found = {end for _, end in sentence_spans(" ".join(sentences), lang)[:-1]}
        right, wrong, missed = right + len(gold & found), wrong + len(found - gold), missed + len(gold - found)
    return right, wrong, missed


@pytest.mark.parametrize("lang", ["de", "en"])
def test_precision_and_recall_of_sentence_ends_stay_high(lang: str) -> None:
    right, wrong, missed = ends_in_gold(lang)
    assert right / (right + wrong) >= 0.99
    assert right / (right + missed) >= 0.96


@given(
    st.text(alphabet=st.sampled_from('aB z.!?…„“"*[^1]()\n。日 \t'), max_size=80),
    st.sampled_from(["de", "en", "ja", "", "xx"]),
)
def test_sentences_tile_any_text(text: str, lang: str) -> None:
    assert "".join(split(text, lang)) == text
    assert all(split(text, lang)) or text == ""


def test_abbreviations_and_dates_end_no_sentence() -> None:
    assert len(split("Am 24. 12. kam Dr. Lay z. B. mit Prof. Kim, d. h. vgl. S. 3 ff., ins Haus.")) == 1


@pytest.mark.parametrize("text", (GOLD / "abbreviations.txt").read_text("utf-8").splitlines())
@pytest.mark.parametrize("lang", ["de", "en"])
def test_no_sentence_ends_after_an_abbreviation(text: str, lang: str) -> None:
    assert len(split(f"{text} ist da.", lang)) == 1


@pytest.mark.parametrize("text", ["Es war so. Peter kam.", "Er traf Max. Peter kam.", "It was red. Peter came."])
def test_words_that_are_abbreviations_in_the_other_case_end_one(text: str) -> None:
    assert len(split(text)) == 2


@pytest.mark.parametrize("marker", ["1. ", "> 12. ", "  3. "])
def test_the_number_of_an_item_is_no_sentence(marker: str) -> None:
    assert split(f"{marker}Der Erste. Dann er.") == [f"{marker}Der Erste. ", "Dann er."]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_line_s_end_alone_is_no_sentence_s_end(newline: str) -> None:
    assert len(split(f"Sie kamen am{newline}  3. Oktober und am {newline}4. November.{newline}")) == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_blank_line_ends_a_sentence(newline: str) -> None:
    assert len(split(f"Sie kamen am{newline}{newline}Ufer an.")) == 2


def test_marks_and_footnotes_belong_to_the_sentence_before() -> None:
    assert split("**Gut.** *Ja.* Bekannt.[^1] Ende.") == ["**Gut.** ", "*Ja.* ", "Bekannt.[^1] ", "Ende."]


def test_a_quoted_question_goes_on_in_lower_case() -> None:
    assert len(split("„Kommst du?“, fragte sie. Er kam.")) == 2


def test_text_in_lower_case_has_sentences_too() -> None:
    assert len(split("das war gut. danach ging ich heim. ende.")) == 3


def test_cjk_needs_no_blank() -> None:
    assert split("これは文です。次です！終わり？", "ja") == ["これは文です。", "次です！", "終わり？"]


def test_urls_and_decimals_hold_together() -> None:
    assert len(split("Siehe https://a.example/b.c?d=1.5 und 3.14 dazu. Ende.")) == 2
