"""Fitting: best passages first, never more than there is room for, cut only where a sentence ends."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mindnet_pipeline.conversation.fitting import cut, cut_points, fit
from mindnet_pipeline.conversation.passages import Passage, make_passages, render_passages
from mindnet_pipeline.conversation.tokens import estimate_tokens
from mindnet_pipeline_tests.conversation.test_passages import hit
from mindnet_pipeline_tests.retrieval.worlds import REGISTRY

TEXT = "Am 3. Oktober kam Dr. Lay. Dann ging er wieder. Wir blieben noch bis zum Abend im Haus."


def passages(*texts: str) -> list[Passage]:
    return make_passages([hit(f"n{i}", text=text) for i, text in enumerate(texts)], REGISTRY, "de")


def test_all_that_fits_is_taken_in_order() -> None:
    given_passages = passages("Eins.", "Zwei.", "Drei.")
    assert fit(given_passages, 1000, "de") == given_passages


def test_what_does_not_fit_is_cut_after_a_sentence_and_nothing_follows() -> None:
    given_passages = passages("Eins.", TEXT, "Drei.")
    room = estimate_tokens(render_passages(given_passages[:2])) - 5
    first, second = fit(given_passages, room, "de")
    assert (first.text, second.text) == ("Eins.", "Am 3. Oktober kam Dr. Lay. Dann ging er wieder.")


def test_a_passage_of_which_no_sentence_fits_is_left_out() -> None:
    given_passages = passages("Eins.", TEXT)
    room = estimate_tokens(render_passages(given_passages[:1])) + 40
    assert fit(given_passages, room, "de") == given_passages[:1]


@pytest.mark.parametrize("room", [0, 3, 20])
def test_without_room_there_is_nothing(room: int) -> None:
    assert fit(passages("Eins."), room, "de") == []


def test_list_items_and_table_rows_are_places_to_cut() -> None:
    text = "Drei Dinge:\n- das eine ohne Punkt\n- das andere\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    lines = {text[:point].rstrip().rsplit("\n", 1)[-1] for point in cut_points(text, "de")}
    assert {"- das eine ohne Punkt", "- das andere", "| a | b |", "| 1 | 2 |"} <= lines


@given(st.lists(st.sampled_from([*TEXT.split(), "\n\n", "\n- ", "z. B."]), max_size=40), st.integers(0, 80))
def test_what_is_left_is_a_beginning_of_whole_sentences_that_fits(words: list[str], room: int) -> None:
    text = " ".join(words)
    left = cut(text, room, "de")
    assert text.startswith(left)
    assert estimate_tokens(left) <= room
    assert left in {text, "", *(text[:point].rstrip() for point in cut_points(text, "de"))}


@example(["`"] * 5, 350)
@example(["`", "```", "````", "````", "````"], 376)
@given(st.lists(st.text(alphabet="abc .\n`", min_size=1, max_size=60), max_size=5), st.integers(0, 400))
def test_the_passages_together_never_exceed_the_room(texts: list[str], room: int) -> None:
    assert estimate_tokens(render_passages(fit(passages(*texts), room, "de"))) <= room
