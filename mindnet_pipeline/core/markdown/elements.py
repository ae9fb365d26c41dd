"""Block elements for marko: its own ones where they must be quicker or stricter, and those of Obsidian and GFM.

Here: what starts, continues and ends a block. Not here: tables (tables.py), what stands inside a line (inline.py).
Elements that hold text keep it as `pieces`: spans of the body, one a line, so that nothing has to be mapped back.
"""

from __future__ import annotations

import re
from typing import Any

from marko import block
from marko.helpers import normalize_label

from mindnet_pipeline.core.markdown.source import MAX_DEPTH, BodySource, compiled
from mindnet_pipeline.core.model import Span

_BREAKERS = frozenset("#>`~-*+_<$%[0123456789")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$", re.MULTILINE)
_MATH_OPENING = re.compile(r" {0,3}\$\$")
_MATH_CLOSING = re.compile(r"\$\$[ \t]*$", re.MULTILINE)
_COMMENT_OPENING = re.compile(r" {0,3}%%")
_LINE_MARKS = re.compile(r"\\.|(`+)(?:(?!`).)*?(?<!`)\1(?!`)|%%|\$\$")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LIST_START = re.compile(r" {0,3}(?:[-+*]|0{0,8}1[.)])[ \t]+[^\s]")
_LIST_ANY = re.compile(r" {0,3}(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t\n]|\Z)")
_CALLOUT = re.compile(r" {0,3}> ?[ \t]*\[!([^\]\n]*)\][+-]?[ \t]*([^\n]*)")


class BlankLine(block.BlankLine):
    """A line of blanks and tabs. Other white space is text (CommonMark 2.1)."""

    override = True

    @classmethod
    def match(cls, source: BodySource) -> bool:
        start = source.content_start()
        return start >= 0 and not source.first_character(start)

    @classmethod
    def parse(cls, source: BodySource) -> int:
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


class Quote(block.Quote):
    """A block quote; a callout if its first line says so."""

    override = True
    _prefix = r" {0,3}>[ \t]?"

    @classmethod
    def match(cls, source: BodySource) -> Any:
        return source.depth < MAX_DEPTH and source.expect_re(r" {0,3}>")

    @classmethod
    def parse(cls, source: BodySource) -> block.Quote:
        head = source.expect_re(_CALLOUT)
        quote = super().parse(source)
        quote.callout, quote.title = (head[1].strip(), head[2].strip()) if head else (None, "")
        quote.title_start = head.start(2) if head else -1
        return quote


class List(block.List):
    """A list, down to the depth that is parsed."""

    override = True
    pattern = re.compile(r" {0,3}([0-9]{1,9}[.)]|[-+*])(?=[ \t\n]|\Z)")

    @classmethod
    def match(cls, source: BodySource) -> bool:
        return source.depth + 1 < MAX_DEPTH and bool(super().match(source))


class ListItem(block.ListItem):
    """An item; one whose first line stays empty is an item too."""

    override = True
    pattern = re.compile(r"( {0,3})([-+*]|[0-9]{1,9}[.)])(?=[ \t\n]|\Z)([ \t]*)")

    @classmethod
    def match(cls, source: BodySource) -> bool:
        marker = source.expect_re(cls.pattern)
        parent = source.state
        if not marker or not isinstance(parent, block.List):
            return False
        bullet = marker[2]
        if bullet[-1] != parent.bullet[-1] or parent.ordered != bullet[:-1].isdigit():
            return False
        if bullet in {"-", "*"} and source.expect_re(ThematicBreak.pattern):
            return False
        indent, width = cls._columns(source, marker)
        source.context.list_item_info = cls.ParseInfo(indent, bullet, 1 if width > 4 else width)
        return True

    @staticmethod
    def _columns(source: BodySource, marker: re.Match[str]) -> Span:
        """How many columns stand before the marker, and between it and its text (0 if there is no text)."""
        text, pos, end = source.text, source.pos, marker.end()
        empty = end == len(text) or text[end] == "\n"
        if "\t" not in text[pos:end]:
            return len(marker[1]), 0 if empty else len(marker[3])
        prefix = compiled(source.prefix).match(text[pos : marker.start(2)].expandtabs(4))
        before = len(text[pos : marker.start(2)].expandtabs(4)) - (prefix.end() if prefix else 0)
        behind = len(text[pos:end].expandtabs(4)) - len(text[pos : marker.end(2)].expandtabs(4))
        return before, 0 if empty else behind

    @classmethod
    def parse(cls, source: BodySource) -> block.ListItem:
        state = cls(source.context.list_item_info)
        state.children = []
        with source.under_state(state):
            if not (source.next_line() or "").strip(" \t\n"):
                source.consume()
                following = None if source.exhausted else source.next_line()
                if not following or not following.strip(" \t\n"):
                    return state
            before = source.pos
            state.children = source.parser.parse_source(source)
            if source.pos == before:  # blanks and tabs so mixed that no line fits: never parse one twice
                source.next_line(require_prefix=False)
                source.consume()
        if state.children and isinstance(state.children[-1], block.BlankLine):
            blank = state.children.pop()
            if state.children:
                source.pos = blank._anchor  # noqa: SLF001 as marko's own item does it
        return state


class ThematicBreak(block.ThematicBreak):
    """Three or more of one of `-`, `_`, `*`, with blanks and tabs between them."""

    override = True
    pattern = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|(?:\*[ \t]*){3,})$\n?", re.MULTILINE)

    @classmethod
    def match(cls, source: BodySource) -> Any:
        return source.expect_re(cls.pattern)


class CodeBlock(block.CodeBlock):
    """Lines indented by four columns or more, blank lines between them."""

    override = True

    def __init__(self) -> None:
        self.children = []

    @classmethod
    def match(cls, source: BodySource) -> bool:
        start = source.content_start()
        return start >= 0 and source.first_character(start) == " "

    @classmethod
    def parse(cls, source: BodySource) -> CodeBlock:
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
    def match(cls, source: BodySource) -> Any:
        source.context.fence = source.expect_re(cls.pattern)
        return source.context.fence

    @classmethod
    def parse(cls, source: BodySource) -> FencedCode:
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
    def match(cls, source: BodySource) -> Any:
        start = source.content_start()
        return start >= 0 and source.first_character(start) == "<" and super().match(source)


class MathBlock(block.BlockElement):
    """`$$` at a line's start up to a line that ends with `$$`. Nothing in it is Markdown. Unclosed, it is text."""

    priority = 9
    breaks_paragraph = True
    children = ()

    @classmethod
    def match(cls, source: BodySource) -> bool:
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
    def parse(cls, source: BodySource) -> MathBlock:
        _consume_through(source, source.context.closing)
        return cls()


class CommentBlock(block.BlockElement):
    """`%%` at a line's start up to the next `%%`, or to the end (as Obsidian hides it). What stands behind it is text."""

    priority = 9
    breaks_paragraph = True
    children = ()

    def __init__(self, behind: Span) -> None:
        self.pieces = (behind,)

    @classmethod
    def match(cls, source: BodySource) -> bool:
        opening = source.expect_re(_COMMENT_OPENING)
        if not opening:
            return False
        closing = source.text.find("%%", opening.end())
        source.context.closing = len(source.text) if closing < 0 else closing
        if not 0 <= closing < (end := source.line_end(opening.end())):
            return True
        return not source.text[closing + 2 : end].strip()

    @classmethod
    def parse(cls, source: BodySource) -> CommentBlock:
        closing = source.context.closing
        _consume_through(source, closing)
        return cls((min(closing + 2, source.pos), source.pos))


class FootnoteDef(block.BlockElement):
    """`[^label]: text`, continued by indented lines."""

    priority = 7
    breaks_paragraph = True
    pattern = re.compile(r" {0,3}\[\^[^\]\s]+\]:")

    def __init__(self, written: str) -> None:
        self._prefix = re.escape(written) + r"[ \t]*"
        self._second_prefix = r"(?: {4}|\t)"
        self.children = []

    @classmethod
    def match(cls, source: BodySource) -> Any:
        return source.depth < MAX_DEPTH and source.expect_re(cls.pattern)

    @classmethod
    def parse(cls, source: BodySource) -> FootnoteDef:
        assert source.match is not None  # noqa: S101 set by match
        state = cls(source.match.group())
        with source.under_state(state):
            state.children = source.parser.parse_source(source)
        return state


class LinkRefDef(block.LinkRefDef):
    """`[label]: destination "title"`; within a container on one line."""

    override = True
    pattern = re.compile(
        r""" {0,3}\[(?!\^)((?:[^\[\]\\]|\\.){1,999})\]:[ \t]*\n?[ \t]*(<(?:[^<>\\\n]|\\.)*>|[^\s<]\S*)"""
        r"""(?:(?:[ \t]+|[ \t]*\n[ \t]*)(?:"(?:[^"\\\n]|\\.|\n(?![ \t]*\n)){0,999}"|'(?:[^'\\\n]|\\.|\n(?![ \t]*\n)){0,999}'"""
        r"""|\((?:[^()\\\n]|\\.|\n(?![ \t]*\n)){0,999}\)))?[ \t]*$""",
        re.MULTILINE,
    )

    def __init__(self, label: str, destination: str) -> None:
        self.label = label
        self.dest = destination
        self.title = None

    @classmethod
    def match(cls, source: BodySource) -> bool:
        start = source.content_start()
        end = len(source.text) if not source.prefix else source.line_end(start)
        source.match = cls.pattern.match(source.text, start, end)
        source.context.definition = source.match
        return source.match is not None and bool(source.match[1].strip())

    @classmethod
    def parse(cls, source: BodySource) -> LinkRefDef:
        found = source.context.definition
        label = normalize_label(found[1])
        source.root.link_ref_defs.setdefault(label, (found[2], ""))
        while not source.exhausted and source.pos < found.end():
            source.next_line()
            source.consume()
        return cls(label, found[2])


class SetextHeading(block.SetextHeading):
    """Lines over an underline."""

    override = True

    def __init__(self, level: int, pieces: tuple[Span, ...]) -> None:
        self.level = level
        self.pieces = pieces


class Paragraph(block.Paragraph):
    """Lines of text. A comment or formula that a line opens keeps the lines up to its end together."""

    override = True

    def __init__(self, pieces: tuple[Span, ...]) -> None:
        self.pieces = pieces
        self.children = []

    @classmethod
    def match(cls, source: BodySource) -> bool:
        return source.content_start() >= 0

    @classmethod
    def parse(cls, source: BodySource) -> Any:
        pieces: list[Span] = []
        _take_line(source, pieces)
        while not source.exhausted and not cls.break_paragraph(source):
            start = source.content_start()
            if start < 0:
                if not cls._take_lazy_line(source, pieces):
                    break
                continue
            underline = source.text[start : start + 4].strip(" ")[:1] in {"=", "-"} and source.expect_re(_UNDERLINE)
            if underline:
                source.next_line()
                source.consume()
                return SetextHeading(1 if "=" in underline.group() else 2, tuple(pieces))
            _take_line(source, pieces)
        return cls(tuple(pieces))

    @classmethod
    def _take_lazy_line(cls, source: BodySource, pieces: list[Span]) -> bool:
        """Take a line that lacks the prefix of an open container but continues its text (CommonMark 5.1)."""
        states = source._states[:]  # noqa: SLF001 as marko's own paragraph does it
        taken = False
        while source.depth > 1 and not taken:
            source.pop_state()
            if source.content_start() < 0:
                continue
            if cls.break_paragraph(source, lazy=True):
                break
            _take_line(source, pieces)
            taken = True
        source._states = states  # noqa: SLF001
        return taken

    @classmethod
    def break_paragraph(cls, source: BodySource, lazy: bool = False) -> bool:  # noqa: FBT001, FBT002 marko's signature
        start = source.content_start()
        if start < 0:
            return False
        first = source.first_character(start)
        if first == "":
            return True
        if first not in _BREAKERS:
            return "|" in source.text[start : source.line_end(start)] and _match(source, "Table")
        return cls._starts_block(source, first, lazy)

    @classmethod
    def _starts_block(cls, source: BodySource, first: str, lazy: bool) -> bool:  # noqa: FBT001 marko's signature
        elements = source.parser.breaking_elements(first)
        if any(element.match(source) for element in elements):
            return True
        if lazy and isinstance(source.state, block.List) and _match(source, "ListItem"):
            return True
        if source.expect_re(_LIST_ANY if lazy else _LIST_START) and not _match(source, "ThematicBreak"):
            return True
        if first == "<":
            return _match(source, "HTMLBlock") not in {False, 7}
        if _match(source, "ThematicBreak"):
            return lazy or not source.expect_re(_UNDERLINE)
        return _match(source, "Table")


def _match(source: BodySource, name: str) -> Any:
    return source.parser.block_elements[name].match(source)


def _take_line(source: BodySource, pieces: list[Span]) -> None:
    """Take the line, and those behind it up to the end of a comment or formula that it leaves open."""
    start = source.content_start()
    end = source.line_end(start)
    opened = _left_open(source.text[start:end])
    closing = source.text.find(opened, end) if opened else -1
    if closing >= 0 and _BLANK_LINE.search(source.text, end - 1, closing):
        closing = -1
    stop = source.line_end(closing) if closing >= 0 else end
    while source.pos < stop:
        start = max(source.content_start(), source.pos)
        end = source.line_end(start)
        pieces.append((start, end))
        source.pos = start
        source.next_line(require_prefix=False)
        source.consume()


def _left_open(line: str) -> str:
    if "%%" not in line and "$$" not in line:
        return ""
    opened = ""
    for mark in _LINE_MARKS.finditer(line):
        found = mark.group()
        if found == opened:
            opened = ""
        elif not opened and found in {"%%", "$$"}:
            opened = found
    return opened


def _closing(source: BodySource, pattern: re.Pattern[str], start: int) -> int:
    """Where the pattern is found from `start` on; remembers that there is no more of it, so that many openers stay cheap."""
    none_from = getattr(source.context, "none_from", None)
    if none_from is not None and start >= none_from:
        return -1
    found = pattern.search(source.text, start)
    if not found:
        source.context.none_from = start
        return -1
    return found.start()


def _consume_through(source: BodySource, closing: int) -> None:
    """Consume the lines up to the one that holds `closing`, as long as they belong to the open containers."""
    while not source.exhausted and source.pos <= closing and source.next_line() is not None:
        source.consume()
