"""Vector stores: three collections (notes, chunks, edges) behind one protocol, embedded in the process or on a server.

`open_store(settings)` chooses: a server if `MINDNET_QDRANT_URL` is set, else the embedded engine below the data folder.
"""
