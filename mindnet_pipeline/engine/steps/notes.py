"""Step 1: vault → notes. A file is read once; what is recorded as its hash is what was read."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from mindnet_pipeline.core.frontmatter import join_source
from mindnet_pipeline.core.model import Note
from mindnet_pipeline.core.notes import LINT_ONLY, parse_note
from mindnet_pipeline.core.sync import Seen, Upsert, state_key
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import look_at_bytes
from mindnet_pipeline.engine.progress import report
from mindnet_pipeline.engine.report import StepReport
from mindnet_pipeline.engine.run_set import RunSet
from mindnet_pipeline.storage import changesets
from mindnet_pipeline.storage.rows import FileFacts, notes_table
from mindnet_pipeline.storage.vault import FileStat, read_file

_AS_READ = ("path", "frontmatter_raw", "fulltext", "bom", "encoding", "size", "mtime_ns")


def parse_notes(pipeline: Pipeline, run_set: RunSet) -> StepReport:
    """Read and parse the run set's files; rows of removed notes go.

    A file that cannot be read or vanished meanwhile is taken as it was last read, so that other rules and models reach
    it all the same; the next scan sees what became of it. One that was never read at its path has no rows until then.
    """
    changesets.write_pending(pipeline.settings.data, run_set.all_ids)
    read: list[tuple[Note, FileFacts]] = []
    unread: list[Upsert] = []
    notices: list[tuple[str, str]] = []
    for done, upsert in enumerate(run_set.upserts):
        report("parsed_notes", done, len(run_set.upserts))
        try:
            data, stat = read_file(pipeline.settings.vault, upsert.seen.path)
        except OSError as error:
            notices.append((upsert.seen.path, f"cannot be read ({error.strerror or error}); its last state was kept"))
            unread.append(upsert)
            continue
        read.append(_parse(pipeline, upsert, data, stat))
    read += _last_states(pipeline, unread)
    notes = [note for note, _ in read]
    report("parsed_notes", len(run_set.upserts), len(run_set.upserts))
    pipeline.tables.replace("notes", run_set.all_ids, notes_table(notes, [facts for _, facts in read]))
    return StepReport(
        per_note={note.note_id: _figures(note) for note in notes},
        totals={"notes": len(notes), "warnings": sum(len(note.warnings) for note in notes)},
        notices=(
            *notices,
            *((note.path, f.message) for note in notes for f in note.warnings if f.code not in LINT_ONLY),
        ),
    )


def _parse(pipeline: Pipeline, upsert: Upsert, data: bytes, stat: FileStat) -> tuple[Note, FileFacts]:
    path = upsert.seen.path
    seen = look_at_bytes(pipeline, path, data, stat)
    return parse_note(path, data, upsert.note_id, pipeline.settings.registry), _facts(pipeline, seen)


def _last_states(pipeline: Pipeline, unread: Sequence[Upsert]) -> list[tuple[Note, FileFacts]]:
    """The notes of these files from the bytes that were last read there, which the notes table keeps; in no order.

    Files that were never read at this path have none.
    """
    if not unread:
        return []
    by_path = {upsert.seen.path: upsert for upsert in unread}
    known = pipeline.tables.read("notes", columns=("note_id", "path"))
    wanted = known.filter(pc.is_in(known["path"], pa.array(by_path, pa.string())))["note_id"].to_pylist()
    rows = {row["path"]: row for row in pipeline.tables.read("notes", wanted, _AS_READ).to_pylist()}
    return [
        _parse(
            pipeline,
            by_path[path],
            join_source(row["frontmatter_raw"], row["fulltext"], bom=row["bom"], encoding=row["encoding"]),
            FileStat(row["size"], row["mtime_ns"]),
        )
        for path, row in rows.items()
    ]


def _facts(pipeline: Pipeline, seen: Seen) -> FileFacts:
    return FileFacts(
        size=seen.size,
        mtime_ns=seen.mtime_ns,
        file_hash=seen.file_hash,
        content_hash=seen.content_hash,
        declared_id=seen.declared_id,
        state_key=state_key(seen.content_hash, seen.path, pipeline.fingerprint),
        model_key=pipeline.embedder.model_key,
    )


def _figures(note: Note) -> dict[str, int]:
    return {"characters": len(note.fulltext), "links": len(note.links), "warnings": len(note.warnings)}
