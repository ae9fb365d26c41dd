from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core import invariants
from mindnet_pipeline.core.invariants import check_graph, no_window_is_truncated, store_matches_tables
from mindnet_pipeline_tests.core.link_vaults import REGISTRY, graph_of, random_vault

Tables = tuple[dict[str, list[Any]], dict[str, list[Any]], dict[str, list[Any]]]

FILES = {
    "a.md": "---\nid: a\ntype: project\n---\n## Eins\n\n[[b]] [[b#x]] [[fehlt]] [[rel:depends_on c]]\n\n"
    "## Zwei\n\n[[b]] (related_to:: [[c]])\n\n## Mögliche Verbindungen\n\n[[c]]\n",
    "b.md": "Text [[a]].\n",
    "c.md": "---\nup: '[[b]]'\n---\n",
    "d.md": "---\ntype: thought\n---\n![[KI]] [x](b.md) [[d]]\n",
    "e.md": "---\naliases: [KI]\n---\n> [!edge] related_to: [[a]], [[rel:next b]]\n",
}


def tables() -> Tables:
    return graph_of(FILES).columns()


def red(tables: Tables) -> set[str]:
    return {report.name for report in check_graph(*tables, registry=REGISTRY) if not report.passed}


def row_of(columns: dict[str, list[Any]], **wanted: Any) -> int:
    """The first row with these values."""
    count = len(next(iter(columns.values())))
    return next(row for row in range(count) if all(columns[name][row] == value for name, value in wanted.items()))


def drop(columns: dict[str, list[Any]], row: int) -> None:
    for column in columns.values():
        del column[row]


def repeat(columns: dict[str, list[Any]], row: int, **changed: Any) -> None:
    for name, column in columns.items():
        column.append(changed.get(name, column[row]))


def test_everything_holds_of_derived_data():
    assert red(tables()) == set()


@given(st.integers(0, 2**48), st.booleans())
@settings(max_examples=40, deadline=None)
def test_everything_holds_of_any_vault(seed: int, note_scope: bool):
    graph = graph_of(random_vault(seed), note_scope_references=note_scope)
    assert red(graph.columns()) <= {"note_ids_are_declared_once"}


def test_an_empty_vault_is_in_order():
    assert red(graph_of({}).columns()) == set()


def test_every_report_has_a_name_of_its_own_and_counts():
    reports = check_graph(*tables(), registry=REGISTRY)
    assert len({report.name for report in reports}) == len(reports)
    assert all(report.expected == report.found and report.description for report in reports)


SOWN: dict[str, tuple[Callable[[Tables], None], set[str]]] = {
    "a belongs_to edge is lost": (
        lambda t: drop(t[2], row_of(t[2], kind="belongs_to")),
        {"belongs_to_edges_match_chunks"},
    ),
    "a belongs_to edge leads to another note": (
        lambda t: t[2]["target_id"].__setitem__(row_of(t[2], kind="belongs_to", source_id="a#c01"), "b"),
        {"belongs_to_edges_match_chunks"},
    ),
    "a next edge is lost": (
        lambda t: drop(t[2], row_of(t[2], kind="next")),
        {"next_and_prev_edges_match_neighbours"},
    ),
    "a prev edge leads forward": (
        lambda t: t[2]["target_id"].__setitem__(row_of(t[2], kind="prev", source_id="a#c02"), "a#c03"),
        {"next_and_prev_edges_match_neighbours"},
    ),
    "a reference is lost": (
        lambda t: drop(t[2], row_of(t[2], kind="references", source_id="a#c02", target_id="b")),
        {"references_match_distinct_targets_per_chunk", "explicit_edges_match_written_links"},
    ),
    "a reference is made up": (
        lambda t: repeat(t[2], row_of(t[2], kind="references", source_id="b#c01"), target_id="c", edge_id="new"),
        {"references_match_distinct_targets_per_chunk", "explicit_edges_match_written_links"},
    ),
    "a typed relation is lost": (
        lambda t: drop(t[2], row_of(t[2], kind="depends_on", rule_id="inline:rel")),
        {"explicit_edges_match_written_links"},
    ),
    "a default leads where no link leads": (
        lambda t: t[2]["target_id"].__setitem__(row_of(t[2], provenance="rule", source_id="d#c01", target_id="b"), "c"),
        {"every_default_edge_has_a_written_link"},
    ),
    "a backlink is lost": (
        lambda t: drop(t[2], row_of(t[2], kind="backlink")),
        {"backlinks_match_distinct_explicit_targets"},
    ),
    "a backlink comes from the note itself": (
        lambda t: repeat(t[2], row_of(t[2], kind="backlink"), source_id="d", target_id="d", edge_id="new"),
        {"backlinks_match_distinct_explicit_targets"},
    ),
    "a target has vanished": (
        lambda t: drop(t[0], row_of(t[0], note_id="c")),
        {
            "every_resolved_target_exists",
            "every_edge_owner_exists",
            "every_edge_source_exists",
            "explicit_edges_match_written_links",
            "backlinks_match_distinct_explicit_targets",
        },
    ),
    "an edge starts nowhere": (
        lambda t: t[2]["source_id"].__setitem__(row_of(t[2], rule_id="frontmatter:up"), "weg"),
        {"every_edge_source_exists"},
    ),
    "an edge has no owner": (
        lambda t: t[2]["note_id"].__setitem__(row_of(t[2], rule_id="frontmatter:up"), "weg"),
        {"every_edge_owner_exists"},
    ),
    "a missing note has come": (
        lambda t: t[0]["title"].__setitem__(row_of(t[0], note_id="b"), "fehlt"),
        {
            "every_unresolved_target_is_missing",
            "references_match_distinct_targets_per_chunk",
            "explicit_edges_match_written_links",
            "every_default_edge_has_a_written_link",
        },
    ),
    "two rules make one edge": (
        lambda t: repeat(t[2], row_of(t[2], rule_id="frontmatter:up"), rule_id="frontmatter:parent", edge_id="new"),
        {"edge_keys_are_unique"},
    ),
    "an edge is there twice": (
        lambda t: repeat(t[2], row_of(t[2], rule_id="frontmatter:up")),
        {"edge_keys_are_unique", "point_ids_are_unique"},
    ),
    "a confidence is above one": (
        lambda t: t[2]["confidence"].__setitem__(0, 1.01),
        {"confidences_are_probabilities"},
    ),
    "a confidence is no number": (
        lambda t: t[2]["confidence"].__setitem__(0, float("nan")),
        {"confidences_are_probabilities"},
    ),
    "a confidence is missing": (
        lambda t: t[2]["confidence"].__setitem__(0, None),
        {"confidences_are_probabilities"},
    ),
    "a chunk's text has changed": (
        lambda t: t[1]["text"].__setitem__(0, "anders"),
        {"chunks_join_to_fulltext"},
    ),
    "a chunk says another place": (
        lambda t: t[1]["char_end"].__setitem__(row_of(t[1], chunk_id="b#c01"), 3),
        {
            "chunks_join_to_fulltext",
            "references_match_distinct_targets_per_chunk",
            "explicit_edges_match_written_links",
            "backlinks_match_distinct_explicit_targets",
        },
    ),
    "a note's chunks are lost": (
        lambda t: drop(t[1], row_of(t[1], note_id="b")),
        {
            "chunks_join_to_fulltext",
            "belongs_to_edges_match_chunks",
            "every_edge_source_exists",
            "references_match_distinct_targets_per_chunk",
            "explicit_edges_match_written_links",
            "backlinks_match_distinct_explicit_targets",
        },
    ),
    "a chunk id is there twice": (
        lambda t: t[1]["chunk_id"].__setitem__(1, t[1]["chunk_id"][0]),
        {"chunk_ids_are_unique", "point_ids_are_unique", "belongs_to_edges_match_chunks"},
    ),
    "a chunk has no note": (
        lambda t: t[1]["note_id"].__setitem__(row_of(t[1], note_id="b"), "weg"),
        {"every_chunk_note_exists", "chunks_join_to_fulltext", "belongs_to_edges_match_chunks"},
    ),
    "a note is there twice": (
        lambda t: repeat(t[0], row_of(t[0], note_id="c")),
        {"note_ids_are_unique", "point_ids_are_unique"},
    ),
    "two notes are of one file": (
        lambda t: repeat(t[0], row_of(t[0], note_id="c"), note_id="c~2"),
        {"note_paths_are_unique"},
    ),
}


@pytest.mark.parametrize("sown", SOWN)
def test_what_is_sown_is_found(sown: str):
    sow, expected = SOWN[sown]
    found = tables()
    sow(found)
    assert expected <= red(found)


def test_every_check_is_red_for_something_sown():
    reports = {report.name for report in check_graph(*tables(), registry=REGISTRY)}
    assert reports - {name for _, names in SOWN.values() for name in names} == {"note_ids_are_declared_once"}


def test_a_contested_id_is_reported_with_the_file_that_must_change():
    graph = graph_of({"x.md": "---\nid: gleich\n---\nX", "y.md": "---\nid: gleich\n---\nY"})
    report = invariants.note_ids_are_declared_once(graph.columns()[0])
    assert [violation.message for violation in report.violations] == [
        "y.md: the id `gleich` belongs to another note already."
    ]
    assert (report.expected, report.found) == (2, 1)


def test_an_id_with_a_tilde_is_no_contested_id():
    graph = graph_of({"x.md": "---\nid: gleich~deadbeef\n---\nX"})
    assert invariants.note_ids_are_declared_once(graph.columns()[0]).passed


def test_violations_are_sorted_and_name_the_row():
    found = tables()
    found[2]["confidence"] = [2.0] * len(found[2]["confidence"])
    report = invariants.confidences_are_probabilities(found[2])
    subjects = [violation.subject_id for violation in report.violations]
    assert subjects == sorted(found[2]["edge_id"])
    assert report.found == 0


def test_a_remedy_is_given_only_where_something_is_wrong():
    for report in check_graph(*tables(), registry=REGISTRY):
        assert report.remedy == ""


def test_windows_read_whole_pass_and_cut_ones_are_named():
    report = no_window_is_truncated(["a#c01", "a#c02"], [100, 700], [100, 512])
    assert [violation.subject_id for violation in report.violations] == ["a#c02"]
    assert no_window_is_truncated(["a#c01"], [700], [700]).passed


def test_a_store_with_a_missing_and_a_foreign_point_differs_from_the_tables():
    table_ids = {"notes": ["a", "b"], "chunks": ["a#c01"], "edges": []}
    report = store_matches_tables(table_ids, {"notes": {"a", "weg"}, "chunks": {"a#c01"}, "edges": set()})
    assert [(v.subject_id, v.message) for v in report.violations] == [
        ("notes b", "1 missing."),
        ("notes weg", "1 too many."),
    ]
    assert store_matches_tables(table_ids, {"notes": {"a", "b"}, "chunks": {"a#c01"}, "edges": set()}).passed
