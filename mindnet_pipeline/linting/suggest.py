"""The nearest existing names for a link that leads nowhere: for people to choose from, never to resolve by."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from mindnet_pipeline.core.resolve import comparison_key

_ALIKE = 72.0
_MOST_TARGETS = 1_000


class Suggestions:
    """Names to choose from, the first spelling of each. Each target is looked up once, the first 1,000 only."""

    def __init__(self, names: Iterable[str]) -> None:
        self._written: dict[str, str] = {}
        for name in names:
            self._written.setdefault(comparison_key(name), name)
        self._keys = list(self._written)
        self._known: dict[str, tuple[str, ...]] = {}

    def nearest(self, target: str, limit: int = 3) -> tuple[str, ...]:
        """The names most like the target's last part, the best first; none if nothing is alike."""
        key = comparison_key(target.rstrip("/").rpartition("/")[2]).removesuffix(".md")
        if key not in self._known:
            if len(self._known) >= _MOST_TARGETS:
                return ()
            found = process.extract(key, self._keys, scorer=fuzz.ratio, limit=limit, score_cutoff=_ALIKE)
            self._known[key] = tuple(self._written[name] for name, _, _ in found)
        return self._known[key]
