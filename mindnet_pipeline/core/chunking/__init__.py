"""Blocks → chunks, under the ten laws of the design (DESIGN, "Chunking laws").

`sections` finds the sections, `pieces` cuts their blocks into what may not be cut further, `packing` puts pieces
together into chunks, `merging` joins small ones, `overlap` says how much of the chunk before is repeated, `assemble`
fills the fields. Sizes are tokens of the counter; every offset is a character of the note's body. Not here: parsing,
links' targets, embedding.
"""

from mindnet_pipeline.core.chunking.assemble import CHUNKER_VERSION, chunk_note

__all__ = ["CHUNKER_VERSION", "chunk_note"]
