"""YAML text → a JSON-safe mapping whose scalars keep their text where meaning hangs on it.

The values are built from the parser's events, not by a loader: so nothing recurses, nothing is constructed from tags,
and aliases, depth and size are bounded. Rules for scalars (DESIGN 3):

- quoted and block scalars are strings; so is every scalar under a key of `TEXT_KEYS`
- `null`, `~` and nothing are None; `true` and `false` (YAML 1.2) are booleans, `yes`, `no`, `on`, `off` are not
- a plain decimal number is a number only if writing it gives the same text back: `3`, `-2`, `0.5`; but `0123`, `1e3`,
  `1.50`, `1_000`, `12:30` and anything longer than 15 digits stay strings
- dates and times stay the strings that were written
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from mindnet_pipeline.core.model import Finding

TEXT_KEYS = frozenset(
    {"id", "title", "type", "status", "created", "updated", "tags", "tag", "aliases", "alias", "lang"}
)
"""Top-level keys whose scalars are always text."""

_MAX_DEPTH = 50
_MAX_VALUES = 20_000
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})\Z")
_DECIMAL = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}\Z")
_CONSTANTS: Mapping[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_LOADER: Any = getattr(yaml, "CLoader", yaml.Loader)  # only its events are used, none of its constructors
_STRING_TAG = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class YamlMapping:
    """What was read: the values, the file line of each top-level key, and what was wrong."""

    values: Mapping[str, Any]
    lines: Mapping[str, int]
    findings: tuple[Finding, ...]


class _UnusableError(Exception):
    """The text is no mapping that can be kept. Carries the finding."""

    def __init__(self, code: str, message: str, line: int) -> None:
        super().__init__(message)
        self.finding = Finding(code, message, line)


def read_mapping(text: str, first_line: int) -> YamlMapping:
    r"""Read YAML that should be a mapping. `first_line` is the text's first line in its file. Never raises.

    >>> dict(read_mapping("id: 0123\nyear: 2025\nno: no", 2).values)
    {'id': '0123', 'year': 2025, 'no': 'no'}
    """
    if not text.strip():
        return YamlMapping({}, {}, ())
    builder = _Builder(first_line)
    try:
        values = builder.build(text)
    except _UnusableError as error:
        return YamlMapping({}, {}, (error.finding,))
    except yaml.YAMLError as error:
        return YamlMapping({}, {}, (_syntax_finding(error, first_line),))
    return YamlMapping(values, builder.lines, tuple(builder.findings))


def _syntax_finding(error: yaml.YAMLError, first_line: int) -> Finding:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be read"
    marks = [getattr(error, "problem_mark", None), getattr(error, "context_mark", None)]
    if "end of stream" in problem:  # what was left open says more than where the text ended
        marks.reverse()
    line = next((first_line + mark.line for mark in marks if mark), first_line)
    return Finding(
        "frontmatter_invalid",
        f"The frontmatter is not valid YAML ({problem}); its fields are ignored. "
        'Put values with ":", "[", "{", "@", "*" or "`" into quotes.',
        line,
    )


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being built. `key` is the mapping's key that waits for its value."""

    value: list[Any] | dict[str, Any]
    anchor: str | None
    line: int
    key: str | None = None
    size: int = 1


@dataclass(slots=True)
class _Builder:
    """Builds values from events with a stack of its own."""

    first_line: int
    findings: list[Finding] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    _stack: list[_Open] = field(default_factory=list)
    _anchors: dict[str, tuple[Any, int]] = field(default_factory=dict)
    _size: int = 0
    _documents: int = 0

    def build(self, text: str) -> dict[str, Any]:
        root: dict[str, Any] = {}
        events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        for event in events:
            line = self.first_line + event.start_mark.line
            if isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    raise _UnusableError("frontmatter_invalid", "The frontmatter holds several YAML documents.", line)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                self._open(event, line)
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                closed = self._stack.pop()
                if not self._stack and isinstance(closed.value, dict):
                    root = closed.value
                self._add(closed.value, closed.size, closed.anchor, closed.line)
            elif isinstance(event, yaml.ScalarEvent):
                self._scalar(event, line)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(str(event.anchor), line)
        return root

    def _open(self, event: Any, line: int) -> None:
        if not self._stack and isinstance(event, yaml.SequenceStartEvent):
            raise _not_a_mapping(line)
        if len(self._stack) >= _MAX_DEPTH:
            raise _UnusableError(
                "frontmatter_too_large", f"The frontmatter nests deeper than {_MAX_DEPTH} levels.", line
            )
        if self._stack and self._waits_for_key():
            raise _UnusableError(
                "frontmatter_invalid",
                "The frontmatter has a list or mapping as a key, as in `{{date}}`; put the value into quotes.",
                line,
            )
        value: list[Any] | dict[str, Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        self._stack.append(_Open(value, event.anchor, line))

    def _scalar(self, event: Any, line: int) -> None:
        if not self._stack:
            raise _not_a_mapping(line)
        if self._waits_for_key():
            self._set_key(event.value, line)
            return
        plain = event.implicit[0] and event.tag != _STRING_TAG
        keeps_text = not plain or (self._stack[0].key in TEXT_KEYS and event.value not in {"", "~", "null"})
        self._add(event.value if keeps_text else _plain_value(event.value), 1, event.anchor, line)

    def _alias(self, name: str, line: int) -> None:
        if name not in self._anchors:
            raise _UnusableError(
                "frontmatter_invalid", f"The frontmatter's alias `*{name}` has no finished anchor.", line
            )
        value, size = self._anchors[name]
        if not self._stack:
            raise _not_a_mapping(line)
        if self._waits_for_key():
            self._set_key(value if isinstance(value, str) else str(value), line)
            return
        self._add(value, size, None, line)

    def _waits_for_key(self) -> bool:
        top = self._stack[-1]
        return isinstance(top.value, dict) and top.key is None

    def _set_key(self, key: str, line: int) -> None:
        top = self._stack[-1]
        if key in top.value:
            self.findings.append(
                Finding("frontmatter_duplicate_key", f"The key `{key}` stands there twice; the last one counts.", line)
            )
        top.key = key
        if len(self._stack) == 1:
            self.lines[key] = line

    def _add(self, value: Any, size: int, anchor: str | None, line: int) -> None:
        if anchor:
            self._anchors[anchor] = (value, size)
        if not self._stack:
            return
        top = self._stack[-1]
        top.size += size
        if top.size > _MAX_VALUES:
            raise _UnusableError("frontmatter_too_large", f"The frontmatter has more than {_MAX_VALUES} values.", line)
        if isinstance(top.value, dict):
            if top.key is not None:
                top.value[top.key] = value
            top.key = None
        else:
            top.value.append(value)


def _not_a_mapping(line: int) -> _UnusableError:
    message = "The frontmatter is not a list of `key: value` fields; it is kept but not used."
    return _UnusableError("frontmatter_not_a_mapping", message, line)


def _plain_value(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.match(text) and text != "-0":
        return int(text)
    if _DECIMAL.match(text) and repr(float(text)) == text:
        return float(text)
    return text
