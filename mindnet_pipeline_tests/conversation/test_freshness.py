"""Configuration edited while it is in use: at once where it is right, the last good version where it is not."""

from __future__ import annotations

import pytest

from mindnet_pipeline.conversation.freshness import LastGood
from mindnet_pipeline.core.errors import ConfigError


class File:
    """A file that can be loaded or not."""

    def __init__(self, content: str) -> None:
        self.content = content

    def load(self) -> str:
        if self.content.startswith("wrong"):
            raise ConfigError(self.content)
        return self.content


def test_an_edit_works_at_the_next_use() -> None:
    file = File("a")
    value = LastGood(file.load)
    assert value.current() == ("a", "")
    file.content = "b"
    assert value.current() == ("b", "")


def test_a_wrong_edit_is_reported_once_and_the_last_good_version_stays() -> None:
    file = File("a")
    value = LastGood(file.load)
    value.current()
    file.content = "wrong 1"
    assert [value.current(), value.current()] == [("a", "wrong 1"), ("a", "")]
    file.content = "wrong 2"
    assert value.current() == ("a", "wrong 2")


def test_the_same_mistake_made_again_is_reported_again() -> None:
    file = File("a")
    value = LastGood(file.load)
    for content in ("a", "wrong", "a"):
        file.content = content
        value.current()
    file.content = "wrong"
    assert value.current() == ("a", "wrong")


def test_a_first_version_that_is_wrong_is_an_error_or_falls_back() -> None:
    with pytest.raises(ConfigError):
        LastGood(File("wrong").load).current()
    value = LastGood(File("wrong").load, lambda: "shipped")
    assert (value.current(), value.is_own) == (("shipped", "wrong"), False)
