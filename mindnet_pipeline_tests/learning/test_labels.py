"""Which question and which hit is meant, which rating holds, and what is said to those who name what is not there."""

from __future__ import annotations

import pytest

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.learning.labels import Label, label_of, parse_label, ratings_of
from mindnet_pipeline.learning.situations import written
from mindnet_pipeline.retrieval.scoring import Signals
from mindnet_pipeline_tests.learning.worlds import TIME, label, situation

SIGNALS = [Signals(semantic=0.9), Signals(semantic=0.8), Signals(semantic=0.7), Signals(semantic=0.6)]
ASKED = [
    situation("aaaa1111", "Wo ist der Kohl?", SIGNALS, shown=2),
    situation("aaab2222", "Wann wächst er?", SIGNALS, shown=2),
]


def meant(query: str, node: str, rating: int = 5) -> Label:
    return label_of(ASKED, query, node, rating, time=TIME)


@pytest.mark.parametrize("query", ["aaab2222", "aaab", "AAAB", "last", "Last"])
def test_a_question_is_meant_by_id_by_its_beginning_or_as_the_last(query: str) -> None:
    assert meant(query, "1").query_id == "aaab2222"


@pytest.mark.parametrize("node", ["2", "1#c01", "1"])
def test_a_hit_is_meant_by_number_chunk_or_note(node: str) -> None:
    expected = {"2": "1#c01", "1#c01": "1#c01", "1": "0#c01"}
    assert meant("last", node).chunk_id == expected[node]


def test_a_note_stands_for_its_best_hit_and_stays_named() -> None:
    made = meant("last", "3")
    assert (made.node_id, made.chunk_id) == ("3", "3#c01")


def test_what_was_not_shown_but_nearly_was_can_be_rated() -> None:
    assert meant("last", "2#c01").chunk_id == "2#c01"


def test_an_unknown_question_is_told_the_latest() -> None:
    with pytest.raises(QueryError, match=r"`zzz`.*aaab2222 “Wann wächst er\?”, aaaa1111"):
        meant("zzz", "1")


def test_a_beginning_of_several_questions_is_told_which() -> None:
    with pytest.raises(QueryError, match=r"several questions.*aaaa1111"):
        meant("aaa", "1")


@pytest.mark.parametrize("query", ["", " "])
def test_an_empty_id_is_no_beginning(query: str) -> None:
    with pytest.raises(QueryError, match="No question"):
        meant(query, "1")


def test_an_unknown_hit_is_told_the_hits() -> None:
    with pytest.raises(QueryError, match=r"`nowhere` is no hit of “Wann wächst er\?” \(aaab2222\).*1 0#c01, 2 1#c01"):
        meant("last", "nowhere")


def test_an_empty_log_says_to_ask_first() -> None:
    with pytest.raises(QueryError, match="Ask one"):
        label_of([], "last", "1", 5, time=TIME)


@pytest.mark.parametrize("rating", [0, 6, -1])
def test_a_rating_is_from_1_to_5(rating: int) -> None:
    with pytest.raises(QueryError, match=f"not {rating}"):
        meant("last", "1", rating)


def test_of_several_ratings_of_one_hit_the_latest_holds() -> None:
    given = [label("a", "1#c01", 5), label("a", "2#c01", 4), label("b", "1#c01", 3), label("a", "1#c01", 1)]
    assert ratings_of(given) == {("a", "1#c01"): 1, ("a", "2#c01"): 4, ("b", "1#c01"): 3}


def test_a_label_comes_back_as_it_was_written() -> None:
    made = label_of(ASKED, "last", "1", 4, note="gut, „genau“", time=TIME)
    assert parse_label(written(made).encode()) == made


def test_a_line_with_an_impossible_rating_is_none() -> None:
    with pytest.raises(ValueError, match="rating 9"):
        parse_label(written(label("a", "1#c01", 9)).encode())
