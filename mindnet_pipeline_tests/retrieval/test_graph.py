"""What links say of candidates: one test for each rule, showing what the rule is for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindnet_pipeline.retrieval import graph
from mindnet_pipeline.retrieval.candidates import Candidate
from mindnet_pipeline.storage.vectors.server import ServerStore
from mindnet_pipeline_tests.retrieval.worlds import REGISTRY, NoEmbedder, World

NO_HUBS = graph.Hubs({}, 0.0)
PROVENANCE = {"explicit": 1.0, "rule": 0.8}


def edge(source: str, target: str, kind: str = "references", **fields: Any) -> dict[str, Any]:
    return {
        "kind": kind, "scope": "chunk" if "#c" in source else "note", "source_id": source, "target_id": target,
        "note_id": source.partition("#c")[0], "provenance": "explicit", "confidence": 1.0, "target_section": "",
    } | fields  # fmt: skip


def candidate(chunk_id: str, section: str = "", text: str = "") -> Candidate:
    note_id, _, index = chunk_id.partition("#c")
    payload = {"chunk_index": int(index), "section_path": [section] if section else [], "text": text}
    return Candidate(chunk_id, note_id, payload)


def bonuses(edges: list[dict[str, Any]], relevance: dict[str, float], *more: Candidate, seeds: set[str] | None = None):
    candidates = {key: candidate(key) for key in relevance} | {each.chunk_id: each for each in more}
    ties = graph.ties(edges, REGISTRY, PROVENANCE)
    given = graph.contributions(
        candidates, relevance, relevance, ties, seeds=set(relevance) if seeds is None else seeds, hubs=NO_HUBS
    )
    return {key: graph.saturating_sum(c.value for c in found) for key, found in given.items()}


def test_a_link_lifts_its_target_by_the_relevance_of_its_source() -> None:
    strong = bonuses([edge("a#c01", "b")], {"a#c01": 1.0, "b#c01": 0.2})
    weak = bonuses([edge("a#c01", "b")], {"a#c01": 0.5, "b#c01": 0.2})
    assert strong["b#c01"] == pytest.approx(2 * weak["b#c01"])


def test_a_link_from_what_is_no_seed_gives_nothing() -> None:
    assert not bonuses([edge("a#c01", "b")], {"a#c01": 0.1, "b#c01": 0.2}, seeds={"b#c01"})


def test_a_link_says_nothing_about_its_source() -> None:
    assert "a#c01" not in bonuses([edge("a#c01", "b")], {"a#c01": 0.5, "b#c01": 1.0})


def test_a_symmetric_kind_counts_both_ways() -> None:
    found = bonuses([edge("a#c01", "b", "related_to")], {"a#c01": 0.5, "b#c01": 1.0})
    assert found["a#c01"] == pytest.approx(2 * found["b#c01"])


def test_a_symmetric_link_read_backwards_leads_to_the_chunk_that_wrote_it() -> None:
    found = bonuses([edge("a#c02", "b", "related_to")], {"a#c01": 0.9, "a#c02": 0.5, "b#c01": 1.0}, seeds={"b#c01"})
    assert list(found) == ["a#c02"]


def test_stronger_kinds_and_surer_rules_count_more() -> None:
    plain = bonuses([edge("a#c01", "b")], {"a#c01": 1.0, "b#c01": 0.2})["b#c01"]
    kind = bonuses([edge("a#c01", "b", "depends_on")], {"a#c01": 1.0, "b#c01": 0.2})["b#c01"]
    rule = bonuses([edge("a#c01", "b", provenance="rule", confidence=0.7)], {"a#c01": 1.0, "b#c01": 0.2})["b#c01"]
    assert rule < plain < kind
    assert rule == pytest.approx(plain * 0.8 * 0.7)


def test_several_links_of_one_note_to_a_target_count_once() -> None:
    one = bonuses([edge("a#c01", "b", "depends_on")], {"a#c01": 1.0, "b#c01": 0.2})
    defaults = edge("a#c01", "b", "related_to", provenance="rule", confidence=0.7)
    both = bonuses([edge("a#c01", "b", "depends_on"), edge("a#c01", "b"), defaults], {"a#c01": 1.0, "b#c01": 0.2})
    assert both["b#c01"] == one["b#c01"]


def test_a_note_that_links_to_itself_gains_nothing() -> None:
    assert not bonuses([edge("a#c01", "a", "related_to")], {"a#c01": 1.0, "a#c02": 0.5})


def test_a_link_to_a_note_counts_for_its_best_chunk_only() -> None:
    found = bonuses([edge("a#c01", "b")], {"a#c01": 1.0, "b#c01": 0.1, "b#c02": 0.4})
    assert list(found) == ["b#c02"]


def test_a_link_to_a_heading_counts_for_the_chunk_below_it() -> None:
    there = edge("a#c01", "b", target_section="Ziele")
    found = bonuses([there], {"a#c01": 1.0, "b#c01": 0.1, "b#c02": 0.4}, candidate("b#c01", section="Ziele"))
    assert list(found) == ["b#c01"]


def test_a_link_to_a_block_counts_for_the_chunk_that_holds_it() -> None:
    there = edge("a#c01", "b", target_section="^plan")
    held = candidate("b#c01", text="Der Plan steht. ^plan\n")
    assert list(bonuses([there], {"a#c01": 1.0, "b#c01": 0.1, "b#c02": 0.4}, held)) == ["b#c01"]


def test_a_link_to_an_unknown_heading_counts_for_the_notes_best_chunk() -> None:
    found = bonuses([edge("a#c01", "b", target_section="Gibt es nicht")], {"a#c01": 1.0, "b#c01": 0.1, "b#c02": 0.4})
    assert list(found) == ["b#c02"]


def test_a_link_from_a_whole_note_lends_what_its_best_chunk_can() -> None:
    found = bonuses([edge("a", "b")], {"a#c01": 0.3, "a#c02": 0.8, "b#c01": 0.1})
    assert found["b#c01"] == pytest.approx(0.8 * REGISTRY.relations["references"].weight)


def test_a_hub_gains_less_from_each_link() -> None:
    edges = [edge("a#c01", "hub"), edge("a#c01", "b")]
    candidates = {key: candidate(key) for key in ("a#c01", "hub#c01", "b#c01")}
    relevance = {"a#c01": 1.0, "hub#c01": 0.3, "b#c01": 0.3}
    ties = graph.ties(edges, REGISTRY, PROVENANCE)
    given = graph.contributions(
        candidates, relevance, relevance, ties, seeds={"a#c01"}, hubs=graph.Hubs({"hub": 50, "b": 1}, 0.5)
    )
    assert given["hub#c01"][0].value < given["b#c01"][0].value / 2


def test_centrality_is_1_for_the_best_linked_and_damps_hubs() -> None:
    edges = [edge("a#c01", "b"), edge("b#c01", "c"), edge("a#c01", "hub"), edge("c#c01", "hub")]
    hubs = graph.Hubs({"hub": 200, "b": 1, "c": 1}, 0.5)
    found = graph.centralities({"a", "b", "c", "hub"}, graph.ties(edges, REGISTRY, PROVENANCE), hubs)
    assert max(found.values()) == 1.0
    assert found["hub"] < found["b"]


@given(st.lists(st.floats(0, 0.999), max_size=30), st.floats(0, 1))
def test_the_sum_saturates_below_1_and_is_at_least_its_largest_value(values: list[float], further: float) -> None:
    ordered = sorted(values, reverse=True)
    total = graph.saturating_sum(ordered, further)
    assert max(ordered, default=0.0) - 1e-12 <= total <= 1.0


def test_each_further_linking_note_counts_less() -> None:
    one, two, three = (graph.saturating_sum([0.4] * count, 0.25) for count in (1, 2, 3))
    assert one < two < three < 0.4 + 0.4 * 0.25 + 0.4 * 0.25**2


def test_the_reached_notes_come_most_strongly_tied_first() -> None:
    ties = graph.ties([edge("a#c01", "b"), edge("a#c01", "c", "depends_on"), edge("x#c01", "y")], REGISTRY, PROVENANCE)
    assert graph.strongest_targets(ties, sources={"a"}, known={"a"}) == ["c", "b"]


class TestHubs:
    """A note that more than a hundred notes name says little about any of them, and reading its edges takes time."""

    def _ties(self, linking: int) -> list[dict[str, Any]]:
        world = World(embedder=NoEmbedder()).note("hub", "Kohl.").note("beet", "Kohl.")
        for number in range(linking):
            world.note(f"n{number}", "Wort.").link(f"n{number}#c01", "hub", "related_to")
            world.link("hub", f"n{number}", "backlink", provenance="structure")
        world.note("freund", "Wort.").link("freund#c01", "beet", "related_to")
        world.link("beet", "freund", "backlink", provenance="structure")
        store = ServerStore(":memory:", "test")
        world.fill(store)
        with store.reader() as reader:
            return list(graph.edges_to_all_but_hubs(reader, ["hub", "beet"], ["related_to"]))

    def test_edges_to_a_hub_are_left_out(self) -> None:
        assert [edge["target_id"] for edge in self._ties(201)] == ["beet"]

    def test_edges_to_other_notes_are_all_there(self) -> None:
        assert len(self._ties(40)) == 41

    def test_no_notes_or_no_kinds_have_no_edges(self) -> None:
        assert graph.edges_to_all_but_hubs(None, [], ["related_to"]) == []  # type: ignore[arg-type] - never asked
