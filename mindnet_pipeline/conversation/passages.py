"""Hits as numbered passages, quoted so that nothing in a note can leave its quotation. Pure.

Everything that comes from the vault (title, section, path, relation, text) stands inside a fence of backticks that is
longer than any run of backticks in it, as CommonMark defines fences. Outside stand only the number and what
config/types.yaml says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.core.registry import DEFAULT_TYPE, Registry

_LINE_ENDS = re.compile(r"\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_TICKS = re.compile(r"`+")
_SHORTEST_FENCE = 3
_HEADING_CHARACTERS = 300
_SHOWN_RELATIONS = 4
_PLAIN_LINK = "references"


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit as the model is given it. `text` may be its beginning only; `relations` are whole statements."""

    number: int
    hit: Hit
    label: str
    tells: str
    relations: tuple[str, ...]
    text: str

    @property
    def heading(self) -> str:
        """`[DECISION] Title › Section (path, score)`."""
        place = " › ".join((self.hit.title, *self.hit.section_path))
        return f"[{self.label}] {one_line(place)} ({one_line(self.hit.path)}, {self.hit.score:.2f})"

    @property
    def quoted(self) -> str:
        """What stands inside the fence."""
        return "\n".join((self.heading, *self.relations, "", self.text))


def make_passages(hits: Sequence[Hit], registry: Registry, language: str) -> list[Passage]:
    """One passage per hit, numbered from 1, with the relations between them and to others; each relation once."""
    numbers = {hit.note_id for hit in hits}
    told: set[str] = set()
    made = []
    for number, hit in enumerate(hits, start=1):
        name = hit.type if hit.type in registry.types else DEFAULT_TYPE
        new = [said for said in _relations(hit, numbers, registry, language) if said not in told][:_SHOWN_RELATIONS]
        told.update(new)
        label = "NOTE" if name == DEFAULT_TYPE else name.upper()
        tells = registry.types[name].tells.get(language, "")
        made.append(Passage(number, hit, label, tells, tuple(new), _with_plain_line_ends(hit.text).strip()))
    return made


def render_passages(passages: Sequence[Passage]) -> str:
    """All passages as the model reads them."""
    return "\n\n".join(render_passage(passage) for passage in passages)


def render_passage(passage: Passage) -> str:
    """The number, what the type tells, and the quotation."""
    fence = fence_for(passage.quoted)
    head = f"[{passage.number}] {passage.tells}".rstrip()
    return f"{head}\n{fence}\n{passage.quoted}\n{fence}"


def fence_for(text: str) -> str:
    """A fence that the text cannot close.

    >>> fence_for("a ``` b"), fence_for("")
    ('````', '```')
    """
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    return "`" * max(_SHORTEST_FENCE, longest + 1)


def shortened(passage: Passage, text: str) -> Passage:
    """The passage with another text, which is its beginning."""
    return replace(passage, text=text.rstrip())


def one_line(text: str) -> str:
    """The text on one line, of bounded length: titles and paths come from notes, too."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _HEADING_CHARACTERS else flat[:_HEADING_CHARACTERS].rstrip() + " …"


def _relations(hit: Hit, shown: set[str], registry: Registry, language: str) -> list[str]:
    """What links say of the hit, in words, those with another passage first.

    A plain link to a note that is not shown says nothing more than the brackets in the text.
    """
    related = hit.explanation.related if hit.explanation else ()
    telling = [each for each in related if each.note_id in shown or each.kind != _PLAIN_LINK]
    order = sorted(telling, key=lambda each: (each.note_id not in shown, each.kind == _PLAIN_LINK))
    return [_statement(hit.title, each.kind, each.title, registry, language, forward=each.outgoing) for each in order]


def _statement(title: str, kind: str, other: str, registry: Registry, language: str, *, forward: bool) -> str:
    relation = registry.relations.get(kind)
    words = (relation.labels.get(language) if relation else None) or kind.replace("_", " ")
    first, second = (title, other) if forward else (other, title)
    return f"{one_line(first)} {one_line(words)} {one_line(second)}."


def _with_plain_line_ends(text: str) -> str:
    return _LINE_ENDS.sub("\n", text)
