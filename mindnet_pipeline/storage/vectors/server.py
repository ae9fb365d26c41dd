"""The store on a Qdrant server or cluster, for several processes or machines at once.

A generation is the three collections `<prefix>_<collection>__<digest>`; the aliases `<prefix>_<collection>` point at
the current
one and are switched in one request. What a generation was made with stands in its collections' metadata (Qdrant 1.16
or newer).
Readers and writers take no lock: the server orders what they do.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cached_property

from qdrant_client import QdrantClient, models

from mindnet_pipeline.core.errors import StoreError
from mindnet_pipeline.storage.vectors.access import Reader, Writer
from mindnet_pipeline.storage.vectors.generations import from_json, generation_name, to_json
from mindnet_pipeline.storage.vectors.protocol import COLLECTIONS, CollectionName, StoreFacts
from mindnet_pipeline.storage.vectors.server_engine import ServerBackend, create_collection, talking_to

_TIMEOUT_S = 60
_IN_MEMORY = ":memory:"


class ServerStore:
    """`VectorStore` on a server. The URL `:memory:` is the client's own imitation of one, for tests."""

    def __init__(self, url: str, prefix: str, api_key: str = "") -> None:
        """Name the server; nothing is connected yet."""
        self._url = url
        self._prefix = prefix
        self._api_key = api_key

    def describe(self) -> str:
        """`server, <url>`."""
        return f"server, {self._url}"

    def current(self) -> StoreFacts | None:
        """The facts of the current generation; None if nothing was ever written."""
        with talking_to(self._url):
            target = self._aliases().get(self._alias("chunks"))
            return self._facts(target) if target else None

    def reader(self, wait_s: float = 10.0) -> Reader:  # noqa: ARG002 - nobody waits for a server's lock
        """Open the current generation for reading."""
        facts = self.current()
        if facts is None:
            raise StoreError(f"Qdrant server {self._url}: nothing is indexed yet. Run `mindnet sync` first.")
        return Reader(self._backend(facts), facts)

    def writer(self, facts: StoreFacts, wait_s: float = 60.0) -> Writer:  # noqa: ARG002 - likewise
        """Open the generation with these facts for writing, making it if it is not there."""
        with talking_to(self._url):
            there = self._names()
            for collection in COLLECTIONS:
                name = self._name(collection, facts)
                if name not in there:
                    create_collection(self._client, name, collection, facts.dimension, to_json(facts))
        return Writer(self._backend(facts), facts)

    def kept_open(self) -> AbstractContextManager[None]:
        """Nothing: a server is never closed to others."""
        return nullcontext()

    def switch(self, facts: StoreFacts) -> None:
        """Point the three aliases at the generation with these facts in one request, then drop all others."""
        with talking_to(self._url):
            there, aliases = self._names(), self._aliases()
            wanted = {self._alias(collection): self._name(collection, facts) for collection in COLLECTIONS}
            if not there.issuperset(wanted.values()):
                raise StoreError(
                    f"Qdrant server {self._url}: there is no generation made with {facts.model_key} to switch to."
                )
            changes: list[models.AliasOperations] = []
            for alias, name in wanted.items():
                if aliases.get(alias) == name:
                    continue
                if alias in aliases:
                    changes.append(models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias)))
                created = models.CreateAlias(collection_name=name, alias_name=alias)
                changes.append(models.CreateAliasOperation(create_alias=created))
            if changes:
                self._client.update_collection_aliases(change_aliases_operations=changes)
            for name in there.difference(wanted.values()):
                self._client.delete_collection(name)

    def generations(self) -> list[StoreFacts]:
        """All generations that exist, the current one first."""
        current = self.current()
        with talking_to(self._url):
            chunks = sorted(name for name in self._names() if name.startswith(f"{self._alias('chunks')}__"))
            found = [facts for name in chunks if (facts := self._facts(name))]
        return sorted(found, key=lambda facts: facts != current)

    def close(self) -> None:
        """Close the connection. Safe to repeat."""
        if "_client" in self.__dict__:
            self._client.close()

    @cached_property
    def _client(self) -> QdrantClient:
        if self._url == _IN_MEMORY:
            return QdrantClient(_IN_MEMORY)
        return QdrantClient(url=self._url, api_key=self._api_key or None, timeout=_TIMEOUT_S, check_compatibility=False)

    def _backend(self, facts: StoreFacts) -> ServerBackend:
        names = {collection: self._name(collection, facts) for collection in COLLECTIONS}
        return ServerBackend(self._client, self._url, names)

    def _alias(self, collection: CollectionName) -> str:
        return f"{self._prefix}_{collection}"

    def _name(self, collection: CollectionName, facts: StoreFacts) -> str:
        return f"{self._alias(collection)}__{generation_name(facts)}"

    def _names(self) -> set[str]:
        """The collections that are ours."""
        ours = tuple(f"{self._alias(collection)}__" for collection in COLLECTIONS)
        return {each.name for each in self._client.get_collections().collections if each.name.startswith(ours)}

    def _aliases(self) -> dict[str, str]:
        return {each.alias_name: each.collection_name for each in self._client.get_aliases().aliases}

    def _facts(self, name: str) -> StoreFacts | None:
        return from_json(self._client.get_collection(name).config.metadata)
