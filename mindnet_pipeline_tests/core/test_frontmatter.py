from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mindnet_pipeline.core.frontmatter import content_hash, join_source, split_source
from mindnet_pipeline.core.model import Source

PARTS = [
    *[b"---\n", b"---\r\n", b"---", b"\n", b"\r", b"id: x\n", b"tags: [a, b]\n", b"&a ", b"*a", b"[", b"]", b"{", b"}"],
    *[
        b": ",
        b"- ",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xe4",
        b"\x81",
        "ä😀".encode(),
        b"\x00",
        b"'",
        b'"',
        b"|\n",
    ],
    *[b"? ", b"!!int ", b"a"],
]
FILES = st.binary(max_size=80) | st.lists(st.sampled_from(PARTS), max_size=25).map(b"".join)


def read(text: str) -> Source:
    return split_source(text.encode())


def codes(source: Source) -> list[str]:
    return [finding.code for finding in source.findings]


@given(FILES)
@settings(max_examples=600, deadline=None)
@example(b"\xef\xbb\xbf\x81")
@example("---\nid: ä\n---\n".encode("utf-16"))
@example(b"\xff\xfe\x00")
def test_joining_gives_the_file_back(data: bytes) -> None:
    source = split_source(data)
    assert join_source(source.raw, source.body, bom=source.bom, encoding=source.encoding) == data


@given(FILES)
@settings(max_examples=600, deadline=None)
def test_a_frontmatter_is_safe_for_json(data: bytes) -> None:
    source = split_source(b"---\n" + data + b"\n---\n")
    assert json.loads(json.dumps(source.frontmatter)) == source.frontmatter


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("3", 3),
        ("-2", -2),
        ("0.5", 0.5),
        ("2025", 2025),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("0123", "0123"),
        ("1e3", "1e3"),
        ("1.50", "1.50"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("no", "no"),
        ("Yes", "Yes"),
        ("on", "on"),
        ("0x1F", "0x1F"),
        ("+1", "+1"),
        ("-0", "-0"),
        (".5", ".5"),
        (".inf", ".inf"),
        ("12345678901234567", "12345678901234567"),
        ("2025-02-30", "2025-02-30"),
        ("2025-09-02", "2025-09-02"),
        ("2025-09-02T18:35:00", "2025-09-02T18:35:00"),
        ("'3'", "3"),
        ("!!str 3", "3"),
        ("!!binary aGk=", "aGk="),
        ("[1, [2, a]]", [1, [2, "a"]]),
        ("{a: 1, 2: b}", {"a": 1, "2": "b"}),
    ],
)
def test_a_value_keeps_its_text_where_a_number_would_lose_it(written: str, value: object) -> None:
    found = read(f"---\nfeld: {written}\n---\n").frontmatter["feld"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("written", ["0123", "83", "2025-09-02", "no", "12:30", "20250902183000", "true", "1.50"])
def test_an_id_is_the_text_as_written(written: str) -> None:
    assert read(f"---\nid: {written}\n---\n").frontmatter["id"] == written


def test_tags_are_texts() -> None:
    assert read("---\ntags: [2024, true, a]\n---\n").frontmatter["tags"] == ["2024", "true", "a"]


@pytest.mark.parametrize(
    "text",
    [
        "--- a\nb\n---\n",
        "----\nx\n----\n",
        " ---\nid: x\n---\n",
        "\n---\nid: x\n---\n",
        "---\nid: x\n",
        "---\nid: x\n ---\n",
        "x\n---\ny\n---\n",
    ],
)
def test_anything_but_fences_on_their_own_lines_is_body(text: str) -> None:
    source = read(text)
    assert (source.raw, source.body) == ("", text)


@pytest.mark.parametrize(
    "text",
    [
        "---\nid: x\n---",
        "---  \nid: x\n---\t\n",
        "---\r\nid: x\r\n---\r\n",
        "---\rid: x\r---\r",
        "\ufeff---\nid: x\n---\n",
    ],
)
def test_fences_may_have_blanks_behind_them_and_any_line_end(text: str) -> None:
    source = read(text)
    assert (dict(source.frontmatter), source.body) == ({"id": "x"}, "")


def test_only_the_first_pair_of_fences_counts() -> None:
    assert read("---\nid: x\n---\na\n\n---\n\nb\n\n---\n").body == "a\n\n---\n\nb\n\n---\n"


def test_an_indented_fence_belongs_to_the_value() -> None:
    assert read("---\nnotiz: |\n  a\n  ---\n  b\n---\nx").frontmatter["notiz"] == "a\n---\nb\n"


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        ("id: x\ncreated: {{date}}", 3),
        ("id: x\npeople: [[A]], [[B]]", 3),
        ("title: Plan: Phase 2", 2),
        ("title: *Kursiv*", 2),
        ("aliases:\n- @anna", 3),
        ("title: 'offen", 2),
        ("a:\tb\n\tc: d", 3),
        ("? [a]\n: b", 2),
        ("a: *b", 2),
        ("a: &a [*a]", 2),
        ("a: b\n...\n--- c", 4),
    ],
)
def test_broken_yaml_is_a_finding_with_its_line_and_the_body_stays(yaml: str, line: int) -> None:
    source = read(f"---\n{yaml}\n---\nText.\n")
    assert (source.frontmatter, source.body, source.raw) == ({}, "Text.\n", f"---\n{yaml}\n---\n")
    assert [(finding.code, finding.line) for finding in source.findings] == [("frontmatter_invalid", line)]


@pytest.mark.parametrize("yaml", ["Ein Satz, kein Schlüssel.", "- a\n- b", "3", "'x'"])
def test_what_is_no_mapping_is_kept_and_reported(yaml: str) -> None:
    source = read(f"---\n{yaml}\n---\nx\n")
    assert (source.frontmatter, source.raw, codes(source)) == ({}, f"---\n{yaml}\n---\n", ["frontmatter_not_a_mapping"])


@pytest.mark.parametrize("yaml", ["", "\n\n", "# nur ein Kommentar"])
def test_an_empty_frontmatter_is_no_fault(yaml: str) -> None:
    source = read(f"---\n{yaml}\n---\nx\n")
    assert (source.frontmatter, source.findings) == ({}, ())


def test_the_last_of_two_equal_keys_counts_and_is_reported() -> None:
    source = read("---\na: 1\nb: 2\na: 3\n---\n")
    assert dict(source.frontmatter) == {"a": 3, "b": 2}
    assert [(finding.code, finding.line) for finding in source.findings] == [("frontmatter_duplicate_key", 4)]


def test_aliases_are_resolved() -> None:
    assert read("---\na: &x [1, 2]\nb: *x\n---\n").frontmatter["b"] == [1, 2]


@pytest.mark.parametrize(
    "yaml",
    [
        "a: " + "[" * 60 + "]" * 60,
        "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + "\n".join(
            f"{key}: &{key} [{','.join([f'*{before}'] * 10)}]"
            for before, key in zip("abcdefgh", "bcdefghi", strict=True)
        ),
    ],
)
def test_bombs_are_refused(yaml: str) -> None:
    assert codes(read(f"---\n{yaml}\n---\n")) == ["frontmatter_too_large"]


def test_each_field_knows_its_line_in_the_file() -> None:
    assert dict(read("---\nid: x\n\ntags:\n  - a\nend: 1\n---\n").field_lines) == {"id": 2, "tags": 4, "end": 6}


@pytest.mark.parametrize(
    ("data", "encoding", "bom", "body"),
    [
        ("ä".encode(), "utf-8", False, "ä"),
        (b"\xef\xbb\xbfx", "utf-8", True, "x"),
        (b"x \xe4\x80", "cp1252", False, "x ä€"),
        (b"\xe4\x81", "latin-1", False, "ä\x81"),
        ("ä".encode("utf-16-le"), "cp1252", False, "ä\x00"),
        (b"\xff\xfe" + "ä".encode("utf-16-le"), "utf-16-le", True, "ä"),
        (b"\xfe\xff" + "ä".encode("utf-16-be"), "utf-16-be", True, "ä"),
    ],
)
def test_bytes_become_text_whatever_their_encoding(data: bytes, encoding: str, bom: bool, body: str) -> None:
    source = split_source(data)
    assert (source.encoding, source.bom, source.body) == (encoding, bom, body)


def test_bytes_that_are_not_utf8_are_reported_with_their_line() -> None:
    finding = split_source(b"a\r\nb \xe4").findings[0]
    assert (finding.code, finding.line) == ("not_utf8", 2)


@pytest.mark.parametrize(
    ("text", "newline"), [("a", "none"), ("a\n", "lf"), ("a\r\n", "crlf"), ("a\r", "cr"), ("a\n\r\n", "mixed")]
)
def test_the_kind_of_line_ends_is_noted(text: str, newline: str) -> None:
    assert read(text).newline == newline


def test_a_canonical_hash_ignores_line_ends_blanks_at_ends_and_bom() -> None:
    one, other = (
        split_source(b"---\nid: x\n---\na\nb\n"),
        split_source(b"\xef\xbb\xbf---\r\nid: x  \r\n---\r\na\t\r\nb\r\n"),
    )
    for mode in ("body", "frontmatter", "body+frontmatter"):
        assert content_hash(one, mode, "canonical") == content_hash(other, mode, "canonical")
        assert content_hash(one, mode, "none") != content_hash(other, mode, "none")


@pytest.mark.parametrize(("mode", "seen"), [("body", {"b"}), ("frontmatter", {"f"}), ("body+frontmatter", {"b", "f"})])
def test_a_hash_covers_what_its_mode_names(mode: str, seen: set[str]) -> None:
    base = content_hash(read("---\nid: x\n---\na\n"), mode, "none")
    changes = {"b": "---\nid: x\n---\nB\n", "f": "---\nid: F\n---\na\n"}
    assert {name for name, text in changes.items() if content_hash(read(text), mode, "none") != base} == seen


def test_a_hash_is_a_hex_sha256() -> None:
    assert re.fullmatch(r"[0-9a-f]{64}", content_hash(read("x"), "body", "canonical"))
