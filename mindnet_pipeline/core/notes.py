"""A file's bytes → `Note`: title, type, tags, names, language, links of the frontmatter, and the findings.

Here: what the fields of a note mean (DESIGN 3). Not here: how bytes and Markdown are read, where links lead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mindnet_pipeline.core.frontmatter import content_hash, split_source
from mindnet_pipeline.core.ids import nfc
from mindnet_pipeline.core.language import detect_language
from mindnet_pipeline.core.markdown import Markdown, parse_markdown
from mindnet_pipeline.core.markdown.property_links import property_links
from mindnet_pipeline.core.model import Finding, Note, Source
from mindnet_pipeline.core.registry import DEFAULT_TYPE, Registry

REQUIRED_FIELDS = ("id", "title", "type", "status", "created", "tags")
LINT_ONLY = frozenset({"fields_missing"})
"""Codes of findings about conventions: the linter tells them; most vaults have them on every note."""

_CONFIGURED_FIELDS = ("retriever_weight", "chunk_profile")

READER_VERSION = 2
"""Raise it when reading gives other notes, blocks or links: every note is then read anew at the next sync."""


def parse_note(path: str, data: bytes, note_id: str, registry: Registry) -> Note:
    """Read one note. `note_id` is the assigned id (`ids.assign_note_ids` of what `declared_id` gives). Never raises."""
    source = split_source(data)
    fields = source.frontmatter
    markdown = parse_markdown(source.body)
    links, link_findings = property_links(fields, source.field_lines)
    note_type = registry.type_of(_type(fields))
    return Note(
        note_id=note_id,
        path=path,
        title=_title(path, fields, markdown),
        type=_type(fields),
        status=text_of(fields.get("status")),
        created=text_of(fields.get("created")),
        updated=text_of(fields.get("updated")),
        tags=_tags(fields, markdown),
        aliases=_items(fields, "aliases", "alias"),
        area=text_of(fields.get("area")),
        project=text_of(fields.get("project")),
        priority=text_of(fields.get("priority")),
        people=_items(fields, "people"),
        lang=_language(fields, source.body),
        hash_fulltext=content_hash(source, "body", "canonical"),
        hash_frontmatter=content_hash(source, "frontmatter", "canonical"),
        fulltext=source.body,
        frontmatter_raw=source.raw,
        frontmatter=fields,
        bom=source.bom,
        newline=source.newline,
        encoding=source.encoding,
        retriever_weight=note_type.retriever_weight,
        chunk_profile=note_type.sizes.profile,
        warnings=(*source.findings, *_field_findings(source), *link_findings, *_body_findings(source, markdown)),
        blocks=markdown.blocks,
        links=(*links, *markdown.links),
        nested=markdown.nested,
        hidden=markdown.hidden,
        unbroken=markdown.unbroken,
    )


def declared_id(source: Source) -> str:
    r"""The id that the frontmatter declares, trimmed; "" if there is none.

    >>> declared_id(split_source(b"---\nid: 0123\n---\n"))
    '0123'
    """
    return text_of(source.frontmatter.get("id"))


def text_of(value: Any) -> str:
    """A field's value as one line of text: NFC, trimmed, a link as what it shows. "" for lists, mappings and nothing.

    >>> text_of("  Wert "), text_of(3), text_of(True), text_of(["a"]), text_of("[[Ordner/Projekt|P]]")
    ('Wert', '3', 'true', '', 'P')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, list | dict):
        return ""
    text = " ".join(nfc(str(value)).split())
    if text.startswith("[[") and text.endswith("]]") and text.count("[[") == 1:
        return text[2:-2].rpartition("|")[2].strip()
    return text


def _title(path: str, fields: Mapping[str, Any], markdown: Markdown) -> str:
    first_h1 = next((b.title for b in markdown.blocks if b.kind == "heading" and b.level == 1 and b.title), "")
    name = path.rpartition("/")[2]
    return text_of(fields.get("title")) or first_h1 or nfc(name[:-3] if name.lower().endswith(".md") else name)


def _type(fields: Mapping[str, Any]) -> str:
    return text_of(fields.get("type")).lower() or DEFAULT_TYPE


def _tags(fields: Mapping[str, Any], markdown: Markdown) -> tuple[str, ...]:
    """The tags of frontmatter and body, each once whatever its case, as first written."""
    written = [part for value in _values(fields, "tags", "tag") for part in value.replace(",", " ").split()]
    found: dict[str, str] = {}
    for tag in (*written, *markdown.tags):
        name = nfc(tag.strip("#").strip("/"))
        if name:
            found.setdefault(name.lower(), name)
    return tuple(found.values())


def _items(fields: Mapping[str, Any], *keys: str) -> tuple[str, ...]:
    """The items of a list field; a single text is cut at commas."""
    items: list[str] = []
    for key in keys:
        value = fields.get(key)
        parts = [text_of(part) for part in value.split(",")] if isinstance(value, str) else _flat(value)
        items += [part.lstrip("#").strip() for part in parts]
    return tuple(dict.fromkeys(item for item in items if item))


def _values(fields: Mapping[str, Any], *keys: str) -> Iterator[str]:
    for key in keys:
        yield from _flat(fields.get(key))


def _flat(value: Any) -> list[str]:
    """The texts of a value; a bare `[[T]]`, which YAML reads as a list in a list, is `T`."""
    if isinstance(value, list):
        return [text for item in value for text in _flat(item)]
    return [text_of(value)]


def _language(fields: Mapping[str, Any], body: str) -> str:
    declared = text_of(fields.get("lang")) or text_of(fields.get("language"))
    return declared.lower().replace("_", "-").partition("-")[0] or detect_language(body)


def _field_findings(source: Source) -> Iterator[Finding]:
    fields, lines = source.frontmatter, source.field_lines
    missing = [key for key in REQUIRED_FIELDS if key not in fields]
    if missing:
        yield Finding("fields_missing", f"The frontmatter has no {', '.join(f'`{key}`' for key in missing)}.", 1)
    for key in _CONFIGURED_FIELDS:
        if key in fields:
            message = f"`{key}` is set in config/types.yaml by the note's type; the value here is ignored."
            yield Finding("field_ignored", message, lines.get(key))


def _body_findings(source: Source, markdown: Markdown) -> Iterator[Finding]:
    for link in markdown.links:
        if link.syntax == "rel" and not link.target and not link.subpath:
            line = (source.raw + source.body[: link.start]).replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
            message = f"`[[rel:{link.kind}]]` names no note: write `[[rel:{link.kind} Note]]`."
            yield Finding("relation_without_target", message, line)
