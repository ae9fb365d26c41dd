"""The rules of lint: each reads notes and names and yields problems."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import yaml

from mindnet_pipeline.core.chunking.sections import sections_of
from mindnet_pipeline.core.frontmatter import split_source
from mindnet_pipeline.core.ids import assign_note_ids, nfc, path_id
from mindnet_pipeline.core.link_findings import line_of, link_findings
from mindnet_pipeline.core.model import Destination, Link, Note, NoteNames, Source, Span
from mindnet_pipeline.core.notes import declared_id, parse_note
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.core.resolve import NoteIndex, comparison_key, names_of
from mindnet_pipeline.linting.attachments import Attachments
from mindnet_pipeline.linting.problems import ERRORS, Problem
from mindnet_pipeline.linting.suggest import Suggestions


@dataclass(frozen=True, slots=True)
class _Vault:
    """Everything the rules look at."""

    notes: Mapping[str, Note]
    sources: Mapping[str, Source]
    index: NoteIndex
    names: Suggestions
    attachments: Attachments
    attachment_names: Suggestions
    aliases: Mapping[str, tuple[str, ...]]
    registry: Registry


def lint_vault(
    files: Mapping[str, bytes], others: Collection[str], registry: Registry, only: Iterable[str] | None = None
) -> list[Problem]:
    """All problems of a vault's notes, sorted by place.

    `files` are the notes, `others` the paths of all other files. `only`: the paths to report on; all names count.
    """
    sources = {path: split_source(data) for path, data in files.items()}
    declared = {path: declared_id(source) for path, source in sources.items()}
    ids = assign_note_ids(declared)
    notes = {path: parse_note(path, data, ids[path], registry) for path, data in files.items()}
    names = [names_of(note) for note in notes.values()]
    vault = _Vault(
        notes=notes,
        sources=sources,
        index=NoteIndex(names),
        names=Suggestions(_written_names(names)),
        # `[[Skizze.excalidraw]]` is the note `Skizze.excalidraw.md`
        attachments=Attachments([*others, *map(path_id, files)]),
        attachment_names=Suggestions(path.rpartition("/")[2] for path in sorted(others)),
        aliases=_alias_bearers(names),
        registry=registry,
    )
    keepers = {ids[path]: path for path in files}
    problems: list[Problem] = []
    for path in notes if only is None else sorted(set(only) & notes.keys()):
        problems += _findings(notes[path], registry)
        problems += _links(vault, notes[path])
        problems += _attachments(vault, notes[path])
        problems += _aliases(vault, path)
        problems += _id(path, sources[path], keepers)
    return sorted(set(problems))


def _findings(note: Note, registry: Registry) -> Iterator[Problem]:
    """What reading the note and its relations found."""
    findings = (*note.warnings, *link_findings(note, registry))
    unreadable = any(finding.code in ERRORS for finding in findings)
    for finding in findings:
        if unreadable and finding.code == "fields_missing":
            continue
        yield Problem(note.path, finding.line or 0, finding.code, finding.message)


def _links(vault: _Vault, note: Note) -> Iterator[Problem]:
    """Links that lead nowhere or could lead to several notes."""
    for link in _serious_links(vault, note, "note"):
        found = vault.index.resolve(link, note.path)
        line = line_of(note, link) or 0
        if found.target_id is None and not vault.attachments.has(link.target, note.path):
            yield Problem(note.path, line, "broken_link", _broken(vault, note, link))
        elif found.ambiguous:
            others = _listed(vault.index.namesakes(link.target))
            message = f"{_shown(note, link)} could mean {others}; the first is taken. Write the folder into the link."
            yield Problem(note.path, line, "ambiguous_link", message)


def _broken(vault: _Vault, note: Note, link: Link) -> str:
    bearers = vault.index.namesakes(link.target)
    if len(bearers) > 1:
        return f"{_shown(note, link)} leads nowhere: {_listed(bearers)} have this title or alias. Link the file name."
    near = vault.names.nearest(link.target)
    hint = f"Did you mean {_listed(near)}?" if near else "No note has a name like it."
    return f"{_shown(note, link)} leads nowhere. {hint}"


def _attachments(vault: _Vault, note: Note) -> Iterator[Problem]:
    """Images, PDFs and other files that are not in the vault."""
    for link in _serious_links(vault, note, "attachment"):
        if not vault.attachments.has(link.target, note.path):
            near = vault.attachment_names.nearest(link.target)
            hint = f"Did you mean {_listed(near)}?" if near else "No file has a name like it."
            message = f"{_shown(note, link)}: there is no such file in the vault. {hint}"
            yield Problem(note.path, line_of(note, link) or 0, "missing_attachment", message)


def _serious_links(vault: _Vault, note: Note, destination: Destination) -> Iterator[Link]:
    """The links with a target, without those in lists of possible links."""
    ideas = _stop_spans(note, vault.registry)
    for link in note.links:
        if link.destination != destination or not link.target.strip():
            continue
        if link.syntax == "frontmatter" or not any(start <= link.start < end for start, end in ideas):
            yield link


def _aliases(vault: _Vault, path: str) -> Iterator[Problem]:
    """Aliases that another note has too: such a link leads nowhere."""
    line = vault.sources[path].field_lines.get("aliases", 0)
    for alias in vault.notes[path].aliases:
        others = [other for other in vault.aliases[comparison_key(alias)] if other != path]
        if others:
            message = f"The alias `{alias}` is also one of {_listed(others)}: a link to it leads nowhere."
            yield Problem(path, line, "duplicate_alias", message)


def _id(path: str, source: Source, keepers: Mapping[str, str]) -> Iterator[Problem]:
    """Ids that another note keeps, and ids that other YAML readers take for numbers, dates or truth values."""
    note_id, line = declared_id(source), source.field_lines.get("id", 0)
    keeper = keepers.get(nfc(note_id).strip(), path)
    if note_id and keeper != path:
        message = f"The id `{note_id}` belongs to {keeper}. Give this note an id of its own."
        yield Problem(path, line, "duplicate_id", message)
    written = _plain_scalar(source, line)
    if written and _reads_as_other_than_text(written):
        message = f'The id {written} is not text for every YAML reader: write `id: "{written}"`.'
        yield Problem(path, line, "id_not_text", message)


def _plain_scalar(source: Source, line: int) -> str:
    """The value on a frontmatter line, as written; `""` if it is quoted, a block or not there."""
    lines = source.raw.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    value = lines[line - 1].partition(":")[2].partition(" #")[0].strip() if 0 < line <= len(lines) else ""
    return "" if value[:1] in {'"', "'", "|", ">", "&", "*", "!", "[", "{"} else value


def _reads_as_other_than_text(written: str) -> bool:
    try:
        float(written)
    except ValueError:
        pass
    else:
        return True
    try:
        return not isinstance(yaml.safe_load(written), str)
    except (yaml.YAMLError, ValueError):
        return True


def _written_names(names: Iterable[NoteNames]) -> Iterator[str]:
    """The file names, titles and aliases, those of the shortest path first."""
    for each in sorted(names, key=lambda names: (len(names.path), names.path)):
        yield path_id(each.path).rpartition("/")[2]
        yield each.title
        yield from each.aliases


def _alias_bearers(names: Iterable[NoteNames]) -> dict[str, tuple[str, ...]]:
    bearers: dict[str, dict[str, None]] = {}
    for each in names:
        for alias in each.aliases:
            bearers.setdefault(comparison_key(alias), {})[each.path] = None
    return {alias: tuple(sorted(paths)) for alias, paths in bearers.items()}


def _stop_spans(note: Note, registry: Registry) -> list[Span]:
    sections = sections_of(note.blocks, len(note.fulltext), registry.is_stop_section)
    return [(section.blocks[0][1][0], section.blocks[-1][1][1]) for section in sections if section.stop]


def _shown(note: Note, link: Link) -> str:
    written = note.fulltext[link.start : link.end]
    is_markdown = link.syntax in {"mdlink", "embed"} and not written.startswith(("[[", "![["))
    mark = "!" if link.syntax == "embed" else ""
    return f"`{mark}[…]({link.target})`" if is_markdown else f"`{mark}[[{link.target}]]`"


def _listed(texts: Iterable[str], most: int = 3) -> str:
    listed = [f"`{text}`" for text in texts]
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
