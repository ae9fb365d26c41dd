"""What repeats is shown once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.retrieval.candidates import Candidate
from mindnet_pipeline.retrieval.diversity import pick, repeats, word_runs
from mindnet_pipeline.retrieval.graph import Standing
from mindnet_pipeline.retrieval.ranking import Ranked
from mindnet_pipeline.retrieval.scoring import Score, Signals

LONG = "Der Kohl wächst im Garten hinter dem alten Haus und braucht viel Wasser. "


def ranked(chunk_id: str, text: str, start: int = 0) -> Ranked:
    note_id = chunk_id.partition("#c")[0]
    payload = {"text": text, "char_start": start, "char_end": start + len(text), "note_title": note_id.title()}
    return Ranked(Candidate(chunk_id, note_id, payload), Signals(), Score(1.0, {}), Standing())


def test_a_neighbour_that_repeats_the_text_is_joined_with_it() -> None:
    second = ranked("a#c02", LONG, start=len(LONG))
    (hit,) = pick([ranked("a#c01", LONG), second], limit=5, max_per_note=3)
    assert (hit.char_start, hit.char_end, hit.text) == (0, 2 * len(LONG), LONG + LONG)


def test_an_earlier_neighbour_comes_before_the_better_one() -> None:
    (hit,) = pick([ranked("a#c02", LONG, start=len(LONG)), ranked("a#c01", LONG)], limit=5, max_per_note=3)
    assert (hit.ranked.candidate.chunk_id, hit.char_start, hit.char_end) == ("a#c02", 0, 2 * len(LONG))


def test_a_repetition_elsewhere_in_the_note_leaves_the_span_alone() -> None:
    (hit,) = pick([ranked("a#c01", LONG), ranked("a#c05", LONG, start=900)], limit=5, max_per_note=3)
    assert (hit.char_start, hit.char_end, hit.also_in) == (0, len(LONG), ())


def test_a_copy_in_another_note_is_folded_and_named() -> None:
    (hit,) = pick([ranked("a#c01", LONG), ranked("b#c01", LONG.upper())], limit=5, max_per_note=3)
    assert (hit.ranked.candidate.chunk_id, hit.also_in) == ("a#c01", ("B",))


def test_a_copy_below_the_last_hit_is_still_folded_until_the_next_new_one() -> None:
    (hit,) = pick(
        [ranked("a#c01", LONG), ranked("b#c01", LONG), ranked("c#c01", "Etwas Neues.")], limit=1, max_per_note=1
    )
    assert hit.also_in == ("B",)


def test_texts_that_differ_are_kept_apart() -> None:
    hits = pick([ranked("a#c01", LONG), ranked("b#c01", "Der Motor braucht Öl.")], limit=5, max_per_note=3)
    assert [hit.ranked.candidate.chunk_id for hit in hits] == ["a#c01", "b#c01"]


def test_a_text_that_holds_another_and_more_is_no_repetition() -> None:
    more = LONG + "Möhren dagegen mögen lockeren, trockenen Sand und wenig Dünger im ganzen Sommer."
    assert len(pick([ranked("a#c01", LONG), ranked("b#c01", more)], limit=5, max_per_note=3)) == 2


def test_chunks_without_words_never_repeat_each_other() -> None:
    assert len(pick([ranked("a#c01", "---\n"), ranked("b#c01", "***\n")], limit=5, max_per_note=3)) == 2


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text("xy z", max_size=12)), max_size=15), st.integers(1, 4))
def test_hits_keep_the_order_the_limit_and_each_notes_share(rows: list[tuple[str, str]], most: int) -> None:
    ranking = [ranked(f"{note}#c{index:02d}", text, start=index * 100) for index, (note, text) in enumerate(rows)]
    hits = pick(ranking, limit=5, max_per_note=most)
    order = [hit.ranked for hit in hits]
    assert order == [each for each in ranking if each in order]
    assert len(hits) <= 5
    assert all([each.candidate.note_id for each in order].count(note) <= most for note in "abc")


@given(st.text(max_size=40))
def test_a_text_with_words_repeats_itself(text: str) -> None:
    runs = word_runs(text)
    assert repeats(runs, runs) == bool(runs)
