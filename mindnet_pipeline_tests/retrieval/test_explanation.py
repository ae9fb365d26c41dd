"""Reasons: whole sentences, German and English, true of this hit and of no other."""

from __future__ import annotations

import pytest

from mindnet_pipeline.core.model import Hit, Related
from mindnet_pipeline.retrieval.phrases import ENGLISH, GERMAN
from mindnet_pipeline_tests.retrieval.worlds import World


def reasons(world: World, question: str, note_id: str, language: str = "de") -> tuple[str, ...]:
    return explained(world, question, note_id, language).explanation.reasons


def explained(world: World, question: str, note_id: str, language: str = "de") -> Hit:
    hits = world.retriever(language).search(question, explain=True).hits
    return next(hit for hit in hits if hit.note_id == note_id)


@pytest.fixture
def garden() -> World:
    world = World().note("beet", "Kohl wächst im Beet.", type="decision").note("plan", "Kohl im Plan.", type="project")
    world.note("rest", "Motor und Öl.").note("tag", "Heute Kohl gegessen.", type="journal")
    return world.link("plan#c01", "beet", "depends_on")


def test_similarity_is_said_in_words_and_as_a_number(garden: World) -> None:
    assert "Sehr hohe textuelle Übereinstimmung (1,00)." in reasons(garden, "Kohl wächst im Beet", "beet")
    assert "Very close to the question in meaning (1.00)." in reasons(garden, "Kohl wächst im Beet", "beet", "en")


def test_a_preferred_type_is_named(garden: World) -> None:
    assert "Bevorzugt, da Entscheidung." in reasons(garden, "Kohl", "beet")
    assert "Preferred as a decision." in reasons(garden, "Kohl", "beet", "en")


def test_a_deferred_type_is_named(garden: World) -> None:
    assert "Etwas zurückgestellt, da Tagebuch." in reasons(garden, "Kohl", "tag")


def test_a_link_from_a_relevant_hit_is_named_with_its_kind(garden: World) -> None:
    expected = "Aufgewertet, weil passende Notizen hierher führen: das Projekt ‚Plan‘ (hängt ab von)."
    assert expected in reasons(garden, "Kohl", "beet")
    expected = "Lifted because relevant notes lead here: the project ‘Plan’ (depends on)."
    assert expected in reasons(garden, "Kohl", "beet", "en")


def test_linked_notes_are_given_from_both_sides(garden: World) -> None:
    assert explained(garden, "Kohl", "beet").explanation.related == (Related("plan", "Plan", "depends_on", False),)
    assert explained(garden, "Kohl", "plan").explanation.related == (Related("beet", "Beet", "depends_on", True),)


def test_a_hub_says_where_it_leads(garden: World) -> None:
    assert "Ausgehende Verweise: die Entscheidung ‚Beet‘ (hängt ab von)." in reasons(garden, "Kohl", "plan")


def test_an_authority_says_how_many_notes_refer_to_it() -> None:
    world = (
        World().note("ziel", "Kohl im Garten.").note("a", "Motor.", type="project").note("b", "Öl.").note("c", "Rad.")
    )
    for source, kind in (("a#c01", "depends_on"), ("b#c01", "references"), ("c#c01", "references")):
        world.link(source, "ziel", kind)
    options = {"candidates": {"seeds": 1}}
    hit = next(h for h in world.retriever(**options).search("Kohl Garten", explain=True).hits if h.note_id == "ziel")
    assert "Wird von 3 Notizen referenziert, darunter das Projekt ‚A‘ (hängt ab von)." in hit.explanation.reasons


def test_a_link_to_a_heading_names_the_section() -> None:
    world = World().note("plan", "Kohl im Plan.").note("beet", "Erde.", "Kohl im Beet.", sections=("", "Gemüse"))
    world.link("plan#c01", "beet", target_section="Gemüse")
    assert any("zum Abschnitt ‚Gemüse‘" in reason for reason in reasons(world, "Kohl", "beet"))


@pytest.mark.parametrize("subpath", ["Gibt es nicht", "^absatz"])
def test_what_is_no_heading_of_the_hit_is_not_named_as_its_section(subpath: str) -> None:
    world = World().note("plan", "Kohl im Plan.").note("beet", "Kohl im Beet. ^absatz", sections=("Gemüse",))
    world.link("plan#c01", "beet", target_section=subpath)
    expected = "Aufgewertet, weil passende Notizen hierher führen: das Konzept ‚Plan‘ (verweist auf)."
    assert expected in reasons(world, "Kohl", "beet")


def test_a_section_is_named_only_if_all_that_lift_the_hit_name_it() -> None:
    world = World().note("plan", "Kohl.").note("beet", "Kohl im Beet.", sections=("Gemüse",))
    world.note("rat", "Kohl, wie man ihn isst.").link("plan#c01", "beet", target_section="Gemüse").link(
        "rat#c01", "beet"
    )
    lifted = next(reason for reason in reasons(world, "Kohl", "beet") if reason.startswith("Aufgewertet"))
    assert "hierher" in lifted


def test_matched_words_are_given_as_they_stand_in_the_note() -> None:
    world = World().note("haus", "Die Häuser am See sind alt.").note("auto", "Motor.")
    hit = explained(world, "Welches Haus steht am See?", "haus")
    assert hit.explanation.matched_words == ("Haus", "Häuser", "See")
    assert "Gemeinsame Wörter: Haus, Häuser, See." in hit.explanation.reasons


def test_no_word_in_common_gives_no_sentence_about_words() -> None:
    world = World().note("amsel", "Sie singt.").note("auto", "Motor.")
    assert not any("Wörter" in reason for reason in reasons(world, "vogel", "amsel"))


def test_the_same_text_elsewhere_is_named_once() -> None:
    text = "Kohl braucht viel Wasser und gute Erde."
    world = World().note("a", text).note("b", text).note("c", "Motor.")
    hits = world.retriever().search("Kohl Wasser", explain=True).hits
    (shown,) = [hit for hit in hits if "Kohl" in hit.text]
    other = {"A": "B", "B": "A"}[shown.title]
    assert f"Derselbe Text steht auch in ‚{other}‘." in shown.explanation.reasons


def test_a_list_of_links_says_that_links_count_less_here() -> None:
    world = World().note("liste", "- [[Kohl]]\n- [[Garten]]\n").note("a", "Kohl im Garten.")
    assert any("Liste von Links" in reason for reason in reasons(world, "Kohl Garten", "liste"))


@pytest.mark.parametrize("phrases", [GERMAN, ENGLISH], ids=["de", "en"])
def test_every_level_of_similarity_has_its_words(phrases) -> None:
    said = [phrases.similarity(value) for value in (0.0, 0.4, 0.65, 0.85)]
    assert len(set(said)) == 4
    assert all(sentence.endswith(".") for sentence in said)


def test_many_notes_are_listed_up_to_three_and_counted() -> None:
    named = [("‚A‘", "stützt"), ("‚B‘", "stützt"), ("‚C‘", "löst")]
    assert (
        GERMAN.refers(named, 5) == "Ausgehende Verweise: ‚A‘ (stützt), ‚B‘ (stützt), ‚C‘ (löst) und 2 weitere Notizen."
    )
    assert ENGLISH.refers(named[:2], 3) == "Refers to ‚A‘ (stützt), ‚B‘ (stützt) and one more note."


def test_a_type_of_the_users_own_follows_the_title() -> None:
    assert GERMAN.note("rezept", "Rezept", "Quarkbrot") == "‚Quarkbrot‘ [Rezept]"


def test_of_many_notes_that_lift_a_hit_three_are_named_and_all_counted() -> None:
    world = World().note("ziel", "Kohl.", "Noch etwas Text.")
    for number in range(5):
        world.note(f"quelle{number}", f"Kohl und Salat, Fassung {number}.").link(f"quelle{number}#c01", "ziel")
    lifted = next(reason for reason in reasons(world, "Kohl Salat", "ziel") if reason.startswith("Aufgewertet"))
    assert lifted.count("das Konzept") == 3
    assert lifted.endswith("und 2 weitere Notizen.")


def test_of_a_hub_a_note_among_the_hits_is_named_and_all_are_counted() -> None:
    world = World().note("ziel", "Kohl im Garten.").note("nah", "Kohl im Garten der Oma.", type="project")
    for number in range(40):
        world.note(f"fern{number}", f"Motor Nummer {number}.").link(f"fern{number}#c01", "ziel")
        world.link("ziel", f"fern{number}", "backlink", provenance="structure")
    world.link("nah#c01", "ziel").link("ziel", "nah", "backlink", provenance="structure")
    options = {"candidates": {"seeds": 1}, "results": {"limit": 2}}
    hit = next(h for h in world.retriever(**options).search("Kohl Garten", explain=True).hits if h.note_id == "ziel")
    assert any("41 Notizen" in r and "das Projekt ‚Nah‘" in r for r in hit.explanation.reasons)
