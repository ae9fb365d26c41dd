"""Made-up vaults: the same seed gives the same bytes, links are as in real vaults, questions have their answers."""

from __future__ import annotations

import statistics
from collections import Counter
from pathlib import Path

import pytest
import yaml

from mindnet_pipeline.core.ids import path_id
from mindnet_pipeline.core.notes import parse_note
from mindnet_pipeline.core.resolve import NoteIndex, names_of
from mindnet_pipeline.make_vault import main, write_vault
from mindnet_pipeline.making.chance import chance
from mindnet_pipeline.making.compose import compose_note, fact
from mindnet_pipeline.making.plan import NotePlan, plan_vault
from mindnet_pipeline.making.questions import questions
from mindnet_pipeline.making.slots import Slots
from mindnet_pipeline.making.words import ASPECTS, SETTINGS, THEMES, rare_name
from mindnet_pipeline.settings import load_settings

NOTES = 600


@pytest.fixture(scope="module")
def plan() -> list[NotePlan]:
    return plan_vault(3, NOTES)


@pytest.fixture(scope="module")
def texts(plan: list[NotePlan]) -> list[str]:
    return [compose_note(note, plan, 3) for note in plan]


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.md")}


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    write_vault(tmp_path / "a", 60, seed=5)
    write_vault(tmp_path / "b", 60, seed=5)
    assert _files(tmp_path / "a") == _files(tmp_path / "b")


def test_another_seed_gives_another_vault(plan: list[NotePlan]) -> None:
    assert {note.path for note in plan} != {note.path for note in plan_vault(4, NOTES)}


def test_every_note_has_a_path_and_a_rare_name_of_its_own(plan: list[NotePlan]) -> None:
    assert len({note.path for note in plan}) == len({note.name for note in plan}) == NOTES


@pytest.mark.slow  # plans a vault of 83,000 notes
def test_paths_stay_distinct_when_the_subjects_repeat() -> None:
    subjects = len(THEMES) * len(THEMES[0].things) * len(ASPECTS) * len(SETTINGS)
    paths = [note.path.casefold() for note in plan_vault(1, subjects + 500)]
    assert len(set(paths)) == len(paths)


def test_rare_names_never_collide() -> None:
    assert len({rare_name(number) for number in range(20_000)}) == 20_000


def test_all_shipped_types_occur(plan: list[NotePlan]) -> None:
    assert {note.type for note in plan} == set(load_settings({}).registry.types)


def test_german_and_english_are_mixed(plan: list[NotePlan]) -> None:
    share = Counter(note.lang for note in plan)["de"] / NOTES
    assert 0.55 < share < 0.75


def test_the_median_note_has_about_250_words(texts: list[str]) -> None:
    assert 200 < statistics.median(len(text.split()) for text in texts) < 330


def test_links_gather_in_hubs(plan: list[NotePlan]) -> None:
    incoming = Counter(link.target for note in plan for link in note.links)
    top = sum(count for _, count in incoming.most_common(NOTES // 20))
    assert top > 0.25 * incoming.total()


def test_links_stay_mostly_within_their_theme(plan: list[NotePlan]) -> None:
    same = [plan[link.target].theme is note.theme for note in plan for link in note.links]
    assert sum(same) > 0.6 * len(same)


def test_all_link_forms_are_written(plan: list[NotePlan], texts: list[str]) -> None:
    everything = "\n".join(texts)
    assert {link.form for note in plan for link in note.links} >= {"wikilink", "rel", "field", "callout", "broken"}
    for written in ("[[rel:depends_on ", "related_to:: [[", "> [!edge] ", "![[", '"[[', "%20", "#"):
        assert written in everything


def test_some_links_lead_nowhere(plan: list[NotePlan]) -> None:
    forms = Counter(link.form for note in plan for link in note.links)
    assert 0.01 < forms["broken"] / forms.total() < 0.06


def test_all_other_links_find_their_note(plan: list[NotePlan], texts: list[str]) -> None:
    registry = load_settings({}).registry
    parsed = [
        parse_note(note.path, text.encode(), note.note_id or path_id(note.path), registry)
        for note, text in zip(plan, texts, strict=True)
    ]
    index = NoteIndex(names_of(note) for note in parsed)
    for note, parsed_note in zip(plan, parsed, strict=True):
        lost = [link.target for link in parsed_note.links if index.resolve(link, note.path).target_id is None]
        assert len(lost) == sum(link.form == "broken" for link in note.links)


def test_no_slot_is_left_open(texts: list[str]) -> None:
    assert not any("{" in text or "}" in text for text in texts)


def test_an_unknown_slot_is_an_error(plan: list[NotePlan]) -> None:
    with pytest.raises(KeyError):
        "{nonsense}".format_map(Slots(plan[0], chance("test")))


def test_frontmatter_is_valid_yaml(texts: list[str]) -> None:
    heads = [text.split("---\n")[1] for text in texts if text.startswith("---\n")]
    assert all(isinstance(yaml.safe_load(head), dict) for head in heads)
    assert len(heads) > 0.9 * NOTES


def test_a_keyword_question_is_answered_by_its_note_alone(plan: list[NotePlan], texts: list[str]) -> None:
    keyword = [q for q in questions(3, NOTES, 40) if q.category == "keyword"]
    for question in keyword:
        note = next(n for n in plan if n.path == question.relevant[0][0])
        holders = [n.path for n, text in zip(plan, texts, strict=True) if fact(note, 3)[0] in text]
        assert holders == [note.path]


def test_a_linked_question_leads_from_the_named_note_to_the_answer(plan: list[NotePlan], texts: list[str]) -> None:
    by_path = {note.path: (note, text) for note, text in zip(plan, texts, strict=True)}
    for question in (q for q in questions(3, NOTES, 40) if q.category == "linked"):
        (answer, _), (source, _) = question.relevant
        assert f"[[rel:depends_on {by_path[answer][0].stem}]]" in by_path[source][1]
        assert by_path[source][0].name in question.question


def test_questions_come_in_equal_numbers_of_each_category() -> None:
    found = Counter(question.category for question in questions(3, NOTES, 40))
    assert found == {"keyword": 10, "conceptual": 10, "linked": 10, "cross-lingual": 10}


def test_questions_repeat_with_the_seed() -> None:
    assert questions(3, NOTES, 20) == questions(3, NOTES, 20)


def test_a_small_vault_gives_as_many_questions_as_it_can() -> None:
    found = questions(0, 2, 100)
    assert 0 < len(found) < 100
    assert len({question.id for question in found}) == len(found)


def test_the_command_writes_notes_and_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golden = tmp_path / "golden.yaml"
    code = main(["--notes", "40", "--seed", "2", "--questions", str(golden), str(tmp_path / "vault")])
    assert code == 0
    assert "40 notes" in capsys.readouterr().out
    files = _files(tmp_path / "vault")
    assert len(files) == 40
    entries = yaml.safe_load(golden.read_text(encoding="utf-8"))
    assert all(answer["path"] in files for entry in entries for answer in entry["relevant"])


def test_a_folder_with_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.md").write_text("mine")
    assert main([str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err


def test_force_never_deletes_a_vault_made_by_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.md").write_text("mine")
    assert main(["--force", str(tmp_path)]) == 2
    assert "was not made by this command" in capsys.readouterr().err
    assert (tmp_path / "mine.md").read_text() == "mine"


def test_force_replaces_a_vault_made_before(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    assert main(["--notes", "30", str(vault)]) == 0
    assert main(["--notes", "10", "--force", str(vault)]) == 0
    assert len(_files(vault)) == 10


def test_a_file_in_the_folders_place_is_one_line_of_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main([str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_zero_notes_are_refused(tmp_path: Path) -> None:
    assert main(["--notes", "0", str(tmp_path / "vault")]) == 2
