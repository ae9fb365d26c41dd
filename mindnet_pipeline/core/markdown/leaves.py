"""Blocks without blocks in them, for marko: headings, code, HTML, formulas, comments, definitions.

marko's own ones where they must be quicker or stricter, and those of Obsidian. Elements with text keep it as `pieces`,
spans of the body, one a line, so that nothing has to be mapped back. Not here: paragraphs, tables, the inside of lines.
"""

# ruff: noqa: D102 `match` and `parse` mean what they mean in marko.block.BlockElement

from __future__ import annotations

import re
from typing import Any

from marko import block
from marko.helpers import normalize_label

from mindnet_pipeline.core.markdown.source import AnySource, compiled
from mindnet_pipeline.core.model import Span

_ONE_BREAK = r"[ \t]*\n?[ \t]*"
_TITLE = r"(?:[^{}\\\n]|\\.|\n(?![ \t]*\n)){{0,999}}"
_MATH_OPENING = re.compile(r" {0,3}\$\$")
_MATH_CLOSING = re.compile(r"\$\$[ \t]*$", re.MULTILINE)
_COMMENT_OPENING = re.compile(r" {0,3}%%")


class BlankLine(block.BlankLine):
    """A line of blanks and tabs. Other white space is text (CommonMark 2.1)."""

    override = True

    @classmethod
    def match(cls, source: AnySource) -> Any:
        start = source.content_start()
        return start >= 0 and not source.first_character(start)

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        start = source.pos
        while not source.exhausted and cls.match(source):
            source.next_line()
            source.consume()
        return start


class Heading(block.Heading):
    """An ATX heading."""

    override = True
    pattern = re.compile(r" {0,3}(#{1,6})(?:[ \t]+([^\n]*))?(?:\n|\Z)")

    def __init__(self, match: re.Match[str]) -> None:
        self.level = len(match[1])
        written = (match[2] or "").rstrip()
        closing = written.rstrip("#")
        if closing != written and (not closing or closing[-1] in " \t"):
            written = closing.rstrip()
        start = match.start(2) if match[2] is not None else match.end(1)
        self.pieces: tuple[Span, ...] = ((start, start + len(written)),)


class ThematicBreak(block.ThematicBreak):
    """Three or more of one of `-`, `_`, `*`, with blanks and tabs between them."""

    override = True
    pattern = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$\n?", re.MULTILINE)

    @classmethod
    def match(cls, source: AnySource) -> Any:
        return source.expect_re(cls.pattern)


class CodeBlock(block.CodeBlock):
    """Lines indented by four columns or more, blank lines between them."""

    override = True

    def __init__(self) -> None:
        self.children = []

    @classmethod
    def match(cls, source: AnySource) -> Any:
        start = source.content_start()
        return start >= 0 and source.first_character(start) == " "

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        after = source.pos
        while not source.exhausted and (start := source.content_start()) >= 0:
            first = source.first_character(start)
            if first not in {" ", ""}:
                break
            source.next_line()
            source.consume()
            after = source.pos if first else after
        source.pos = after
        return cls()


class FencedCode(block.FencedCode):
    """A fence; only its language is kept, its lines are the body's."""

    override = True
    pattern = re.compile(r"( {0,3})(`{3,}(?=[^`\n]*$)|~{3,})[ \t]*([^\n]*?)$", re.MULTILINE)

    def __init__(self, language: str) -> None:
        self.language = language
        self.children = []

    @classmethod
    def match(cls, source: AnySource) -> Any:
        source.context.fence = source.expect_re(cls.pattern)
        return source.context.fence

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        fence, info = source.context.fence[2], source.context.fence[3].split()
        closing = compiled(rf" {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
        source.next_line()
        source.consume()
        while not source.exhausted and source.next_line() is not None:
            end = source.expect_re(closing)
            source.next_line()
            source.consume()
            if end:
                break
        return cls(info[0].lower() if info else "")


class HTMLBlock(block.HTMLBlock):
    """An HTML block; marko's seven patterns are only tried where a `<` stands."""

    override = True

    @classmethod
    def match(cls, source: AnySource) -> Any:
        start = source.content_start()
        return start >= 0 and source.first_character(start) == "<" and super().match(source)


class LinkRefDef(block.LinkRefDef):
    """`[label]: destination "title"`; within a container on one line."""

    override = True
    pattern = re.compile(
        rf"""
        [ ]{{0,3}}\[(?!\^)((?:[^\[\]\\]|\\.){{1,999}})\]:{_ONE_BREAK}
        (<(?:[^<>\\\n]|\\.)*>|[^\s<]\S*)
        (?:(?:[ \t]+|[ \t]*\n[ \t]*)(?:"{_TITLE.format('"')}"|'{_TITLE.format("'")}'|\({_TITLE.format("()")}\)))?
        [ \t]*$
        """,
        re.MULTILINE | re.VERBOSE,
    )

    def __init__(self, label: str, destination: str) -> None:
        self.label = label
        self.dest = destination
        self.title = None

    @classmethod
    def match(cls, source: AnySource) -> Any:
        start = source.content_start()
        end = len(source.text) if not source.prefix else source.line_end(start)
        source.match = cls.pattern.match(source.text, start, end)
        source.context.definition = source.match
        return source.match is not None and bool(source.match[1].strip())

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        found = source.context.definition
        label = normalize_label(found[1])
        source.root.link_ref_defs.setdefault(label, (found[2], ""))
        while not source.exhausted and source.pos < found.end():
            source.next_line()
            source.consume()
        return cls(label, found[2])


class MathBlock(block.BlockElement):
    """`$$` at a line's start up to a line that ends with `$$`. Nothing in it is Markdown. Unclosed, it is text."""

    priority = 9
    breaks_paragraph = True
    children = ()

    @classmethod
    def match(cls, source: AnySource) -> Any:
        opening = source.expect_re(_MATH_OPENING)
        if not opening:
            return False
        end = source.line_end(opening.end())
        same_line = source.text.find("$$", opening.end(), end)
        if same_line >= 0:
            source.context.closing = same_line
            return not source.text[same_line + 2 : end].strip()
        source.context.closing = _closing(source, _MATH_CLOSING, end)
        return source.context.closing >= 0

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        _consume_through(source, source.context.closing)
        return cls()


class CommentBlock(block.BlockElement):
    """`%%` at a line's start up to the next `%%`, or to the end (as Obsidian hides it). What is behind it is text."""

    priority = 9
    breaks_paragraph = True
    children = ()

    def __init__(self, behind: Span) -> None:
        self.pieces = (behind,)

    @classmethod
    def match(cls, source: AnySource) -> Any:
        opening = source.expect_re(_COMMENT_OPENING)
        if not opening:
            return False
        closing = source.text.find("%%", opening.end())
        source.context.closing = len(source.text) if closing < 0 else closing
        if not 0 <= closing < (end := source.line_end(opening.end())):
            return True
        return not source.text[closing + 2 : end].strip()

    @classmethod
    def parse(cls, source: AnySource) -> Any:
        closing = source.context.closing
        _consume_through(source, closing)
        return cls((min(closing + 2, source.pos), source.pos))


def _closing(source: AnySource, pattern: re.Pattern[str], start: int) -> int:
    """Where the pattern is found from `start` on; remembers that there is no more of it: many openers stay cheap."""
    none_from = getattr(source.context, "none_from", None)
    if none_from is not None and start >= none_from:
        return -1
    found = pattern.search(source.text, start)
    if not found:
        source.context.none_from = start
        return -1
    return found.start()


def _consume_through(source: AnySource, closing: int) -> None:
    """Consume the lines up to the one that holds `closing`, as long as they belong to the open containers."""
    while not source.exhausted and source.pos <= closing and source.next_line() is not None:
        source.consume()
