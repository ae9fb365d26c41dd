"""New weights in the text of a retriever.yaml: only the numbers change, every other character stays. Pure.

The places come from the YAML parser, so that any way of writing the file is understood; what comes out is parsed again
and compared, so that a way that was not understood changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from mindnet_pipeline.core.errors import ConfigError

_SECTION = "weights"
_Edit = tuple[int, int, str]
"""Start and end of what is replaced, and by what."""


def with_weights(text: str, weights: Mapping[str, float]) -> str:
    r"""The text with these weights in its section `weights`; keys that are not there yet are added.

    >>> with_weights("weights: # of parts\n  edge: 0.7   # links\n", {"edge": 0.5})
    'weights: # of parts\n  edge: 0.5   # links\n'

    Raises:
        ConfigError: the file is written in a way that cannot be edited in place; the message has the lines to write.
    """
    made = text
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    newline = "\r\n" if "\r\n" in text else "\n"
    for start, end, replacement in sorted(_edits(text, root, weights, newline), reverse=True):
        made = made[:start] + replacement + made[end:]
    if _parsed(made) != _expected(text, weights):
        lines = ", ".join(f"{name}: {value}" for name, value in weights.items())
        raise ConfigError(f"retriever.yaml cannot be edited in place. Write into its `{_SECTION}` yourself: {lines}.")
    return made


def _edits(text: str, root: yaml.Node | None, weights: Mapping[str, float], newline: str) -> list[_Edit]:
    section = _value(root, _SECTION)
    if isinstance(section, yaml.MappingNode) and section.value:
        return _inside(text, section, weights, newline)
    if section is not None:
        written = ", ".join(f"{name}: {value}" for name, value in weights.items())
        blank = "" if section.start_mark.index < section.end_mark.index else " "
        return [(section.start_mark.index, section.end_mark.index, f"{blank}{{{written}}}")]
    lines = [f"{_SECTION}:", *(f"  {name}: {value}" for name, value in weights.items())]
    ahead = newline if text and not text.endswith("\n") else ""
    return [(len(text), len(text), ahead + "".join(line + newline for line in lines))]


def _inside(text: str, section: yaml.MappingNode, weights: Mapping[str, float], newline: str) -> list[_Edit]:
    edits: list[_Edit] = []
    before = _parsed(text)[_SECTION]
    for name, value in weights.items():
        node = _value(section, name)
        if node is None:
            edits.append(_added(text, section, f"{name}: {value}", newline))
        elif before.get(name) != value:
            edits.append((node.start_mark.index, node.end_mark.index, str(value)))
    return edits


def _added(text: str, section: yaml.MappingNode, entry: str, newline: str) -> _Edit:
    """A new key at the end of the section."""
    key, value = section.value[0][0], section.value[-1][1]
    if section.flow_style:
        at = value.end_mark.index
        return at, at, f", {entry}"
    at = text.find("\n", value.end_mark.index)
    line = " " * key.start_mark.column + entry
    if at < 0:
        return len(text), len(text), newline + line
    return at + 1, at + 1, line + newline


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    """The value of a mapping's key (of several the last, as the parser takes it)."""
    entries = node.value if isinstance(node, yaml.MappingNode) else []
    return next((value for written, value in reversed(entries) if written.value == key), None)


def _parsed(text: str) -> Any:
    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError:
        return None


def _expected(text: str, weights: Mapping[str, float]) -> dict[str, Any]:
    before: dict[str, Any] = yaml.safe_load(text) or {}
    return before | {_SECTION: {**(before.get(_SECTION) or {}), **weights}}
