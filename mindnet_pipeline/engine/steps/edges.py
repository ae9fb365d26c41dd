"""Step 3: notes and chunks → edges, also those of unchanged notes whose links now lead elsewhere (relinked)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

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
    committed = pipeline.tables.read_manifest(_NAME_COLUMNS)
    pending = changesets.read_pending(pipeline.settings.data)
    remade = frozenset(run_set.all_ids)
    # Names that an interrupted run changed and this one leaves as they are, though it links by them.
    unsettled = _changed_names(pending.note_ids - remade, committed, names)
    keys = _changed_names(remade, committed, names) | unsettled | pending.names
    begun = pending.relinked & names.keys()
    relinked = sorted((begun | _notes_linking_by(keys, pipeline)) - remade)
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


def _changed_names(note_ids: Collection[str], committed: pa.Table, names: Mapping[str, NoteNames]) -> frozenset[str]:
    """The name keys, before and after, of those of these notes whose names are not the committed ones.

    Only the run set's and the journal's notes can be among them: of all others the committed rows stand.
    """
    ours = pc.is_in(committed["note_id"], pa.array(note_ids, pa.string()))
    present = {note_id: names[note_id] for note_id in note_ids if note_id in names}
    return changed_keys(_names(committed.filter(ours)), present)


def _notes_linking_by(keys: Collection[str], pipeline: Pipeline) -> set[str]:
    """Ids of the notes with a link whose resolution these keys could alter."""
    if not keys:
        return set()
    table = pipeline.tables.read("notes", columns=("note_id", "links"))
    known_keys: dict[tuple[str, str, str, str], bool] = {}
    return {
        note_id
        for note_id, links in zip(table["note_id"].to_pylist(), table["links"].to_pylist(), strict=True)
        if any(_is_affected(link, keys, known_keys) for link in links)
    }


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
