"""From files to hits: what the chunks of real notes make of a search. Without an embedding model, for speed."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.retriever import open_retriever
from mindnet_pipeline_tests.engine.vaults import pipeline_of, write_vault

Search = Callable[..., SearchResult]


@pytest.fixture
def search(tmp_path: Path) -> Search:
    """Index the files and ask."""

    def ask(files: dict[str, str], question: str, limit: int = 5) -> SearchResult:
        (tmp_path / "vault").mkdir()
        write_vault(tmp_path / "vault", files)
        pipeline = pipeline_of(tmp_path / "vault", tmp_path / "data")
        sync_once(pipeline)
        with open_retriever(pipeline.settings) as retriever:
            return retriever.search(question, limit=limit, explain=True)

    return ask


def test_neighbours_of_a_long_note_leave_room_for_a_short_one(search: Search) -> None:
    filling = "Noch ein Satz, der diesen Absatz länger macht als alle anderen.\n\n" * 60
    long = f"## Brot\n\nDas Rezept für Quarkbrot steht genau hier.\n\n{filling}Und zum Schluss wieder Quarkbrot.\n"
    result = search({"lang.md": long, "kurz.md": "Auch Quarkbrot, aber kurz.\n"}, "Quarkbrot", limit=2)
    assert {hit.path for hit in result.hits} == {"lang.md", "kurz.md"}


def test_no_hit_says_the_same_as_another(search: Search) -> None:
    filling = "\n\n".join(f"Der Satz Nummer {number} füllt hier einen Absatz und sonst nichts." for number in range(80))
    result = search({"lang.md": f"## Brot\n\nQuarkbrot steht hier.\n\n{filling}\n\nQuarkbrot am Ende.\n"}, "Quarkbrot")
    spans = sorted((hit.char_start, hit.char_end) for hit in result.hits)
    assert len(spans) > 1
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))


@pytest.mark.parametrize(
    "note",
    [
        "---\ntitle: Rezepte für Quarkbrot\n---\nMehl und Wasser.\n",
        "---\naliases: [Quarkbrot]\n---\nMehl und Wasser.\n",
        "## Quarkbrot\n\nMehl und Wasser.\n",
    ],
    ids=["title", "alias", "heading"],
)
def test_a_word_of_a_title_an_alias_or_a_heading_finds_the_note(search: Search, note: str) -> None:
    result = search({"a.md": note, "b.md": "Mehl und Wasser und Salz.\n"}, "Quarkbrot")
    assert [hit.path for hit in result.hits] == ["a.md"]


def test_an_empty_note_is_no_hit_and_no_obstacle(search: Search) -> None:
    result = search({"leer.md": "", "a.md": "Quarkbrot.\n"}, "Quarkbrot")
    assert [hit.path for hit in result.hits] == ["a.md"]


def test_a_link_in_the_file_is_a_reason_of_the_hit(search: Search) -> None:
    files = {
        "plan.md": "Das Quarkbrot [[rel:depends_on Mehl]].\n",
        "Mehl.md": "Korn für Brot, fein gemahlen: Quarkbrot.\n",
    }
    hit = next(hit for hit in search(files, "Quarkbrot").hits if hit.path == "Mehl.md")
    assert any("hängt ab von" in reason and "‚plan‘" in reason for reason in hit.explanation.reasons)
