"""Small vaults as text → notes, chunks and edges, by the real reader, chunker and rules. For tests of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

from mindnet_pipeline.core.chunking import chunk_note
from mindnet_pipeline.core.edges import DerivedEdges, derive_edges
from mindnet_pipeline.core.frontmatter import split_source
from mindnet_pipeline.core.ids import assign_note_ids
from mindnet_pipeline.core.model import Chunk, Edge, Note
from mindnet_pipeline.core.notes import declared_id, parse_note
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.core.resolve import NoteIndex, names_of
from mindnet_pipeline.core.tokens import WordCounter
from mindnet_pipeline.settings import load_registry

REGISTRY = load_registry(Path(__file__).parents[2] / "config" / "types.yaml")


@dataclass(frozen=True)
class Graph:
    """A vault's rows by path."""

    notes: Mapping[str, Note]
    chunks: Mapping[str, Sequence[Chunk]]
    derived: Mapping[str, DerivedEdges]

    @property
    def edges(self) -> list[Edge]:
        return [edge for each in self.derived.values() for edge in each.edges]

    def columns(self) -> tuple[dict[str, list[Any]], dict[str, list[Any]], dict[str, list[Any]]]:
        """The three tables as columns."""
        chunks = [chunk for each in self.chunks.values() for chunk in each]
        return _columns(self.notes.values(), Note), _columns(chunks, Chunk), _columns(self.edges, Edge)


def graph_of(files: Mapping[str, str | bytes], registry: Registry = REGISTRY, **options: Any) -> Graph:
    data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    ids = assign_note_ids({path: declared_id(split_source(each)) for path, each in data.items()})
    notes = {path: parse_note(path, each, ids[path], registry) for path, each in data.items()}
    index = NoteIndex(map(names_of, notes.values()))
    chunks = {path: chunk_note(note, registry, WordCounter(), 500) for path, note in notes.items()}
    derived = {path: derive_edges(note, chunks[path], index, registry, **options) for path, note in notes.items()}
    return Graph(notes, chunks, derived)


def content_edges(graph: Graph, path: str) -> list[str]:
    """The edges that a note's links and type make, one line each, in the order of the text."""
    paths = {note.note_id: note.path for note in graph.notes.values()}
    edges = [edge for edge in graph.derived[path].edges if edge.provenance != "structure"]
    edges.sort(key=lambda e: (e.scope == "note", e.source_id, e.provenance, e.char_start, e.target_id, e.kind))
    return [_line(edge, paths) for edge in edges]


def _line(edge: Edge, paths: Mapping[str, str]) -> str:
    source = "note" if edge.scope == "note" else edge.source_id.rpartition("#")[2]
    target = paths[edge.target_id] if edge.status == "ok" else f"?{edge.target_id}"
    extras = [
        f"#{edge.target_section}" if edge.target_section else "",
        f'"{edge.display}"' if edge.display else "",
        f"by {edge.resolved_by}" if edge.resolved_by in {"title", "alias", "swapped"} else "",
        "ambiguous" if edge.ambiguous else "",
        f"also {' '.join(edge.also_by)}" if edge.also_by else "",
    ]
    head = f"{source} {edge.kind} {edge.rule_id} {edge.confidence:g} -> {target}"
    return " ".join([head, *filter(None, extras)])


def _columns(rows: Any, kind: type) -> dict[str, list[Any]]:
    dicts = [asdict(row) for row in rows]
    return {name: [row[name] for row in dicts] for name in kind.__dataclass_fields__}


_NAMES = ("Beet", "beet", "Baum", "a/Beet", "a/b/Beet", "Hof/Zwei", "KI", "Über", "fehlt", "n-1")
_WRITTEN = (
    "[[{0}]]", "[[{0}]]", "[[{0}|{1}]]", "[[{0}#Teil]]", "![[{0}]]", "[{1}](<{0}.md>)", "[[rel:depends_on {0}]]",
    "[[rel:references {0}]]", "[[rel:neu {0}]]", "[[rel:next {0}]]", "(related_to:: [[{0}]])", "(egal:: [[{0}]])",
    "> [!edge] related_to: [[{0}]], [[{1}]]", "`[[{0}]]`", "[[#Teil]]", "![[{0}.png]]", "[x](https://example.org)",
)  # fmt: skip
_TYPES = ("thought", "project", "concept", "decision", "unbekannt", "")


def random_vault(seed: int) -> dict[str, str]:
    """A few notes with names that meet, links of every form, defaults, stop sections and frontmatter links."""
    random = Random(seed)
    paths = random.sample([f"{name}.md" for name in _NAMES], random.randint(2, 7))
    return {path: _random_note(random) for path in paths}


def _random_note(random: Random) -> str:
    fields = [
        f"type: {random.choice(_TYPES)}",
        random.choice(["", f"id: {random.choice(_NAMES)}"]),
        random.choice(["", f"title: {random.choice(_NAMES)}"]),
        random.choice(["", f"aliases: [{random.choice(_NAMES)}]"]),
        random.choice(["", f"depends_on: '[[{random.choice(_NAMES)}]]'"]),
    ]
    parts = ["---", *filter(None, fields), "---"]
    for _ in range(random.randint(0, 4)):
        title = random.choice(["Teil", "Mehr", "Mögliche Verbindungen", ""])
        if title:
            parts += [f"## {title}", ""]
        for _ in range(random.randint(1, 4)):
            parts += [random.choice(_WRITTEN).format(random.choice(_NAMES), random.choice(_NAMES)), ""]
    return "\n".join(parts)
