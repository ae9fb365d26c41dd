"""Vector stores: one protocol (protocol.py), two backends (embedded.py, server.py), opened here.

What a reader and a writer do is written once (access.py) over a small `Backend` (backend.py); a backend only speaks to
its
engine. Opening the embedded store imports no server client, and the other way round.
"""

from __future__ import annotations

from mindnet_pipeline.settings import Settings
from mindnet_pipeline.storage.vectors.protocol import VectorStore


def open_store(settings: Settings) -> VectorStore:
    """The store that the settings name: a server if there is a URL, else the embedded engine below the data folder.

    Nothing is opened or connected yet. Raises `StoreError` if the embedded store has no local folder to live in.
    """
    if settings.store.url:
        from mindnet_pipeline.storage.vectors.server import ServerStore  # noqa: PLC0415 - only where it is chosen

        return ServerStore(settings.store.url, settings.store.prefix, settings.store.api_key)
    from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore  # noqa: PLC0415 - only where it is chosen

    return EmbeddedStore(settings.data)
