from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core.edges import derive_edges
from mindnet_pipeline.core.resolve import NoteIndex
from mindnet_pipeline_tests.core.link_vaults import REGISTRY, content_edges, graph_of, random_vault

CASES = Path(__file__).parent / "fixtures" / "links" / "edges.txt"


@dataclass(frozen=True)
class Case:
    title: str
    files: dict[str, str]
    edges: dict[str, str]
    findings: dict[str, str]


def load_cases() -> list[Case]:
    cases = []
    for text in CASES.read_text(encoding="utf-8").split("\n@@@ ")[1:]:
        title, *parts = (text + "\n").split("\n@@ ")
        named = [part.partition("\n")[::2] for part in parts]
        files = {name: body for name, body in named if " of " not in name}
        told = {name: body.strip() for name, body in named if " of " in name}
        edges = {name.removeprefix("edges of "): body for name, body in told.items() if name.startswith("edges")}
        findings = {name.removeprefix("findings of "): body for name, body in told.items() if name.startswith("find")}
        cases.append(Case(title.strip(), {name: body + "\n" for name, body in files.items()}, edges, findings))
    return cases


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.title)
def test_text_gives_these_edges(case: Case):
    graph = graph_of(case.files)
    assert {path: "\n".join(content_edges(graph, path)) for path in case.edges} == case.edges
    for path, expected in case.findings.items():
        findings = graph.derived[path].findings
        assert "\n".join(f"{each.line} {each.code} {each.message}" for each in findings) == expected


def structure(graph, path: str, kind: str) -> list[tuple[str, str, str, str]]:
    edges = [edge for edge in graph.derived[path].edges if edge.kind == kind]
    return [(edge.source_id, edge.target_id, edge.scope, edge.note_id) for edge in edges]


THREE_SECTIONS = "## Eins\n\na\n\n## Zwei\n\nb\n\n## Drei\n\nc\n"


def test_every_chunk_belongs_to_its_note_and_knows_its_neighbours():
    graph = graph_of({"a.md": THREE_SECTIONS})
    assert structure(graph, "a.md", "belongs_to") == [(f"a#c0{n}", "a", "chunk", "a") for n in (1, 2, 3)]
    assert structure(graph, "a.md", "next") == [("a#c01", "a#c02", "chunk", "a"), ("a#c02", "a#c03", "chunk", "a")]
    assert structure(graph, "a.md", "prev") == [("a#c02", "a#c01", "chunk", "a"), ("a#c03", "a#c02", "chunk", "a")]


def test_structure_is_certain():
    graph = graph_of({"a.md": THREE_SECTIONS})
    edges = graph.edges
    assert {(e.provenance, e.confidence, e.status, e.rule_id == f"structure:{e.kind}") for e in edges} == {
        ("structure", 1.0, "ok", True)
    }


def test_backlinks_come_from_every_other_note_that_the_body_names_and_are_owned_by_the_namer():
    body = "---\nup: '[[d]]'\n---\n[[b]] [[b#x]] [[a]] [[fehlt]]\n\n## Zwei\n\n[[b]] [[rel:depends_on c]]\n"
    graph = graph_of({"a.md": body, "b.md": "x", "c.md": "x", "d.md": "x"})
    assert structure(graph, "a.md", "backlink") == [("b", "a", "note", "a"), ("c", "a", "note", "a")]


def test_a_stop_section_gives_no_backlinks():
    graph = graph_of({"a.md": "Text.\n\n## Mögliche Verbindungen\n\n[[b]]\n", "b.md": "x"})
    assert structure(graph, "a.md", "backlink") == []


def test_references_of_the_note_itself_and_its_sections_are_an_option():
    files = {"a.md": "---\nchef: '[[b]]'\n---\n## Eins\n\n[[b#x]]\n\n## Zwei\n\n[[b]] [[c]]\n", "b.md": "x"}
    graph = graph_of(files, note_scope_references=True)
    assert [line for line in content_edges(graph, "a.md") if line.startswith("note")] == [
        "note references explicit:wikilink 1 -> b.md #x also frontmatter:chef",
        "note references explicit:wikilink 1 -> ?c",
    ]
    assert structure(graph, "a.md", "has_section") == [("a", "a#c01", "note", "a"), ("a", "a#c02", "note", "a")]


def test_a_project_depends_on_what_it_names():
    graph = graph_of(
        {
            "projekt.md": "---\nid: suche\ntype: project\n---\nBaut auf [[rel:depends_on Qdrant Vektordatenbank]].\n"
            "Siehe [[Embeddings 101]].\n\n> [!edge] related_to: [[Vector DB Basics]]\n",
            "Qdrant Vektordatenbank.md": "x",
            "Embeddings 101.md": "x",
            "Vector DB Basics.md": "x",
        }
    )
    default = "edge_defaults:project"
    assert content_edges(graph, "projekt.md") == [
        f"c01 depends_on inline:rel 0.95 -> Qdrant Vektordatenbank.md also {default}:depends_on",
        f"c01 references explicit:wikilink 1 -> Embeddings 101.md also {default}:references",
        "c01 related_to callout:edge 0.9 -> Vector DB Basics.md",
        f"c01 references {default}:references 0.7 -> Qdrant Vektordatenbank.md",
        f"c01 depends_on {default}:depends_on 0.7 -> Embeddings 101.md",
        f"c01 depends_on {default}:depends_on 0.7 -> Vector DB Basics.md",
        f"c01 references {default}:references 0.7 -> Vector DB Basics.md",
    ]


def test_a_certain_link_goes_before_a_doubtful_one_to_the_same_note():
    graph = graph_of({"a.md": "[[KI]] und [[Lernen|KI]]", "Lernen.md": "---\naliases: KI\n---\nx"})
    assert content_edges(graph, "a.md") == ['c01 references explicit:wikilink 1 -> Lernen.md "KI"']


def test_the_factor_for_doubtful_links_can_be_chosen():
    graph = graph_of({"a.md": "[[KI]]", "Lernen.md": "---\naliases: KI\n---\nx"}, weak_resolution_factor=0.5)
    assert content_edges(graph, "a.md") == ["c01 references explicit:wikilink 0.5 -> Lernen.md by alias"]


def test_a_link_lies_in_the_chunk_whose_text_holds_it_whatever_the_line_ends():
    for newline in ("\n", "\r\n", "\r"):
        body = "\ufeff---\nid: a\n---\n## Eins\n\nä [[b]]\n\n## Zwei\n\n😀 [[c]]\n".replace("\n", newline)
        graph = graph_of({"a.md": body, "b.md": "x", "c.md": "x"})
        assert content_edges(graph, "a.md") == [
            "c01 references explicit:wikilink 1 -> b.md",
            "c02 references explicit:wikilink 1 -> c.md",
        ]


def test_a_finding_says_the_line_in_the_file():
    for newline in ("\n", "\r\n", "\r"):
        body = "---\nid: a\n---\n\n[[rel:foo b]]\n".replace("\n", newline)
        assert [finding.line for finding in graph_of({"a.md": body}).derived["a.md"].findings] == [5]


def test_new_files_change_where_an_unchanged_note_leads_and_back():
    before = {"a.md": "[[Neu]] und [[Beet]]", "tief/unten/Beet.md": "x"}
    after = {**before, "Neu.md": "x", "k/Beet.md": "x"}
    assert content_edges(graph_of(before), "a.md") == [
        "c01 references explicit:wikilink 1 -> ?Neu",
        "c01 references explicit:wikilink 1 -> tief/unten/Beet.md",
    ]
    assert content_edges(graph_of(after), "a.md") == [
        "c01 references explicit:wikilink 1 -> Neu.md",
        "c01 references explicit:wikilink 1 -> k/Beet.md ambiguous",
    ]


def test_edges_are_sorted_and_do_not_depend_on_the_order_of_links():
    graph = graph_of({"a.md": "[[b]] [[c]] [[rel:depends_on b]]", "b.md": "x", "c.md": "x"})
    edges = graph.derived["a.md"].edges
    keys = [(e.source_id, e.scope, e.kind, e.target_id, e.rule_id) for e in edges]
    assert keys == sorted(keys)


def test_a_note_without_chunks_has_no_edges_of_its_body():
    graph = graph_of({"a.md": "[[b]]", "b.md": "x"})
    assert derive_edges(graph.notes["a.md"], [], NoteIndex([]), REGISTRY).edges == ()


@given(st.integers(0, 2**48))
@settings(max_examples=25, deadline=None)
def test_one_edge_for_each_source_target_kind_and_scope(seed: int):
    edges = graph_of(random_vault(seed)).edges
    assert len({(e.source_id, e.target_id, e.kind, e.scope) for e in edges}) == len(edges)
    assert len({e.edge_id for e in edges}) == len(edges)


@given(st.integers(0, 2**48))
@settings(max_examples=25, deadline=None)
def test_no_stated_rule_is_stronger_than_the_one_that_made_the_edge(seed: int):
    order = ["inline", "callout", "explicit", "frontmatter", "edge_defaults"]
    for edge in graph_of(random_vault(seed)).edges:
        ranks = [
            order.index(rule.partition(":")[0]) for rule in (edge.rule_id, *edge.also_by) if "structure" not in rule
        ]
        assert ranks == sorted(ranks)
        assert edge.rule_id not in edge.also_by


@given(st.integers(0, 2**48))
@settings(max_examples=15, deadline=None)
def test_the_order_of_files_does_not_change_the_edges(seed: int):
    files = random_vault(seed)
    backwards = dict(reversed(files.items()))
    assert graph_of(files).derived == graph_of(backwards).derived
