"""Text of a block → the links, tags, code spans, formulas and comments in it, in one pass from left to right.

Only what decides about links is read: escapes, code spans, formulas, comments, HTML, brackets (CommonMark 6, Obsidian
Help). Emphasis is not: it never makes or breaks a link. Every token is looked at a bounded number of times, so that a
text of nothing but openers stays linear. Not here: what a destination means (targets.py), typed lines (relations.py).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from marko.helpers import normalize_label

from mindnet_pipeline.core.markdown.relations import FieldRanges
from mindnet_pipeline.core.markdown.targets import markdown_link, url_link, wikilink
from mindnet_pipeline.core.model import Link, Span

Definitions = Mapping[str, tuple[str, str]]

_TRIGGER = re.compile(r"\[\[|\]\(|(?<!\S)#[^\s#]|://|<[^>\s]*[:@]|[`$]|%%|<[A-Za-z/!?]")
_TRIGGER_WITH_DEFINITIONS = re.compile(_TRIGGER.pattern + r"|\]")
_TOKEN = re.compile(r"\\.|`+|<|!?\[\[|!?\[|\]|\$\$?|%%|(?<!\S)#|://", re.DOTALL)
_WIKILINK_END = re.compile(r"\]\]|\[\[|\n")
_BACKTICKS = re.compile(r"`+")
_MATH = re.compile(r"(?<![^\W_])\$(?=[^\s$])(?:[^$\\\n]|\\.)*(?<=\S)\$(?![0-9])")
_TAG = re.compile(r"#([^\s\u2000-\u206f\u2e00-\u2e7f'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]+)")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>")
_EMAIL = re.compile(r"<([A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)>")
_HTML_TAG = re.compile(
    r"""<(?:[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][A-Za-z0-9_.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*/?"""
    r"""|/[A-Za-z][A-Za-z0-9-]*\s*)>"""
)
_HTML_ENDS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"), ("<!", ">"))
_BARE_URL = re.compile(r"(?:https?|ftp)://[^\s<]*[^\s<?!.,:*_~'\";\])|]")
_DESTINATION_PART = re.compile(r"[^\s()\\\x00-\x1f]+|\\.?|[()]")
_POINTED = re.compile(r"<(?:[^<>\\\n]|\\.)*>")
_TITLE = re.compile(r"""[ \t\n]+(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))""", re.DOTALL)
_BLANKS = re.compile(r"[ \t\n]*")
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)
_UNESCAPED_BRACKET = re.compile(r"(?:[^\[\]\\]|\\.)*[\[\]]", re.DOTALL)
_MAX_LABEL = 999
_MAX_PARENTHESES = 32


@dataclass(frozen=True, slots=True)
class InlineText:
    """The text of one block, put together from its pieces of the body, and the way back to the body."""

    text: str
    starts: Sequence[int]
    offsets: Sequence[int]

    @classmethod
    def of(cls, body: str, pieces: Sequence[Span]) -> InlineText:
        """Join the pieces; neighbours that touch count as one."""
        joined: list[Span] = []
        for start, end in pieces:
            if joined and joined[-1][1] == start:
                joined[-1] = (joined[-1][0], end)
            else:
                joined.append((start, end))
        starts, offsets, length = [], [], 0
        for start, end in joined:
            starts.append(length)
            offsets.append(start - length)
            length += end - start
        return cls("".join([body[start:end] for start, end in joined]), starts, offsets)

    def span(self, start: int, end: int) -> Span:
        """The span of the body for a span of the text."""
        return self._position(start), self._position(end - 1) + 1

    def _position(self, at: int) -> int:
        return at + self.offsets[bisect_left(self.starts, at + 1) - 1]


def is_plain(body: str, start: int, end: int, definitions: Definitions) -> bool:
    """Whether the span surely holds nothing that `scan_inline` finds: so it is with most prose, and cheap to see."""
    trigger = _TRIGGER_WITH_DEFINITIONS if definitions else _TRIGGER
    return trigger.search(body, start, end) is None


@dataclass(slots=True)
class Inlines:
    """What stands inside the lines of blocks: links, tags without `#`, comments, and code, formulas and HTML tags."""

    links: list[Link] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    comments: list[Span] = field(default_factory=list)
    unbroken: list[Span] = field(default_factory=list)


def scan_inline(inline: InlineText, definitions: Definitions, found: Inlines) -> None:
    """Add to `found` what the text holds."""
    _Scanner(inline, definitions, found).run()


@dataclass(slots=True)
class _Bracket:
    start: int
    end: int
    image: bool
    active: bool = True


@dataclass(slots=True)
class _Scanner:
    inline: InlineText
    definitions: Definitions
    found: Inlines
    _brackets: list[_Bracket] = field(default_factory=list)
    _code_ends: dict[int, list[int]] | None = None
    _missing: set[str] = field(default_factory=set)
    _fields: FieldRanges | None = None

    def run(self) -> None:
        text, at = self.inline.text, 0
        self._fields = FieldRanges.of(text)
        while token := _TOKEN.search(text, at):
            at = self._step(token)

    def _step(self, token: re.Match[str]) -> int:
        """Handle a token; the position to go on from."""
        handler = self._HANDLERS.get(token.group()[0])
        return handler(self, token) if handler else token.end()

    def _find_after(self, closing: str, start: int, otherwise: int) -> int:
        """The end of the next `closing`; `otherwise` if there is none, which is remembered."""
        if closing in self._missing:
            return otherwise
        found = self.inline.text.find(closing, start)
        if found < 0:
            self._missing.add(closing)
            return otherwise
        return found + len(closing)

    def _unbroken(self, start: int, end: int) -> int:
        """Take what stands there as one; its end."""
        self.found.unbroken.append(self.inline.span(start, end))
        return end

    def _code(self, token: re.Match[str]) -> int:
        end = self._code_end(token)
        return self._unbroken(token.start(), end) if end > token.end() else end

    def _code_end(self, token: re.Match[str]) -> int:
        if self._code_ends is None:
            self._code_ends = {}
            for run in _BACKTICKS.finditer(self.inline.text):
                self._code_ends.setdefault(run.end() - run.start(), []).append(run.end())
        length = token.end() - token.start()
        ends = self._code_ends.get(length, [])
        index = bisect_left(ends, token.end() + length)
        return ends[index] if index < len(ends) else token.end()

    def _math(self, token: re.Match[str]) -> int:
        end = token.end()
        if token.group() == "$$":
            end = self._find_after("$$", end, end)
        elif formula := _MATH.match(self.inline.text, token.start()):
            end = formula.end()
        return self._unbroken(token.start(), end) if end > token.end() else end

    def _comment(self, start: int, end: int) -> int:
        self.found.comments.append(self.inline.span(start, end))
        return end

    def _percent_comment(self, token: re.Match[str]) -> int:
        end = self._find_after("%%", token.end(), token.end())
        return self._comment(token.start(), end) if end > token.end() else end

    def _angle(self, token: re.Match[str]) -> int:
        text, start = self.inline.text, token.start()
        for pattern, scheme in ((_AUTOLINK, ""), (_EMAIL, "mailto:")):
            if found := pattern.match(text, start):
                self.found.links.append(url_link(scheme + found[1], self.inline.span(*found.span())))
                return found.end()
        if tag := _HTML_TAG.match(text, start):
            return self._unbroken(*tag.span())
        for opening, closing in _HTML_ENDS:
            if text.startswith(opening, start):
                end = self._find_after(closing, start + 2, start + 1)
                take = self._comment if opening == "<!--" else self._unbroken
                return take(start, end) if end > start + 1 else end
        return start + 1

    def _tag(self, token: re.Match[str]) -> int:
        found = _TAG.match(self.inline.text, token.start())
        if not found:
            return token.end()
        name = found[1].strip("/")
        if name and not name.isdigit():
            self.found.tags.append(name)
        return found.end()

    def _bare_url(self, token: re.Match[str]) -> int:
        text, at = self.inline.text, token.start()
        start = next((at - n for n in (5, 4, 3) if text[max(at - n, 0) : at].lower() in {"https", "http", "ftp"}), -1)
        found = _BARE_URL.match(text, start) if start >= 0 else None
        if not found or (start and (text[start - 1].isalnum() or text[start - 1] == "_")):
            return token.end()
        end = found.end()
        if self._brackets and (bracket := text.find("]", start, end)) >= 0:
            end = bracket
        unpaired = text.count("(", start, end) - text.count(")", start, end)
        while unpaired > 0 and text.startswith(")", end):
            end, unpaired = end + 1, unpaired - 1
        self.found.links.append(url_link(text[start:end], self.inline.span(start, end)))
        return end

    def _open(self, token: re.Match[str]) -> int:
        start, image = token.start(), token.group()[0] == "!"
        if token.group().endswith("[["):
            end = self._wikilink(start, token.end(), image)
            if end:
                return end
            self._brackets.append(_Bracket(start, token.end() - 1, image))
            if self.inline.text.startswith("[", token.end()):
                return token.end() - 1
            self._brackets.append(_Bracket(token.end() - 1, token.end(), image=False))
            return token.end()
        self._brackets.append(_Bracket(start, token.end(), image))
        return token.end()

    def _wikilink(self, start: int, inner: int, embed: bool) -> int:
        """Take `[[…]]`; its end, or 0 if it is none: empty, with a line break, or around another `[[`."""
        text = self.inline.text
        end = _WIKILINK_END.search(text, inner)
        if text.startswith("[", inner) or not end or end.group() != "]]":
            return 0
        stop = end.end()
        content = text[inner : end.start()]
        if text.startswith("]", stop) and content.count("[") > content.count("]"):
            content, stop = content + "]", stop + 1
        link = wikilink(content, self.inline.span(start, stop), embed=embed)
        if not link:
            return 0
        if self._fields and link.syntax == "wikilink":
            link = self._fields.typed(link, start)
        self.found.links.append(link)
        self._deactivate()
        return stop

    def _close(self, token: re.Match[str]) -> int:
        """A `]`: the end of a link or image if what follows says so (CommonMark 6.3)."""
        at = token.start()
        if not self._brackets:
            return at + 1
        opening = self._brackets.pop()
        if not opening.active and not opening.image:
            return at + 1
        found = self._destination(opening, at)
        if not found:
            return at + 1
        destination, end = found
        display = self.inline.text[opening.end : at]
        span = self.inline.span(opening.start, end)
        while self.found.links and self.found.links[-1].start >= span[0] and _is_bare(self.found.links[-1]):
            self.found.links.pop()
        link = markdown_link(destination, display, span, image=opening.image)
        if link:
            self.found.links.append(link)
        if not opening.image:
            self._deactivate()
        return end

    def _destination(self, opening: _Bracket, at: int) -> tuple[str, int] | None:
        text = self.inline.text
        if text.startswith("(", at + 1) and self._find_after(")", at + 2, 0):
            inside = _inline_destination(text, at + 2)
            if inside:
                return inside
        if not self.definitions:
            return None
        label = _LABEL.match(text, at + 1)
        written = label[1] if label and label[1].strip() else text[opening.end : min(at, opening.end + _MAX_LABEL + 1)]
        if len(written) > _MAX_LABEL or _UNESCAPED_BRACKET.match(written):
            return None
        definition = self.definitions.get(normalize_label(written))
        return (definition[0], label.end() if label else at + 1) if definition else None

    def _deactivate(self) -> None:
        """Links hold no links: the brackets that are open around one cannot become links any more."""
        brackets = self._brackets
        for index in range(len(brackets) - 1, -1, -1):
            if not brackets[index].active:
                break
            brackets[index].active = False

    _HANDLERS: ClassVar[Mapping[str, Callable[[_Scanner, re.Match[str]], int]]] = {
        "`": _code,
        "<": _angle,
        "[": _open,
        "!": _open,
        "]": _close,
        "$": _math,
        "%": _percent_comment,
        "#": _tag,
        ":": _bare_url,
    }
    """By a token's first character; an escape has no handler, it is passed over."""


def _is_bare(link: Link) -> bool:
    return link.destination == "external" and link.end - link.start == len(link.target)


def _inline_destination(text: str, start: int) -> tuple[str, int] | None:
    """`(destination "title")` behind its `(`: the destination as written and the end."""
    at = _skip_blanks(text, start)
    if pointed := _POINTED.match(text, at):
        end = pointed.end()
    else:
        if text.startswith("<", at):
            return None
        end = _bare_destination_end(text, at)
    destination = text[at:end]
    if title := _TITLE.match(text, end):
        end = title.end()
    end = _skip_blanks(text, end)
    return (destination, end + 1) if text.startswith(")", end) else None


def _skip_blanks(text: str, start: int) -> int:
    blanks = _BLANKS.match(text, start)
    return blanks.end() if blanks else start


def _bare_destination_end(text: str, start: int) -> int:
    """The end of a destination without `<>`: no blanks, parentheses in pairs."""
    depth, at = 0, start
    while part := _DESTINATION_PART.match(text, at):
        if part.group() == "(":
            depth += 1
            if depth > _MAX_PARENTHESES:
                break
        elif part.group() == ")":
            if not depth:
                break
            depth -= 1
        at = part.end()
    return at if not depth else start
