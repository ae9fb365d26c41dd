"""Where a hit is in its file."""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n|\r|\n")


def line_of(frontmatter_raw: str, body: str, char_start: int) -> int:
    r"""The line of the file, counted from 1, of the first character from `char_start` on that is not blank.

    >>> line_of("---\nid: x\n---\n", "\nText", 0)
    5
    """
    rest = body[char_start:]
    first = char_start + len(rest) - len(rest.lstrip())
    return 1 + len(_LINE_END.findall(frontmatter_raw)) + len(_LINE_END.findall(body[:first]))
