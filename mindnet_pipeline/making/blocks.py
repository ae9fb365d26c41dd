"""Blocks of made-up notes that are no paragraphs: lists, tasks, tables, code, quotes, callouts."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from mindnet_pipeline.making.chance import pick
from mindnet_pipeline.making.plan import NotePlan
from mindnet_pipeline.making.prose import Prose
from mindnet_pipeline.making.slots import Slots

_Block = Callable[[Random, NotePlan, Slots, Prose], str]


def any_block(rng: Random, note: NotePlan, slots: Slots, text: Prose) -> str:
    """One block of any kind, in the note's language."""
    return pick(rng, _BLOCKS)(rng, note, slots, text)


def _list(rng: Random, note: NotePlan, slots: Slots, text: Prose) -> str:
    del text
    lead = {"de": "Was wir dafür brauchen:", "en": "What we need for it:"}[note.lang]
    details = rng.sample(note.theme.details[note.lang], rng.randrange(3, 8))
    return f"{lead}\n\n" + "\n".join(f"- {slots['n']} {detail}" for detail in details)


def _tasks(rng: Random, note: NotePlan, slots: Slots, text: Prose) -> str:
    del note, slots
    return "\n".join(f"- [{pick(rng, 'x ')}] {text.sentence()}" for _ in range(rng.randrange(2, 5)))


def _table(rng: Random, note: NotePlan, slots: Slots, text: Prose) -> str:
    del text
    head = {"de": "| Teil | Anzahl | Wer |", "en": "| Part | Number | Who |"}[note.lang]
    details = rng.sample(note.theme.details[note.lang], rng.randrange(3, 7))
    rows = [f"| {detail} | {slots['n']} | {slots['person']} |" for detail in details]
    return "\n".join([head, "| --- | --- | --- |", *rows])


def _code(rng: Random, note: NotePlan, slots: Slots, text: Prose) -> str:
    del text
    name = note.name.lower()
    return f"```python\n# {slots['other']}\n{name}_limit = {rng.randrange(100, 900)}\nprint({name}_limit * 2)\n```"


def _quote(rng: Random, note: NotePlan, slots: Slots, text: Prose) -> str:
    del note
    lines = [text.sentence() for _ in range(rng.randrange(1, 4))]
    return "\n".join(f"> {line}" for line in (*lines, f"({slots['person']})"))


def _callout(rng: Random, note: NotePlan, slots: Slots, text: Prose) -> str:
    del rng, slots
    title = {"de": "Merke", "en": "Note"}[note.lang]
    return f"> [!tip] {title}\n> {text.sentence()}"


_BLOCKS: tuple[_Block, ...] = (_list, _list, _tasks, _table, _code, _quote, _callout)
