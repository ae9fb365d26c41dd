"""The text of a made-up note from its plan: frontmatter, opening, sections with blocks of all kinds, links."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from urllib.parse import quote

from mindnet_pipeline.making import blocks, prose
from mindnet_pipeline.making.chance import chance, pick
from mindnet_pipeline.making.plan import LinkPlan, NotePlan
from mindnet_pipeline.making.slots import Slots
from mindnet_pipeline.making.words import Lang

_SEE: dict[Lang, tuple[str, ...]] = {
    "de": ("Dazu gehört {}.", "Mehr steht in {}.", "Vergleiche {}.", "Anders sieht es bei {} aus.", "Siehe auch {}."),
    "en": ("This belongs with {}.", "There is more in {}.", "Compare {}.", "It is different for {}.", "See also {}."),
}
_KINDS = ("depends_on", "related_to", "supports", "part_of", "contradicts")
_STATUS = ("active", "draft", "done", "inbox")
_BARE = 0.2
"""Share of the notes without id and alias that have no frontmatter at all."""


def dependency(note: NotePlan) -> int | None:
    """The note that this one says it depends on in a `[[rel:…]]` link, if it says so at all."""
    return next((link.target for link in note.links if link.form == "rel"), None)


def fact(note: NotePlan, seed: int) -> tuple[str, str]:
    """The one fact that only this note knows: (the sentence in it, the question that asks for it)."""
    rng = chance("fact", seed, note.index)
    statement, question = pick(rng, prose.FACTS[note.lang])
    slots = Slots(note, rng)
    return statement.format_map(slots), question.format_map(slots)


def compose_note(note: NotePlan, vault: Sequence[NotePlan], seed: int) -> str:
    """The whole file of a note. `vault` is the plan of all notes, for the names that links use."""
    rng = chance("text", seed, note.index)
    slots = Slots(note, rng)
    text = prose.Prose(rng, note.lang, slots)
    written = [_link(rng, note, link, vault[link.target]) for link in note.links if link.form != "frontmatter"]
    places = len(note.sections) + 1
    parts = [f"# {note.title}", f"{text.opening()} {fact(note, seed)[0]}", *_paragraphs(rng, text, written[::places])]
    for at, heading in enumerate(note.sections, start=1):
        parts += [f"## {heading}", *_paragraphs(rng, text, written[at::places])]
        if rng.random() < 0.5:
            parts.append(blocks.any_block(rng, note, slots, text))
    return _frontmatter(rng, note, vault) + "\n\n".join(parts) + "\n"


def _frontmatter(rng: Random, note: NotePlan, vault: Sequence[NotePlan]) -> str:
    if not (note.note_id or note.alias) and rng.random() < _BARE:
        return ""
    theme = note.theme.folders[note.lang].lower()
    lines = [f"id: {note.note_id}"] if note.note_id else []
    lines += [f'title: "{note.title}"'] if rng.random() < 0.8 else []
    lines += [f"type: {note.type}", f"status: {pick(rng, _STATUS)}", f"created: {note.created}"]
    lines.append(f"tags: [{theme}/{note.aspect.nouns[note.lang].lower()}, {note.type}]")
    lines += [f"aliases: [{note.alias}]"] if note.alias else []
    targets = [vault[link.target].stem for link in note.links if link.form == "frontmatter"]
    lines += [f'{kind}: "[[{target}]]"' for kind, target in zip(_KINDS, targets, strict=False)]
    return "---\n" + "\n".join(lines) + "\n---\n"


def _link(rng: Random, note: NotePlan, link: LinkPlan, target: NotePlan) -> str:
    """The link as written: in a sentence, or (with a line break before it) as a block of its own."""
    kind, stem = pick(rng, _KINDS), target.stem
    shown = target.thing.names[note.lang].bare
    written = {
        "wikilink": f"[[{stem}]]",
        "frontmatter": "",
        "alias": f"[[{target.alias or stem}|{shown}]]",
        "heading": f"[[{stem}#{target.sections[0]}]]" if target.sections else f"[[{stem}]]",
        "mdlink": f"[{shown}]({quote(target.path)})",
        "embed": f"\n![[{stem}]]",
        "rel": f"[[rel:depends_on {stem}]]",
        "field": f"\n{kind}:: [[{stem}]]",
        "callout": f"\n> [!edge] {kind}: [[{stem}]]",
        "broken": f"[[{target.name} ({target.created.year})]]",
    }[link.form]
    return written if written.startswith("\n") else pick(rng, _SEE[note.lang]).format(written)


def _paragraphs(rng: Random, text: prose.Prose, links: Sequence[str]) -> list[str]:
    paragraphs = [text.paragraph(rng.randrange(2, 5)) for _ in range(rng.randrange(1, 3))]
    for link in links:
        if not link.startswith("\n"):
            paragraphs[rng.randrange(len(paragraphs))] += f" {link}"
    return paragraphs + [link.strip() for link in links if link.startswith("\n")]
