"""The plain text of a heading or callout title: what a reader sees, without the marks."""

from __future__ import annotations

import re

_MAX_LENGTH = 500
_MARKS = re.compile(
    r"""\\([!-/:-@\[-`{-~])|(`+)(.+?)\2|%%.*?%%|<!--.*?-->|</?[A-Za-z][^<>]*>"""
    r"""|!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]|!?\[([^\[\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)"""
)
_EMPHASIS = re.compile(r"(\*\*\*|\*\*|\*|~~|==)(?=\S)(.+?)(?<=\S)\1|(?<!\w)(___|__|_)(?=\S)(.+?)(?<=\S)\3(?!\w)")
_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+\s*$")
_SPACE = re.compile(r"\s+")


def plain_title(written: str) -> str:
    """The title as read. Very long ones are cut before their marks are looked for.

    >>> plain_title("**Stand** der [[Dinge|Sache]] `a_b` ^x1")
    'Stand der Sache a_b'
    """
    text = _BLOCK_ID.sub("", _SPACE.sub(" ", written[:_MAX_LENGTH]))
    if text.isalnum():
        return text
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(next((group for group in (match[1], match[3]) if group is not None), ""))
        return f"\x00{len(kept) - 1}\x00"

    def shown(match: re.Match[str]) -> str:
        if match[4] is not None:
            return match[4]
        return match[5] if match[5] is not None else hide(match)

    text = _MARKS.sub(shown, text.replace("\x00", ""))
    for _ in range(3):
        text = _EMPHASIS.sub(lambda m: m[2] or m[4], text)
    text = re.sub(r"\x00(\d+)\x00", lambda m: kept[int(m[1])], text)
    return _SPACE.sub(" ", text).strip()
