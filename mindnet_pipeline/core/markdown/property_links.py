"""Frontmatter values → links: each `[[T]]` in a string or list, quoted or bare, with its key as kind (DESIGN 4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mindnet_pipeline.core.markdown.targets import markdown_link, wikilink
from mindnet_pipeline.core.model import Finding, Link

OUTDATED_KEY = "links"
_WIKILINK = re.compile(r"(?<!!)\[\[((?:(?!\[\[|\]\])[^\n])+)\]\]")
_MARKDOWN_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]+|<[^<>\n]+>)\)\Z")


def property_links(fields: Mapping[str, Any], lines: Mapping[str, int]) -> tuple[list[Link], list[Finding]]:
    """The links of all fields in order, and a finding if the outdated key `links` is used.

    >>> links, _ = property_links({"depends_on": ["[[A]]", [["B"]]]}, {})
    >>> [(link.kind, link.target) for link in links]
    [('depends_on', 'A'), ('depends_on', 'B')]
    """
    links = [replace(link, syntax="frontmatter", kind=key) for key, value in fields.items() for link in _links(value)]
    findings = []
    if any(link.kind == OUTDATED_KEY for link in links):
        message = '`links` is outdated: name the relation as the key, for example `related_to: ["[[Note]]"]`.'
        findings.append(Finding("links_outdated", message, lines.get(OUTDATED_KEY)))
    return links, findings


def _links(value: Any) -> Iterator[Link]:
    if isinstance(value, str):
        yield from _links_of_text(value)
    elif _is_bare(value):
        yield from _links_of_text(f"[[{', '.join(str(part) for part in value[0])}]]")
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _links(item)


def _is_bare(value: Any) -> bool:
    """True for what YAML makes of an unquoted `[[T]]`: a list of one list of scalars."""
    return (
        isinstance(value, list)
        and len(value) == 1
        and isinstance(value[0], list)
        and bool(value[0])
        and not any(isinstance(part, list | dict) or part is None for part in value[0])
    )


def _links_of_text(text: str) -> Iterator[Link]:
    for match in _WIKILINK.finditer(text):
        if link := wikilink(match[1], (0, 0), embed=False):
            yield link
    whole = _MARKDOWN_LINK.match(text.strip())
    if whole and (link := markdown_link(whole[2], whole[1], (0, 0), image=False)):
        yield link
