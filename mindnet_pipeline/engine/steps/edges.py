"""Step 3: notes and chunks → edges, also those of unchanged notes whose links now lead elsewhere (relinked)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import pyarrow as pa

from mindnet_pipeline.core.edges import derive_edges
from mindnet_pipeline.core.model import Chunk, Edge, Link, NoteNames
from mindnet_pipeline.core.resolve import NoteIndex, changed_keys, index_of, link_keys
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.progress import report
from mindnet_pipeline.engine.report import StepReport
from mindnet_pipeline.engine.run_set import RunSet
from mindnet_pipeline.storage import changesets
from mindnet_pipeline.storage.rows import chunks_from, edges_table, notes_from

_NAME_COLUMNS = ("note_id", "path", "title", "aliases")


def link_notes(pipeline: Pipeline, run_set: RunSet) -> StepReport:
    """Derive the edges of the run set's notes and of those that must be relinked.

    The relinked notes are noted in the journal first: the points step needs them, and after a crash they are made anew.
    """
    names = _names(pipeline.tables.read("notes", columns=_NAME_COLUMNS))
    before = _names(pipeline.tables.read_manifest(_NAME_COLUMNS))
    relinked = find_relinked(pipeline, run_set, before, names)
    unsettled = _changed_by_others(run_set, before, names)
    changesets.write_pending(pipeline.settings.data, run_set.all_ids, relinked, unsettled)
    ids = [*run_set.note_ids, *relinked]
    edges, per_note, notices = _derive(pipeline, ids, index_of(tuple(names.values())))
    pipeline.tables.replace("edges", [*ids, *run_set.removed], edges_table(edges))
    totals = {
        "edges": len(edges),
        "relinked": len(relinked),
        "unresolved": sum(edge.status == "unresolved" for edge in edges),
        "ambiguous": sum(edge.ambiguous for edge in edges),
    }
    return StepReport(per_note, totals, tuple(notices))


def find_relinked(
    pipeline: Pipeline, run_set: RunSet, before: Mapping[str, NoteNames], names: Mapping[str, NoteNames]
) -> list[str]:
    """Ids of notes outside the run set with a link whose resolution the changed names could alter, sorted.

    Those that an interrupted run had begun to relink are among them.
    """
    remade = set(run_set.all_ids)
    pending = changesets.read_pending(pipeline.settings.data)
    begun = {each for each in pending.relinked if each in names} - remade
    keys = changed_keys(before, names) | pending.names
    if not keys:
        return sorted(begun)
    linking = pipeline.tables.read("notes", columns=("note_id", "links"))
    known_keys: dict[tuple[str, str, str, str], bool] = {}
    found = begun
    for note_id, links in zip(linking["note_id"].to_pylist(), linking["links"].to_pylist(), strict=True):
        if note_id not in remade and any(_is_affected(link, keys, known_keys) for link in links):
            found.add(note_id)
    return sorted(found)


def _changed_by_others(
    run_set: RunSet, before: Mapping[str, NoteNames], names: Mapping[str, NoteNames]
) -> Collection[str]:
    """Names that an interrupted run changed and this one leaves as they are, though it links by them."""
    remade = set(run_set.all_ids)
    committed, present = (
        {note_id: each for note_id, each in side.items() if note_id not in remade} for side in (before, names)
    )
    return changed_keys(committed, present)


def _is_affected(row: Mapping[str, str], keys: Collection[str], cache: dict[tuple[str, str, str, str], bool]) -> bool:
    identity = (row["syntax"], row["target"], row["display"], row["destination"])
    if identity not in cache:
        syntax, target, display, destination = identity
        link = Link(syntax, target, 0, 0, display=display, destination=destination)  # type: ignore[arg-type]
        cache[identity] = not link_keys(link).isdisjoint(keys)
    return cache[identity]


def _derive(
    pipeline: Pipeline, note_ids: list[str], index: NoteIndex
) -> tuple[list[Edge], dict[str, dict[str, int]], list[tuple[str, str]]]:
    settings = pipeline.settings
    chunks_of: dict[str, list[Chunk]] = {}
    for chunk in chunks_from(pipeline.tables.read("chunks", note_ids)):
        chunks_of.setdefault(chunk.note_id, []).append(chunk)
    edges: list[Edge] = []
    per_note: dict[str, dict[str, int]] = {}
    notices: list[tuple[str, str]] = []
    notes = notes_from(pipeline.tables.read("notes", note_ids))
    for done, note in enumerate(notes):
        report("edges", done, len(notes))
        derived = derive_edges(
            note,
            chunks_of.get(note.note_id, []),
            index,
            settings.registry,
            note_scope_references=settings.sync.note_scope_references,
        )
        edges.extend(derived.edges)
        states = Counter(edge.status for edge in derived.edges)
        per_note[note.note_id] = {"edges": len(derived.edges), "unresolved": states["unresolved"]}
        notices.extend((note.path, finding.message) for finding in derived.findings)
    report("edges", len(notes), len(notes))
    return edges, per_note, notices


def _names(table: pa.Table) -> dict[str, NoteNames]:
    return {names.note_id: names for names in _rows(table)}


def _rows(table: pa.Table) -> Iterator[NoteNames]:
    columns = (table[name].to_pylist() for name in _NAME_COLUMNS)
    for note_id, path, title, aliases in zip(*columns, strict=True):
        yield NoteNames(note_id, path, title, tuple(aliases or ()))
