"""Step 4: chunks → embeddings. A window that was embedded once is never embedded again: the cache knows its hash."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from mindnet_pipeline.core.model import Chunk
from mindnet_pipeline.core.windows import overlap_text, window_text
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.progress import report
from mindnet_pipeline.engine.report import StepReport
from mindnet_pipeline.engine.run_set import RunSet
from mindnet_pipeline.storage.rows import chunks_from, embeddings_table


def embed_chunks(pipeline: Pipeline, run_set: RunSet) -> StepReport:
    """Embed the windows of the run set's chunks, storing what is made as it goes, so that a killed run continues."""
    if pipeline.embedder.dimension == 0:
        pipeline.tables.replace("embeddings", run_set.all_ids, embeddings_table([], {}, pipeline.embedder.model_key))
        return StepReport({note_id: {"vectors": 0} for note_id in run_set.note_ids}, {"embedded": 0, "reused": 0})
    chunks = chunks_from(pipeline.tables.read("chunks", run_set.note_ids))
    windows = dict(windows_of(chunks))
    vectors = pipeline.embedding_cache.get(list(windows))
    missing = [window_hash for window_hash in windows if window_hash not in vectors]
    for window_hash, vector in _embed(pipeline, missing, [windows[each] for each in missing]):
        vectors[window_hash] = vector
    pipeline.tables.replace(
        "embeddings", run_set.all_ids, embeddings_table(chunks, vectors, pipeline.embedder.model_key)
    )
    per_note = dict.fromkeys(run_set.note_ids, 0)
    for chunk in chunks:
        per_note[chunk.note_id] += 1
    return StepReport(
        per_note={note_id: {"vectors": count} for note_id, count in per_note.items()},
        totals={"embedded": len(missing), "reused": len(windows) - len(missing)},
    )


def windows_of(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str]]:
    """(window hash, window) of each chunk; `chunks` are ordered by note and index."""
    for previous, chunk in zip(chain(chunks[:1], chunks), chunks, strict=False):
        yield chunk.window_hash, window_text(chunk, overlap_text(previous, chunk.overlap_chars))


def _embed(
    pipeline: Pipeline, hashes: Sequence[str], windows: Sequence[str]
) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
    done = 0
    for indices, vectors in pipeline.embedder.embed_stream(windows) if windows else ():
        made = [hashes[index] for index in indices]
        pipeline.embedding_cache.put(made, vectors)
        done += len(made)
        report("embeddings", done, len(windows))
        yield from zip(made, vectors, strict=True)
