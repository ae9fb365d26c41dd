"""Search from question to hits, on small vaults in a real store."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from mindnet_pipeline.core.errors import ModelMismatchError, QueryError, StoreError
from mindnet_pipeline.retrieval.filters import Filters
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.retriever import check_facts
from mindnet_pipeline.storage.vectors.protocol import SCHEMA_VERSION, StoreFacts, StoreReader
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder, WordEmbedder, World


@pytest.fixture
def world() -> World:
    return World()


def found(result: SearchResult) -> list[str]:
    return [hit.chunk_id for hit in result.hits]


def test_words_and_meaning_both_find(world: World) -> None:
    world.note("amsel", "Die Amsel singt am Morgen.").note("motor", "Der Motor braucht Öl.")
    retriever = world.note("quark", "Quarkbrot schmeckt.").retriever()
    assert found(retriever.search("vogel"))[0] == "amsel#c01"
    assert found(retriever.search("Quarkbrot?"))[0] == "quark#c01"


def test_a_note_that_only_a_link_leads_to_is_found(world: World) -> None:
    world.note("start", "Welches Werkzeug nutzt das Projekt Nordlicht? Es steht nebenan.").note(
        "ziel", "Hammer, Zange."
    )
    for number in range(30):
        world.note(f"rest{number}", f"Etwas anderes über Thema {number} und Werkzeug.")
    options = {"candidates": {"dense": 3, "lexical": 3}}
    assert "ziel" not in {h.note_id for h in world.retriever(**options).search("Projekt Nordlicht Werkzeug").hits}
    linked = world.link("start#c01", "ziel", "depends_on").retriever(**options)
    assert "ziel" in {h.note_id for h in linked.search("Projekt Nordlicht Werkzeug").hits}


def test_links_lift_a_relevant_hit_above_an_equally_relevant_one(world: World) -> None:
    world.note("a", "Kohl im Garten").note("b", "Kohl im Garten hinten").note("c", "Kohl im Garten vorne")
    world.link("a#c01", "c")
    ranking = found(world.retriever().search("Kohl im Garten"))
    assert ranking.index("c#c01") < ranking.index("b#c01")


def test_a_rule_edge_and_a_backlink_never_count_as_written_links(world: World) -> None:
    world.note("a", "Kohl im Garten").note("b", "Kohl im Beet")
    world.link("a", "b", "backlink", provenance="structure", rule_id="structure:backlink")
    world.link("a#c01", "b", status="unresolved")
    hits = world.retriever().search("Kohl im Garten", explain=True).hits
    assert all(hit.explanation and hit.explanation.score_breakdown["edge"] == 0 for hit in hits)


def test_the_breakdown_adds_up_to_the_score_exactly(world: World) -> None:
    world.note("a", "Kohl im Garten").note("b", "Kohl im Beet", type="decision").link("a#c01", "b", "depends_on")
    for hit in world.retriever().search("Kohl im Garten", explain=True).hits:
        assert hit.explanation is not None
        assert math.fsum(hit.explanation.score_breakdown.values()) == hit.score


def test_without_explain_no_hit_carries_an_explanation(world: World) -> None:
    hits = world.note("a", "Kohl im Garten").retriever().search("Kohl").hits
    assert [hit.explanation for hit in hits] == [None]


def test_the_same_question_gives_the_same_hits_under_another_id(world: World) -> None:
    retriever = world.note("a", "Kohl im Garten").note("b", "Kohl im Beet").retriever()
    first, second = retriever.search("Kohl"), retriever.search("Kohl")
    assert first.hits == second.hits
    assert first.query_id != second.query_id


def test_the_line_is_that_of_the_file_with_its_frontmatter(world: World) -> None:
    world.note("a", "# Beet\n\nErde.\n", "\nKohl wächst.\n", frontmatter_raw="---\nid: a\n---\n")
    assert [h.line for h in world.retriever().search("Kohl wächst").hits if h.chunk_id == "a#c02"] == [8]


def test_a_long_note_leaves_room_for_a_short_one(world: World) -> None:
    repeated = "Der Zielbegriff Sauerteig steht hier. " * 3
    filler = ["Ein Satz zur Füllung ohne den Begriff. " * 5, "Noch ein Absatz mit anderem Inhalt. " * 5]
    world.note("lang", repeated, *filler).note("kurz", "Auch Sauerteig, aber kurz.")
    hits = world.retriever().search("Sauerteig", limit=2).hits
    assert {hit.note_id for hit in hits} == {"lang", "kurz"}


def test_no_note_has_more_than_its_share_of_hits(world: World) -> None:
    world.note("a", "Kohl eins.", "Kohl zwei drei.", "Kohl vier fünf.").note("b", "Kohl sechs.")
    assert sorted(h.note_id for h in world.retriever().search("Kohl").hits) == ["a", "a", "b"]


def test_an_empty_note_is_never_found(world: World) -> None:
    world.note("leer").note("a", "Text.")
    assert found(world.retriever().search("leer")) == ["a#c01"]


def test_a_question_in_english_finds_a_german_note(world: World) -> None:
    world.note("amsel", "Die Amsel singt.").note("motor", "Der Motor braucht Öl.")
    assert found(world.retriever().search("Which bird sings?"))[0] == "amsel#c01"


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question_is_refused(world: World, question: str) -> None:
    with pytest.raises(QueryError, match="empty"):
        world.note("a", "Text.").retriever().search(question)


def test_a_limit_below_1_is_refused(world: World) -> None:
    with pytest.raises(QueryError, match="at least 1"):
        world.note("a", "Text.").retriever().search("Text", limit=0)


def test_an_empty_store_says_what_to_do(world: World) -> None:
    with pytest.raises(StoreError, match="sync"):
        world.retriever().search("Kohl")


@pytest.mark.parametrize("filters", [Filters(types=("concept",)), Filters(langs=("de",))], ids=["type", "language"])
def test_an_empty_store_with_a_filter_says_what_to_do(world: World, filters: Filters) -> None:
    with pytest.raises(StoreError, match="sync"):
        world.retriever().search("Kohl", filters=filters)


def test_stop_words_alone_find_by_meaning_and_say_so(world: World) -> None:
    result = world.note("a", "und die oder").retriever().search("Und wie ist das?")
    assert found(result) == ["a#c01"]
    assert result.notices == ("Die Frage enthält kein Wort, nach dem sich suchen lässt.",)


def test_a_very_long_question_is_answered(world: World) -> None:
    retriever = world.note("a", "Kohl im Garten").note("b", "Motor").retriever()
    assert found(retriever.search("Kohl im Garten " * 5000))[0] == "a#c01"


def test_a_question_that_embeds_to_nothing_is_refused(world: World) -> None:
    with pytest.raises(QueryError, match="vector"):
        world.note("a", "Text.").retriever().search("?!")


def test_without_a_model_words_and_links_still_find() -> None:
    world = World(NoEmbedder()).note("a", "Kohl, Kohl, Möhren").note("b", "Kohl hier").note("c", "Kohl dort")
    retriever = world.note("d", "Motor").link("a#c01", "c").retriever()
    assert found(retriever.search("Kohl Möhren")) == ["a#c01", "c#c01", "b#c01"]


def test_filters_that_no_note_meets_together_give_a_notice(world: World) -> None:
    world.note("a", "Kohl", type="project", tags=["beet"]).note("b", "Kohl", tags=["haus"])
    result = world.retriever().search("Kohl", filters=Filters(types=("project",), tags=("haus",)))
    assert (result.hits, result.notices) == ((), ("Keine Notiz erfüllt alle Filter zusammen.",))


def test_links_never_lead_past_a_filter(world: World) -> None:
    world.note("a", "Kohl im Garten", type="project").note("b", "Kohl im Beet", type="person").link("a#c01", "b")
    hits = world.retriever().search("Kohl", filters=Filters(types=("project",))).hits
    assert {hit.note_id for hit in hits} == {"a"}


def test_another_model_is_refused_with_what_to_do() -> None:
    with pytest.raises(ModelMismatchError, match=r"other@1.*words@test.*sync"):
        check_facts(StoreFacts("other@1", 64), WordEmbedder())


def test_another_schema_is_refused_with_what_to_do() -> None:
    with pytest.raises(StoreError, match="sync"):
        check_facts(StoreFacts("words@test", 64, SCHEMA_VERSION + 1), WordEmbedder())


class CountingReader:
    """Passes everything on and counts what was asked of the store."""

    def __init__(self, reader: StoreReader) -> None:
        self._reader = reader
        self.asked: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._reader, name)
        if not callable(value):
            return value

        def counted(*args: Any, **options: Any) -> Any:
            self.asked[name] += 1
            return value(*args, **options)

        return counted


@pytest.mark.parametrize("explain", [False, True])
def test_more_candidates_and_links_take_no_more_requests(explain: bool) -> None:
    def asked(notes: int) -> Counter[str]:
        world = World()
        for number in range(notes):
            world.note(f"n{number}", f"Kohl Nummer {number}.")
            world.link(f"n{number}#c01", f"n{(number + 1) % notes}").link(f"n{number}#c01", f"n{(number + 2) % notes}")
        retriever = world.retriever()
        retriever._reader = counting = CountingReader(retriever._reader)
        retriever.search("Kohl", explain=explain)
        return counting.asked

    assert asked(40) == asked(5)
    assert sum(asked(40).values()) == (14 if explain else 10)


def test_a_list_of_links_lends_less_to_what_it_names_than_a_sentence(world: World) -> None:
    world.note("liste", "- [[Eins]] Kohl\n- [[Weit]]\n", title="Kohl").note(
        "satz", "Kohl wächst hier gut.", title="Kohl"
    )
    world.note("ziel1", "Motor.").note("ziel2", "Öl und ein Rad.").link("liste#c01", "ziel1").link("satz#c01", "ziel2")
    hits = {hit.note_id: hit for hit in world.retriever().search("Kohl", explain=True).hits}
    parts = {name: hits[name].explanation.score_breakdown["edge"] for name in ("ziel1", "ziel2")}
    assert 0 < parts["ziel1"] < parts["ziel2"]
