from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from mindnet_pipeline.lint import main

FULL = "---\nid: {0}\ntitle: {0}\ntype: thought\nstatus: active\ncreated: 2024-01-01\ntags: [x]\n---\n"


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty vault; the configured one is elsewhere."""
    for name in ("MINDNET_VAULT", "MINDNET_CONFIG", "MINDNET_TYPES_FILE"):
        monkeypatch.delenv(name, raising=False)
    root = tmp_path / "vault"
    root.mkdir()
    return root


def write(root: Path, **notes: str) -> None:
    for name, text in notes.items():
        file = root / (name.replace("__", "/") + ".md")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def problems(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> list[tuple[str, int, str, str]]:
    main([*map(str, arguments), "--json"])
    rows = json.loads(capsys.readouterr().out)["problems"]
    return [(row["path"], row["line"], row["severity"], row["code"]) for row in rows]


def test_a_vault_in_order_has_no_problems(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a=FULL.format("a") + "[[b]]", b=FULL.format("b"))
    assert main([str(vault)]) == 0
    assert capsys.readouterr().out == "2 notes: 0 errors, 0 warnings\n"


def test_a_broken_link_is_an_error_with_its_line_and_the_nearest_names(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a=FULL.format("a") + "\nText [[Gartenbu]].\n", Gartenbau=FULL.format("g"))
    assert main([str(vault)]) == 1
    line = capsys.readouterr().out.splitlines()[0]
    assert line == "a.md:10: error `[[Gartenbu]]` leads nowhere. Did you mean `Gartenbau`? broken_link"


def test_a_broken_link_of_the_frontmatter_has_its_fields_line(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a=FULL.format("a").replace("tags: [x]", 'tags: [x]\nup: "[[fehlt]]"'))
    assert problems(capsys, vault) == [("a.md", 8, "error", "broken_link")]


def test_a_name_that_two_notes_bear_as_title_is_said_to_be_so(vault: Path, capsys: pytest.CaptureFixture[str]):
    title = "---\nid: {}\ntitle: Garten\ntype: thought\nstatus: active\ncreated: 2024-01-01\ntags: [x]\n---\n"
    write(vault, a=FULL.format("a") + "[[Garten]]", x1=title.format("x1"), x2=title.format("x2"))
    main([str(vault)])
    assert "`x1.md`, `x2.md` have this title or alias" in capsys.readouterr().out


def test_possible_links_may_lead_nowhere(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a=FULL.format("a") + "## Mögliche Verbindungen\n\n[[fehlt]]\n\n## Danach\n\n[[weg]]\n")
    assert problems(capsys, vault) == [("a.md", 15, "error", "broken_link")]


def test_an_ambiguous_link_is_a_warning(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a=FULL.format("a") + "[[Beet]]", x__Beet=FULL.format("b1"), y__Beet=FULL.format("b2"))
    found = problems(capsys, vault)
    assert ("a.md", 9, "warning", "ambiguous_link") in found
    assert main([str(vault)]) == 0


def test_an_id_claimed_twice_is_an_error_of_the_note_that_loses_it(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a=FULL.format("gleich"), b=FULL.format("gleich"))
    assert problems(capsys, vault) == [("b.md", 2, "error", "duplicate_id")]


def test_an_alias_of_two_notes_is_a_warning_for_both(vault: Path, capsys: pytest.CaptureFixture[str]):
    note = FULL.replace("tags: [x]", "tags: [x]\naliases: [KI]")
    write(vault, a=note.format("a"), b=note.format("b"))
    assert problems(capsys, vault) == [
        ("a.md", 8, "warning", "duplicate_alias"),
        ("b.md", 8, "warning", "duplicate_alias"),
    ]


@pytest.mark.parametrize("written", ["0123", "83", "2025-09-02", "2025-02-30", "no", "12:30", "1e3", "~", "0x1f"])
def test_an_id_that_yaml_reads_as_something_else_is_a_warning(
    vault: Path, capsys: pytest.CaptureFixture[str], written: str
):
    write(vault, a=FULL.format("a").replace("id: a", f"id: {written}"))
    assert ("a.md", 2, "warning", "id_not_text") in problems(capsys, vault)


@pytest.mark.parametrize("written", ['"0123"', "'83'", "20250902-1830-idee", "v1.2.3", "garten"])
def test_an_id_that_is_text_is_in_order(vault: Path, capsys: pytest.CaptureFixture[str], written: str):
    write(vault, a=FULL.format("a").replace("id: a", f"id: {written}"))
    assert problems(capsys, vault) == []


def test_missing_fields_are_one_warning(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a="---\nid: a\n---\nText.\n")
    assert problems(capsys, vault) == [("a.md", 1, "warning", "fields_missing")]


def test_missing_fields_come_last_one_line_for_all_notes_alike(vault: Path, capsys: pytest.CaptureFixture[str]):
    bare = {f"n{number}": "Text.\n" for number in range(30)}
    write(vault, **bare, titled="---\ntitle: T\n---\n", zuletzt=FULL.format("z") + "[[fehlt]]")
    assert main([str(vault)]) == 1
    *_, broken, most, titled, summary = capsys.readouterr().out.splitlines()
    assert broken.startswith("zuletzt.md:9: error")
    assert most.startswith("n0.md:1 and 29 more notes: warning The frontmatter has no `id`, `title`")
    assert titled.startswith("titled.md:1: warning The frontmatter has no `id`, `type`")
    assert summary == "32 notes: 1 error, 31 warnings, 31 of them about conventions (--json names each)"
    assert len(problems(capsys, vault)) == 32


def test_frontmatter_that_cannot_be_read_is_an_error_and_hides_missing_fields(
    vault: Path, capsys: pytest.CaptureFixture[str]
):
    write(vault, a="---\nid: a\nleute: [[Anna]], [[Ben]]\n---\nText.\n")
    assert problems(capsys, vault) == [("a.md", 3, "error", "frontmatter_invalid")]


def test_an_outdated_field_and_an_unknown_relation_are_warnings(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a=FULL.format("a").replace("tags: [x]", "tags: [x]\nlinks: '[[a]]'") + "[[rel:nah_bei a]]\n")
    assert problems(capsys, vault) == [
        ("a.md", 8, "warning", "links_outdated"),
        ("a.md", 10, "warning", "unknown_relation_kind"),
    ]


def test_a_file_is_looked_at_with_the_names_of_its_whole_vault(vault: Path, capsys: pytest.CaptureFixture[str]):
    (vault / ".obsidian").mkdir()
    write(vault, sub__a=FULL.format("a") + "[[b]] [[fehlt]]", b=FULL.format("b") + "[[weg]]")
    assert problems(capsys, vault / "sub" / "a.md") == [("sub/a.md", 9, "error", "broken_link")]
    assert problems(capsys, vault / "sub") == [("sub/a.md", 9, "error", "broken_link")]


def test_the_vault_can_be_named(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, sub__a=FULL.format("a") + "[[b]]", b=FULL.format("b"))
    assert problems(capsys, vault / "sub", "--vault", vault) == []


def test_warnings_can_be_left_out(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a="[[fehlt]]\n")
    assert problems(capsys, vault, "--errors-only") == [("a.md", 1, "error", "broken_link")]


def test_a_missing_folder_is_one_line_and_code_2(vault: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(vault / "fehlt")]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"error: {vault / 'fehlt'}: no such file or folder.\n"


def test_a_path_outside_the_named_vault_is_one_line_and_code_2(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a="x")
    assert main([str(vault.parent), "--vault", str(vault)]) == 2
    assert capsys.readouterr().err.startswith("error: ")


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    assert "Examples" in capsys.readouterr().out


def test_the_hook_calls_a_command_that_exists():
    (hook,) = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"].startswith("python -m mindnet_pipeline.lint")


@pytest.mark.parametrize(
    "link",
    ["![[Beet.png]]", "![[bilder/beet.PNG]]", "![alt](Bilder/Beet.png)", "[[Skizze.excalidraw]]", "[[skript.py]]"],
)
def test_a_file_that_is_in_the_vault_is_in_order(vault: Path, capsys: pytest.CaptureFixture[str], link: str):
    write(vault, a=FULL.format("a") + link, **{"Skizze.excalidraw": FULL.format("s")})
    (vault / "Bilder").mkdir()
    (vault / "Bilder" / "Beet.png").touch()
    (vault / "skript.py").touch()
    assert problems(capsys, vault) == []


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("![[Bet.png|600]]", "![[Bet.png]]"),
        ("[[Bet.png]]", "[[Bet.png]]"),
        ("![alt](Bet.png)", "![…](Bet.png)"),
        ("[x](./Beet.png)", "[…](./Beet.png)"),
    ],
)
def test_a_missing_image_is_a_warning_with_the_nearest_names(
    vault: Path, capsys: pytest.CaptureFixture[str], link: str, shown: str
):
    write(vault, a=FULL.format("a") + link)
    (vault / "Bilder").mkdir()
    (vault / "Bilder" / "Beet.png").touch()
    assert main([str(vault)]) == 0
    line = capsys.readouterr().out.splitlines()[0]
    sentence = f"`{shown}`: there is no such file in the vault. Did you mean `Beet.png`?"
    assert line == f"a.md:9: warning {sentence} missing_attachment"


def test_an_image_of_a_linked_folder_is_in_the_vault(vault: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path):
    write(vault, a=FULL.format("a") + "![[Beet.png]]")
    (tmp_path / "fotos").mkdir()
    (tmp_path / "fotos" / "Beet.png").touch()
    (vault / "Bilder").symlink_to(tmp_path / "fotos")
    (tmp_path / "fotos" / "zurück").symlink_to(vault)
    assert problems(capsys, vault) == []


def test_an_inverse_relation_is_a_warning_with_its_line(vault: Path, capsys: pytest.CaptureFixture[str]):
    write(vault, a=FULL.format("a").replace("tags: [x]", "tags: [x]\nhas_part: '[[a]]'") + "[[rel:blocked_by a]]\n")
    assert problems(capsys, vault) == [
        ("a.md", 8, "warning", "inverse_relation_kind"),
        ("a.md", 10, "warning", "inverse_relation_kind"),
    ]
