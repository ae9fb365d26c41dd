"""Step 2: notes → chunks."""

from __future__ import annotations

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.model import Chunk
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.progress import report
from mindnet_pipeline.engine.report import StepReport
from mindnet_pipeline.engine.run_set import RunSet
from mindnet_pipeline.storage.rows import chunks_table, notes_from


def chunk_notes(pipeline: Pipeline, run_set: RunSet) -> StepReport:
    """Cut the run set's notes into chunks, sized by the embedding model's own tokenizer."""
    notes = notes_from(pipeline.tables.read("notes", run_set.note_ids))
    registry, embedder = pipeline.settings.registry, pipeline.embedder
    chunks: list[Chunk] = []
    per_note: dict[str, dict[str, int]] = {}
    for done, note in enumerate(notes):
        report("chunks", done, len(notes))
        own = chunk_note(note, registry, embedder, embedder.max_tokens)
        per_note[note.note_id] = {"chunks": len(own), "tokens": sum(chunk.token_count for chunk in own)}
        chunks.extend(own)
    report("chunks", len(notes), len(notes))
    pipeline.tables.replace("chunks", run_set.all_ids, chunks_table(chunks))
    return StepReport(per_note, {"chunks": len(chunks), "tokens": sum(chunk.token_count for chunk in chunks)})
