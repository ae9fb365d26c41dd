"""Embedders: text → vectors. One protocol (`protocol.py`), one module per engine, chosen by `open_embedder`.

Nothing here is imported or loaded before it is asked for: no model, no network, no torch at import.
"""
