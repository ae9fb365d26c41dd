"""Numbers of things as people say them."""

from __future__ import annotations


def counted(number: int, thing: str, things: str = "") -> str:
    """The number with its noun; `things` is the plural, where it is not `thing` with an s.

    >>> counted(1, "note"), counted(2000, "note"), counted(0, "Notiz", "Notizen")
    ('1 note', '2,000 notes', '0 Notizen')
    """
    return f"{number:,} {thing if number == 1 else things or f'{thing}s'}"
