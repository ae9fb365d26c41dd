"""The errors that mindnet raises on purpose.

User text (notes) never raises: it yields `Finding`s. These are for what a person must mend: configuration, a missing
vault, a store held by another process. A command line prints the message as one line and exits with code 2.
"""

from __future__ import annotations


class MindnetError(Exception):
    """Something a person can mend. The message says what, where and what to do."""


class ConfigError(MindnetError):
    """A configuration file or an environment variable is wrong."""


class VaultError(MindnetError):
    """The vault folder is missing, unreadable, empty or suddenly almost empty."""


class StoreError(MindnetError):
    """The vector store cannot be used: unreachable, of another schema, or never filled."""


class StoreLockedError(StoreError):
    """Another process holds the embedded store or the writer lock."""


class ModelMismatchError(StoreError):
    """The collection was made with another embedding model than the one asked with."""


class EmbedderError(MindnetError):
    """An embedding model cannot be loaded."""


class QueryError(MindnetError):
    """A question or a filter cannot be understood."""


def in_a_line(error: BaseException) -> str:
    r"""What an error of another package says, short enough for the middle of a message; its kind if it says nothing.

    >>> in_a_line(ValueError("no such file\nand much more")), in_a_line(KeyError("layers")), in_a_line(OSError())
    ('no such file', "KeyError: 'layers'", 'OSError')
    """
    kind, said = type(error).__name__, str(error).strip()
    line = f"{kind}: {said}" if isinstance(error, LookupError) else said or kind
    return line.splitlines()[0][:300]
