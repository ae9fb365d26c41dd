"""mindnet: an Obsidian vault as a typed graph and vectors in Qdrant, kept true by Dagster.

Importing the package does no I/O and imports nothing else. Start reading in `core/model.py` (the words as types), then
follow the data: vault → notes → chunks → edges → embeddings → collections → retriever.
"""

__version__ = "0.1.0"
