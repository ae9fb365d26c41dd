"""The five steps, one module each, named as the assets are. Each loads, calls the core, writes and says what was done.

Every step replaces all rows of the run set's notes and deletes those of removed notes, so that a note cut down to
nothing leaves nothing. A repeated step changes nothing. The order of commit is tables, points, manifest
(`commit.py`, last).
"""

from mindnet_pipeline.engine.steps.chunks import chunk_notes
from mindnet_pipeline.engine.steps.edges import link_notes
from mindnet_pipeline.engine.steps.embeddings import embed_chunks
from mindnet_pipeline.engine.steps.notes import parse_notes
from mindnet_pipeline.engine.steps.points import write_points

__all__ = ["chunk_notes", "embed_chunks", "link_notes", "parse_notes", "write_points"]
