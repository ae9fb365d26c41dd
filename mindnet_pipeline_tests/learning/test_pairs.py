"""Which ratings make a pair, how they are counted, and that the table gives them back."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.learning.labels import ratings_of
from mindnet_pipeline.learning.pair_table import read_pairs, write_pairs
from mindnet_pipeline.learning.pairs import count, question_key, training_pairs
from mindnet_pipeline.retrieval.scoring import Signals
from mindnet_pipeline.storage.schemas import TRAINING_PAIRS_SCHEMA
from mindnet_pipeline_tests.learning.worlds import label, situation

SIGNALS = [Signals(semantic=0.9 - number / 10, edge=number / 10, link_list=number == 2) for number in range(5)]
ASKED = [situation("q1", "Wo ist der Kohl?", SIGNALS), situation("q2", "wo ist  DER Kohl?", SIGNALS)]


def made(**ratings: int) -> list[tuple[str, str]]:
    """The pairs of q1 when its hits are rated so, as chunk numbers."""
    given = [label("q1", f"{chunk[1:]}#c01", rating) for chunk, rating in ratings.items()]
    return [(p.better.chunk_id[0], p.worse.chunk_id[0]) for p in training_pairs(ASKED, ratings_of(given))]


def test_each_good_hit_is_paired_with_each_poor_one() -> None:
    assert set(made(c0=5, c1=4, c2=2, c3=1)) == {("0", "2"), ("0", "3"), ("1", "2"), ("1", "3")}


@pytest.mark.parametrize("ratings", [{"c0": 5, "c1": 4}, {"c0": 3, "c1": 1}, {"c0": 5, "c1": 3}, {"c0": 5}, {}])
def test_what_is_not_good_beside_poor_makes_no_pair(ratings: dict[str, int]) -> None:
    assert made(**ratings) == []


def test_hits_of_different_questions_are_never_paired() -> None:
    assert training_pairs(ASKED, ratings_of([label("q1", "0#c01", 5), label("q2", "1#c01", 1)])) == []


def test_a_pair_knows_by_how_much_the_ratings_differ() -> None:
    (pair,) = training_pairs(ASKED, ratings_of([label("q1", "0#c01", 5), label("q1", "1#c01", 2)]))
    assert pair.difference == 3


def test_the_same_words_are_one_question() -> None:
    assert question_key("Wo ist der Kohl?") == question_key(" wo  ist DER kohl? ")
    assert question_key("Wo ist der Kohl?") != question_key("Wo ist der Hahn?")


def test_counts_say_how_much_there_is() -> None:
    ratings = ratings_of([label(q, f"{n}#c01", 5 - n) for q in ("q1", "q2") for n in range(5)])
    counts = count(ASKED, ratings, training_pairs(ASKED, ratings))
    assert (counts.questions, counts.rated_questions, counts.paired_questions) == (2, 2, 1)
    assert (counts.labels, counts.pairs) == (10, 8)
    assert counts.by_rating == {5: 2, 4: 2, 3: 2, 2: 2, 1: 2}


def test_the_table_gives_the_pairs_back(tmp_path: Path) -> None:
    pairs = training_pairs(ASKED, ratings_of([label("q1", f"{n}#c01", 5 - n) for n in range(5)]))
    write_pairs(str(tmp_path), pairs)
    assert read_pairs(str(tmp_path)) == pairs
    assert len(pd.read_parquet(tmp_path / "training_pairs.parquet")) == 4


def test_the_table_has_a_column_for_every_signal() -> None:
    names = {field.name for field in TRAINING_PAIRS_SCHEMA.field("better").type}
    assert names == {"chunk_id", "rating", *(field.name for field in dataclasses.fields(Signals))}


def test_no_table_is_no_pairs(tmp_path: Path) -> None:
    assert read_pairs(str(tmp_path)) == []


@pytest.mark.parametrize("damage", ["torn", "other"])
def test_a_table_that_cannot_be_read_says_what_to_do(tmp_path: Path, damage: str) -> None:
    place = tmp_path / "training_pairs.parquet"
    if damage == "torn":
        place.write_bytes(b"PAR1 and no more")
    else:
        pq.write_table(pa.table({"better": ["text"]}), place)
    with pytest.raises(StoreError, match="anew"):
        read_pairs(str(tmp_path))
