"""What a search leaves out: `Filters` as people write them → conditions for the store.

Names are compared as Obsidian does it (any case, NFC); a value that no note has is an error that names those there are.
Types, tags, one folder, languages and dates are conditions on the chunks; the rest is decided here, on what the notes
say of themselves, and reaches the store as a list of notes. A note may have chunks in several languages.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mindnet_pipeline.core.errors import QueryError
from mindnet_pipeline.core.ids import fold
from mindnet_pipeline.storage.vectors.conditions import instant
from mindnet_pipeline.storage.vectors.protocol import Condition, Found, Where

NOTE_FIELDS = ("note_id", "title", "path", "type", "tags", "aliases", "frontmatter")
"""The payload fields of a note that filters look at."""

_SHOWN_VALUES = 12


@dataclass(frozen=True, slots=True)
class Filters:
    """What hits must be. Several values of one field are alternatives; several fields must all hold.

    `tags` include the tags below them (`a` finds `a/b`). `folders` are paths below the vault. `notes` are ids, paths or
    titles. `since` and `until` bound the note's creation: a year, a month or a day, both inclusive. `where` asks for
    values of any frontmatter key.
    """

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    langs: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def need_notes(self) -> bool:
        """True if the filters can only be understood with the notes at hand."""
        return bool(self.types or self.tags or self.folders or self.notes or self.where)

    @property
    def have_dates(self) -> bool:
        """True if they bound the note's creation."""
        return bool(self.since or self.until)

    def __bool__(self) -> bool:
        return self.need_notes or self.have_dates or bool(self.langs)


NO_FILTERS = Filters()
ANY_DATE = Where(must=(Condition("created_at", gte="0001"),))
"""Of notes whose creation is a date at all."""


def conditions(filters: Filters, notes: Sequence[Found], languages: Iterable[str]) -> Where:
    """The filters as conditions on chunks. `notes` are all notes, with `NOTE_FIELDS`, `languages` all that chunks have.

    Raises:
        QueryError: no note has such a type, tag, folder, language, name, key or value; the message says what there is.
    """
    made: list[Condition] = []
    if filters.types:
        made.append(Condition("type", any_of=_known("type", filters.types, (n.payload["type"] for n in notes))))
    if filters.tags:
        made.append(Condition("tags", any_of=_tags(filters.tags, notes)))
    if filters.langs:
        made.append(Condition("lang", any_of=_known("language", filters.langs, languages)))
    if filters.have_dates:
        made.append(_created(filters))
    folders = _folders(filters.folders, notes)
    if len(folders) == 1:
        made.append(Condition("path", prefix=folders[0]))
    chosen = _chosen_notes(filters, folders, notes)
    if chosen is not None:
        made.append(Condition("note_id", any_of=chosen))
    return Where(must=tuple(made))


def _created(filters: Filters) -> Condition:
    """When the note was created. The bounds are looked at here, where they still have the names that people know."""
    since = instant(filters.since, "since", last=False) if filters.since else None
    until = instant(filters.until, "until", last=True) if filters.until else None
    return Condition("created_at", gte=since, lte=until)


def _chosen_notes(filters: Filters, folders: Sequence[str], notes: Sequence[Found]) -> tuple[str, ...] | None:
    """The notes that the filters on names, several folders and frontmatter leave; None if there are none of these."""
    tests: list[Callable[[Mapping[str, Any]], bool]] = []
    if len(folders) > 1:
        tests.append(lambda note: note["path"].startswith(tuple(folders)))
    if filters.notes:
        wanted = {fold(name) for written in filters.notes for name in (_known_note(written, notes),)}
        tests.append(lambda note: not wanted.isdisjoint(_names(note)))
    for key, value in filters.where.items():
        tests.append(_frontmatter_test(key, value, notes))
    if not tests:
        return None
    return tuple(n.payload["note_id"] for n in notes if all(test(n.payload) for test in tests))


def _known(what: str, written: Iterable[str], there: Iterable[str]) -> tuple[str, ...]:
    """The values as they are stored, whatever their case."""
    stored = {fold(value): value for value in there if value}
    for value in written:
        if fold(value) not in stored:
            raise QueryError(_nothing_has(what, value, stored.values()))
    return tuple(stored[fold(value)] for value in written)


def _tags(written: Iterable[str], notes: Iterable[Found]) -> tuple[str, ...]:
    there = sorted({tag for note in notes for tag in note.payload["tags"]})
    found: dict[str, None] = {}
    for tag in written:
        wanted = fold(tag).removeprefix("#").rstrip("/")
        fitting = [t for t in there if fold(t) == wanted or fold(t).startswith(f"{wanted}/")]
        if not fitting:
            raise QueryError(_nothing_has("tag", tag, there))
        found.update(dict.fromkeys(fitting))
    return tuple(found)


def _folders(written: Iterable[str], notes: Iterable[Found]) -> list[str]:
    """The folders as they are on disk, with a slash at the end. The vault itself (`/`, `.`) leaves nothing out."""
    there = {fold(folder): folder for note in notes for folder in _folders_above(note.payload["path"])}
    found: list[str] = []
    for folder in written:
        wanted = fold(folder).removeprefix("./").strip("/")
        if wanted in {"", "."}:
            return []
        if wanted not in there:
            raise QueryError(_nothing_has("folder", folder, there.values()))
        found.append(f"{there[wanted]}/")
    return list(dict.fromkeys(found))


def _folders_above(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def _names(note: Mapping[str, Any]) -> set[str]:
    path = note["path"]
    stem = path.rsplit("/", 1)[-1].removesuffix(".md")
    return {fold(name) for name in (note["note_id"], path, path.removesuffix(".md"), stem, note["title"])}


def _known_note(written: str, notes: Sequence[Found]) -> str:
    if not any(fold(written) in _names(note.payload) for note in notes):
        raise QueryError(_nothing_has("note", written, [note.payload["title"] for note in notes]))
    return written


def _frontmatter_test(key: str, value: str, notes: Sequence[Found]) -> Callable[[Mapping[str, Any]], bool]:
    stored_keys = {fold(k): k for note in notes for k in note.payload["frontmatter"]}
    if fold(key) not in stored_keys:
        raise QueryError(_nothing_has("frontmatter key", key, stored_keys.values()))
    there = {v for note in notes for v in _values(note.payload["frontmatter"], key)}
    if fold(value) not in {fold(v) for v in there}:
        raise QueryError(_nothing_has(f"frontmatter value of {stored_keys[fold(key)]}", value, there))
    return lambda note: fold(value) in {fold(v) for v in _values(note["frontmatter"], key)}


def _values(frontmatter: Mapping[str, Any], key: str) -> list[str]:
    """The values of a key as text: the items of a list, `true` and `false` as YAML writes them."""
    found: list[str] = []
    for name, value in frontmatter.items():
        if fold(name) == fold(key):
            found += [_as_text(item) for item in (value if isinstance(value, list) else [value])]
    return found


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def _nothing_has(what: str, written: str, there: Iterable[str]) -> str:
    known = sorted({value for value in there if value}, key=fold)
    near = difflib.get_close_matches(fold(written), [fold(value) for value in known], n=1, cutoff=0.6)
    if near:
        nearest = next(value for value in known if fold(value) == near[0])
        return f"No note has the {what} `{written}`. Did you mean `{nearest}`?"
    shown = ", ".join(known[:_SHOWN_VALUES]) + (" …" if len(known) > _SHOWN_VALUES else "")
    return f"No note has the {what} `{written}`. There are: {shown or 'none'}."
