"""Filters as people write them, on a small vault in a real store."""

from __future__ import annotations

import pytest

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.retrieval.filters import Filters
from mindnet_pipeline.retrieval.retriever import Retriever
from mindnet_pipeline_tests.retrieval.worlds import World


@pytest.fixture(scope="module")
def retriever() -> Retriever:
    world = World()
    world.note("beet", "Kohl im Beet", path="Garten/Beet/beet.md", tags=["garten/beet"], created="2025-03-05")
    world.note(
        "laube", "Kohl vor der Laube", path="Garten/laube.md", tags=["Garten"], type="project", created="2024-12-31"
    )
    world.note("auto", "Kohl im Auto", path="Gartenlaube/auto.md", tags=["gartenfest"], lang="en", created="")
    world.note(
        "plan",
        "Kohl nach Plan",
        path="plan.md",
        frontmatter={"Status": "Aktiv", "rank": 3, "done": True, "who": ["Ada"]},
    )
    return world.retriever(results={"max_per_note": 5})


@pytest.mark.parametrize(
    ("filters", "notes"),
    [
        (Filters(types=("Project",)), {"laube"}),
        (Filters(types=("project", "concept")), {"beet", "laube", "auto", "plan"}),
        (Filters(tags=("garten",)), {"beet", "laube"}),
        (Filters(tags=("#Garten/Beet",)), {"beet"}),
        (Filters(folders=("Garten",)), {"beet", "laube"}),
        (Filters(folders=("garten/beet/", "Gartenlaube")), {"beet", "auto"}),
        (Filters(folders=(".",)), {"beet", "laube", "auto", "plan"}),
        (Filters(notes=("Garten/Beet/beet.md",)), {"beet"}),
        (Filters(notes=("Plan", "auto")), {"plan", "auto"}),
        (Filters(langs=("EN",)), {"auto"}),
        (Filters(since="2025"), {"beet", "plan"}),
        (Filters(until="2024-12"), {"laube"}),
        (Filters(since="2025-03-05", until="2025-03-05"), {"beet"}),
        (Filters(where={"status": "aktiv"}), {"plan"}),
        (Filters(where={"rank": "3", "done": "true", "who": "Ada"}), {"plan"}),
        (Filters(folders=("Garten",), types=("project",)), {"laube"}),
    ],
    ids=lambda value: str(value) if isinstance(value, Filters) else "",
)
def test_a_filter_leaves_exactly_the_notes_that_meet_it(
    retriever: Retriever, filters: Filters, notes: set[str]
) -> None:
    result = retriever.search("Kohl", filters=filters)
    assert {hit.note_id for hit in result.hits} == notes


class TestLanguagesOfAMixedNote:
    """A note has one language, each of its chunks the one it is written in."""

    @pytest.fixture
    def retriever(self) -> Retriever:
        world = World().note("garten", "Kohl im Garten.", "Cabbage in a garden.", langs=("de", "en"), lang="de")
        return world.retriever()

    @pytest.mark.parametrize(("lang", "chunk"), [("de", "garten#c01"), ("EN", "garten#c02")])
    def test_each_of_its_languages_finds_the_chunks_in_it(self, retriever: Retriever, lang: str, chunk: str) -> None:
        hits = retriever.search("Kohl, cabbage, Garten, garden", filters=Filters(langs=(lang,))).hits
        assert [hit.chunk_id for hit in hits] == [chunk]

    def test_another_language_is_refused_with_all_that_there_are(self, retriever: Retriever) -> None:
        with pytest.raises(QueryError, match=r"language `fr`.*There are: de, en"):
            retriever.search("Kohl", filters=Filters(langs=("fr",)))


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (Filters(types=("projekt",)), r"type `projekt`.*Did you mean `project`"),
        (Filters(tags=("xyz",)), r"tag `xyz`.*There are: Garten, garten/beet, gartenfest"),
        (Filters(folders=("Gerten",)), r"folder `Gerten`.*Did you mean `Garten`"),
        (Filters(notes=("nichts dergleichen",)), "note `nichts dergleichen`"),
        (Filters(langs=("fr",)), r"language `fr`.*There are: de, en"),
        (Filters(where={"stats": "x"}), r"frontmatter key `stats`.*Did you mean `Status`"),
        (Filters(where={"status": "fertig"}), r"Status.*`fertig`.*There are: Aktiv"),
        (Filters(since="gestern"), r"^since: `gestern` is not a date. Write 2024, 2024-03,"),
        (Filters(until="5.3.2025"), r"^until: `5.3.2025` is not a date"),
    ],
    ids=lambda value: str(value) if isinstance(value, Filters) else "",
)
def test_a_filter_that_no_note_meets_names_what_there_is(retriever: Retriever, filters: Filters, message: str) -> None:
    with pytest.raises(QueryError, match=message):
        retriever.search("Kohl", filters=filters)


def test_a_vault_without_dates_says_what_would_be_one() -> None:
    undated = World().note("beet", "Kohl", created="").note("laube", "Kohl", created="im März").retriever()
    (notice,) = undated.search("Kohl", filters=Filters(since="2025")).notices
    assert "`created: 2024-03-05`, nicht das Datum der Datei" in notice


def test_dates_that_are_there_but_too_old_are_no_vault_without_dates(retriever: Retriever) -> None:
    assert retriever.search("Kohl", filters=Filters(since="2030")).notices == (
        "Keine Notiz erfüllt alle Filter zusammen.",
    )


def test_no_filter_is_empty() -> None:
    assert not Filters()
    assert Filters(since="2025")
