"""Bytes of a file → frontmatter and body, without loss; and back.

Here: encodings, fences, hashes of a source. Not here: what YAML scalars mean (yaml_values.py), what a note makes of its
fields (notes.py), Markdown (markdown/). Any bytes are a valid input: what is wrong with them becomes findings.
"""

from __future__ import annotations

import codecs
import hashlib
import re

from mindnet_pipeline.core.model import Finding, Newline, Source
from mindnet_pipeline.core.yaml_values import read_mapping

_OPENING = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSING = re.compile(r"(?<=[\r\n])---[ \t]*(?:\r\n|\n|\r|\Z)")
_BOMS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


def split_source(data: bytes) -> Source:
    r"""Take a file apart (DESIGN 3). `join_source` is the inverse for any bytes.

    >>> source = split_source(b"---\nid: 0123\n---\nText.\n")
    >>> source.frontmatter["id"], source.body
    ('0123', 'Text.\n')
    """
    text, bom, encoding, findings = _decode(data)
    raw, yaml_text = _cut_frontmatter(text)
    content = read_mapping(yaml_text, first_line=2)
    return Source(
        raw=raw,
        body=text[len(raw) :],
        bom=bom,
        newline=_newline(text),
        encoding=encoding,
        frontmatter=content.values,
        field_lines=content.lines,
        findings=findings + content.findings,
    )


def join_source(raw: str, body: str, *, bom: bool, encoding: str) -> bytes:
    """The file that `split_source` took apart, byte for byte."""
    mark = _BOMS.get(encoding, codecs.BOM_UTF8) if bom else b""
    return mark + (raw + body).encode(encoding)


def content_hash(source: Source, mode: str, normalize: str) -> str:
    """Hex sha256 of the part of a source that `mode` names (`body`, `frontmatter`, `body+frontmatter`).

    With `normalize="none"` it covers the bytes as they are; with `canonical` the text, whatever its encoding, BOM, kind
    of line ends and blanks at the ends of lines.
    """
    raw = source.raw if mode != "body" else ""
    body = source.body if mode != "frontmatter" else ""
    if normalize == "canonical":
        return hashlib.sha256(_canonical(raw + body).encode()).hexdigest()
    return hashlib.sha256(join_source(raw, body, bom=source.bom, encoding=source.encoding)).hexdigest()


def _decode(data: bytes) -> tuple[str, bool, str, tuple[Finding, ...]]:
    for encoding, mark in _BOMS.items():
        if data.startswith(mark):
            try:
                return data[len(mark) :].decode(encoding), True, encoding, ()
            except UnicodeDecodeError:
                break
    bom = data.startswith(codecs.BOM_UTF8)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode("utf-8"), bom, "utf-8", ()
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\n|\r", data[: error.start])) + 1
    message = "The file is not UTF-8; it was read as {}. Save it as UTF-8."
    try:
        return data.decode("cp1252"), bom, "cp1252", (Finding("not_utf8", message.format("cp1252"), line),)
    except UnicodeDecodeError:
        return data.decode("latin-1"), bom, "latin-1", (Finding("not_utf8", message.format("latin-1"), line),)


def _cut_frontmatter(text: str) -> tuple[str, str]:
    """The frontmatter with its fences and the YAML between them; both empty if there is none."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if not opening or not closing:
        return "", ""
    return text[: closing.end()], text[opening.end() : closing.start()]


def _newline(text: str) -> Newline:
    crlf = text.count("\r\n")
    kinds: dict[Newline, int] = {"crlf": crlf, "lf": text.count("\n") - crlf, "cr": text.count("\r") - crlf}
    found: list[Newline] = [kind for kind, count in kinds.items() if count]
    return "mixed" if len(found) > 1 else (found[0] if found else "none")


def _canonical(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join([line.rstrip(" \t") for line in lines])
