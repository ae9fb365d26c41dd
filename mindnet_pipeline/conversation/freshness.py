"""Configuration that may be edited while a conversation goes on: read at each question, the last good version kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from mindnet_pipeline.core.errors import ConfigError

_Value = TypeVar("_Value")


class LastGood(Generic[_Value]):
    """A value loaded at each use. A version that cannot be loaded is reported once; the one before it stays."""

    def __init__(self, load: Callable[[], _Value], fallback: Callable[[], _Value] | None = None) -> None:
        self._load = load
        self._fallback = fallback
        self._good: _Value | None = None
        self._reported = ""

    def current(self) -> tuple[_Value, str]:
        """The value, and what is wrong with the newest version if that was not reported yet.

        Raises:
            ConfigError: it cannot be loaded, none was good before, and there is no fallback.
        """
        try:
            self._good = self._load()
        except ConfigError as error:
            return self._before(error), self._once(str(error))
        self._reported = ""
        return self._good, ""

    @property
    def latest(self) -> _Value:
        """The value as it was at the last use, or loaded now."""
        return self._good if self._good is not None else self.current()[0]

    @property
    def is_own(self) -> bool:
        """False as long as only the fallback is used."""
        return self._good is not None

    def _before(self, error: ConfigError) -> _Value:
        if self._good is not None:
            return self._good
        if self._fallback is None:
            raise error
        return self._fallback()

    def _once(self, said: str) -> str:
        if said == self._reported:
            return ""
        self._reported = said
        return said
