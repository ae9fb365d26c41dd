"""Where a link leads: link text + the names of all notes → one note or none, as Obsidian does it.

Here belong the order of the rules, the form in which names are compared, and the keys by which a sync knows which
notes to resolve anew. What a link *means* (kinds, confidences) is `edges.py`; reading links from text is `markdown.py`.
There is never a fuzzy guess: a link that no rule answers is unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mindnet_pipeline.core.ids import fold, nfc
from mindnet_pipeline.core.model import Link, Note, NoteNames, Resolution, ResolvedBy

UNRESOLVED = Resolution(None)
_NO_BREAK_SPACE = "\u00a0"


def names_of(note: Note) -> NoteNames:
    """The names under which links find this note."""
    return NoteNames(note.note_id, note.path, note.title, note.aliases)


@lru_cache(maxsize=1 << 16)
def comparison_key(name: str) -> str:
    """The form in which names, titles, ids and paths are compared: each part between slashes folded for itself.

    Part by part, because blanks around a slash do not count and because lower-casing looks at its neighbours (a Greek
    sigma at a word's end); a no-break space is a space, as in Obsidian.

    >>> comparison_key(" Ordner / Große Dinge "), comparison_key("STRASSE") == comparison_key("Straße")
    ('ordner/große dinge', False)
    """
    return "/".join(fold(part) for part in name.replace(_NO_BREAK_SPACE, " ").split("/"))


def name_keys(names: NoteNames) -> frozenset[str]:
    """The keys of everything by which links find this note: file name, id, title, aliases."""
    texts = (_without_md(names.path).rpartition("/")[2], names.note_id, names.title, *names.aliases)
    return frozenset(comparison_key(text) for text in texts)


def link_keys(link: Link) -> frozenset[str]:
    """The keys on which this link's resolution can depend; empty for links that resolution does not answer.

    As long as no note with one of these keys among its `name_keys` appears, vanishes or changes its names, the link
    leads where it led before, if its own note stays where it is.
    """
    if not _asks_for_a_note(link):
        return frozenset()
    keys = {comparison_key(link.target)}
    keys.update(comparison_key(stem.rpartition("/")[2]) for stem in _stems(link.target))
    if _may_be_swapped(link):
        keys.add(comparison_key(link.display))
    return frozenset(keys)


def changed_keys(old: Mapping[str, NoteNames], new: Mapping[str, NoteNames]) -> frozenset[str]:
    """The name keys, before and after, of every note whose names appeared, vanished or changed.

    Both mappings have the same kind of key (path or note id); which one does not matter.
    """
    changed: set[str] = set()
    for key in old.keys() | new.keys():
        before, after = old.get(key), new.get(key)
        if before != after:
            changed.update(*(name_keys(names) for names in (before, after) if names))
    return frozenset(changed)


@dataclass(frozen=True, slots=True)
class _Place:
    """A note's place: its path without `.md` as written (NFC) and as compared."""

    note_id: str
    path: str
    stem: str
    key: str


class NoteIndex:
    """All names of a vault's notes, for resolving links. Built once, in any order, with the same result."""

    def __init__(self, names: Iterable[NoteNames]) -> None:
        self._by_path: dict[str, list[_Place]] = {}
        self._by_name: dict[str, list[_Place]] = {}
        self._by_id: dict[str, list[_Place]] = {}
        self._by_title: dict[str, list[_Place]] = {}
        self._by_alias: dict[str, list[_Place]] = {}
        self._exact_ids: dict[str, str] = {}
        for each in sorted(names, key=_shortest_path_first):
            self._add(each)

    def _add(self, names: NoteNames) -> None:
        stem = nfc(_without_md(names.path))
        place = _Place(names.note_id, names.path, stem, comparison_key(stem))
        self._exact_ids.setdefault(nfc(names.note_id).strip(), names.note_id)
        self._by_path.setdefault(place.key, []).append(place)
        self._by_name.setdefault(place.key.rpartition("/")[2], []).append(place)
        self._by_id.setdefault(comparison_key(names.note_id), []).append(place)
        self._by_title.setdefault(comparison_key(names.title), []).append(place)
        for alias in {comparison_key(alias) for alias in names.aliases}:
            self._by_alias.setdefault(alias, []).append(place)

    def resolve(self, link: Link, source_path: str) -> Resolution:
        """Where the link leads when it is written in the note at `source_path`.

        Links to attachments, to the outside and to a place in their own note are unresolved here.
        """
        if not _asks_for_a_note(link):
            return UNRESOLVED
        return self._by_target(link.target, source_path) or self._swapped(link) or UNRESOLVED

    def namesakes(self, target: str) -> tuple[str, ...]:
        """The paths of all notes that have this file name, id, title or alias: those whom a person could mean."""
        found: dict[str, None] = {}
        for stem in _stems(target):
            key = comparison_key(stem)
            lists = (self._ending_in(key), self._by_id.get(key), self._by_title.get(key), self._by_alias.get(key))
            found.update(dict.fromkeys(place.path for places in lists for place in places or ()))
        return tuple(found)

    def _by_target(self, target: str, source_path: str) -> Resolution | None:
        target = nfc(target.replace(_NO_BREAK_SPACE, " ")).strip()
        folder = source_path.rpartition("/")[0]
        if target.startswith(("./", "../")):
            return self._at(_stems(_joined(folder, target)), "path")
        if target.startswith("/"):
            return self._at(_stems(_joined("", target)), "path")
        stems = _stems(_joined("", target) if "/." in target or "//" in target else target)
        return (
            self._at(stems, "path")
            or self._with_id(target)
            or (self._at([f"{nfc(folder)}/{stem}" for stem in stems], "folder") if folder else None)
            or self._ending(stems)
            or self._only_one(self._by_title, target, "title")
            or self._only_one(self._by_alias, target, "alias")
        )

    def _at(self, stems: Sequence[str], resolved_by: ResolvedBy) -> Resolution | None:
        """The note at one of these paths. Two paths that differ in case only: the one written exactly so."""
        for stem in stems:
            if places := self._by_path.get(comparison_key(stem)):
                return _pick(places, [place for place in places if place.stem == stem], resolved_by)
        return None

    def _with_id(self, target: str) -> Resolution | None:
        if target in self._exact_ids:
            return Resolution(self._exact_ids[target], "id")
        places = self._by_id.get(comparison_key(target))
        return _pick(places, [], "id") if places else None

    def _ending(self, stems: Sequence[str]) -> Resolution | None:
        for stem in stems:
            if places := self._ending_in(comparison_key(stem)):
                return _pick(places, [], "name")
        return None

    def _ending_in(self, key: str) -> Sequence[_Place]:
        """The notes whose path ends in the key at a folder border, the shortest path first."""
        folder, _, name = key.rpartition("/")
        places = self._by_name.get(name, ())
        if not folder:
            return places
        return [place for place in places if place.key == key or place.key.endswith(f"/{key}")]

    def _only_one(
        self, names: Mapping[str, Sequence[_Place]], target: str, resolved_by: ResolvedBy
    ) -> Resolution | None:
        places = names.get(comparison_key(target), ())
        return Resolution(places[0].note_id, resolved_by) if len(places) == 1 else None

    def _swapped(self, link: Link) -> Resolution | None:
        """Older notes wrote `[[Title|id]]`: the shown text is the target if it is exactly a note id."""
        note_id = self._exact_ids.get(nfc(link.display).strip()) if _may_be_swapped(link) else None
        return None if note_id is None else Resolution(note_id, "swapped")


@lru_cache(maxsize=1)
def index_of(names: tuple[NoteNames, ...]) -> NoteIndex:
    """The index of these names; the latest is kept, because a run resolves and checks with the same."""
    return NoteIndex(names)


def _pick(places: Sequence[_Place], exact: Sequence[_Place], resolved_by: ResolvedBy) -> Resolution:
    """The place written exactly so, else the first; ambiguous if others were as good."""
    best = exact or places
    return Resolution(best[0].note_id, resolved_by, ambiguous=len(best) > 1)


def _asks_for_a_note(link: Link) -> bool:
    return link.destination == "note" and bool(link.target.strip())


def _may_be_swapped(link: Link) -> bool:
    return link.syntax != "mdlink" and bool(link.display)


def _shortest_path_first(names: NoteNames) -> tuple[int, str, str]:
    path = nfc(names.path)
    return len(path), path, names.path


def _without_md(path: str) -> str:
    return path[:-3] if path[-3:].lower() == ".md" else path


def _stems(target: str) -> list[str]:
    """The paths without `.md` that a target can mean: `[[A.md]]` is the file `A.md` and only then `A.md.md`."""
    stem = _without_md(target.strip())
    return [text for text in dict.fromkeys((stem, target.strip())) if text]


def _joined(folder: str, target: str) -> str:
    """The target as a path from the vault's root; `""` (no note) if it leads out of the vault or names a folder."""
    if target.rpartition("/")[2] in {"", ".", ".."}:
        return ""
    parts = nfc(folder).split("/") if folder else []
    for part in target.split("/"):
        if part == ".." and not parts:
            return ""
        if part == "..":
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    return "/".join(parts)
