"""What must hold of any vault's notes, chunks and edges: claims that read true when green.

Every function takes plain columns (one list per column, as `pyarrow.Table.to_pydict()` gives them, named like the
fields of `model.Note`, `model.Chunk` and `model.Edge`) and counts anew from what it checks against; none calls the code
that made the rows. All are linear in the rows. A report's `expected` and `found` are exact; violations are sorted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.ids import contested_id
from mindnet_pipeline.core.link_recount import LinkRecount, leads_to, note_index, recount_links
from mindnet_pipeline.core.model import CheckReport, Violation
from mindnet_pipeline.core.registry import Registry
from mindnet_pipeline.core.resolve import NoteIndex

Columns = Mapping[str, Sequence[Any]]

_REBUILD = "Sync the notes named here again; if it stays, rebuild from scratch."


def check_graph(notes: Columns, chunks: Columns, edges: Columns, *, registry: Registry) -> list[CheckReport]:
    """Every invariant that the three tables answer by themselves, in a fixed order."""
    index = note_index(notes)
    recount = recount_links(notes, chunks, index, registry)
    return [
        note_ids_are_unique(notes),
        note_paths_are_unique(notes),
        note_ids_are_declared_once(notes),
        chunk_ids_are_unique(chunks),
        point_ids_are_unique({"notes": notes["note_id"], "chunks": chunks["chunk_id"], "edges": edges["edge_id"]}),
        every_chunk_note_exists(notes, chunks),
        chunks_join_to_fulltext(notes, chunks),
        belongs_to_edges_match_chunks(chunks, edges),
        next_and_prev_edges_match_neighbours(chunks, edges),
        references_match_distinct_targets_per_chunk(edges, recount),
        explicit_edges_match_written_links(edges, recount),
        backlinks_match_distinct_explicit_targets(edges, recount),
        every_default_edge_has_a_written_link(edges, recount),
        every_edge_owner_exists(notes, edges),
        every_edge_source_exists(notes, chunks, edges),
        every_resolved_target_exists(notes, chunks, edges),
        every_unresolved_target_is_missing(notes, edges, index),
        edge_keys_are_unique(edges),
        confidences_are_probabilities(edges),
    ]


def note_ids_are_unique(notes: Columns) -> CheckReport:
    """No two rows of the notes table have one note_id."""
    return _unique("note_ids_are_unique", "Every note_id is there once.", notes["note_id"])


def note_paths_are_unique(notes: Columns) -> CheckReport:
    """No two rows of the notes table are of one file."""
    return _unique("note_paths_are_unique", "Every path has one note.", notes["path"])


def chunk_ids_are_unique(chunks: Columns) -> CheckReport:
    """No two rows of the chunks table have one chunk_id."""
    return _unique("chunk_ids_are_unique", "Every chunk_id is there once.", chunks["chunk_id"])


def point_ids_are_unique(logical_ids: Mapping[str, Iterable[str]]) -> CheckReport:
    """No two rows of a collection share a point, whose id is a digest of the row's. `logical_ids`: by collection."""
    rows = [(name, each) for name, ids in logical_ids.items() for each in ids]
    return _unique("point_ids_are_unique", "Every row has a point of its own in its collection.", rows)


def note_ids_are_declared_once(notes: Columns) -> CheckReport:
    """No two files claim one id."""
    violations = [
        Violation(note_id, f"{path}: the id `{wanted}` belongs to another note already.")
        for note_id, path in zip(notes["note_id"], notes["path"], strict=True)
        if (wanted := contested_id(note_id, path))
    ]
    total = len(notes["note_id"])
    return _report(
        "note_ids_are_declared_once",
        "Every id is claimed by one file only.",
        (total, total - len(violations)),
        violations,
        "Give each of these notes an `id` of its own.",
    )


def every_chunk_note_exists(notes: Columns, chunks: Columns) -> CheckReport:
    """Every chunk belongs to a note that there is."""
    return _exist(
        "every_chunk_note_exists",
        "Every chunk's note exists.",
        zip(chunks["chunk_id"], chunks["note_id"], strict=True),
        set(notes["note_id"]),
    )


def chunks_join_to_fulltext(notes: Columns, chunks: Columns) -> CheckReport:
    """A note's chunk texts, joined in order, are its body, and their spans say where; a blank body may have none."""
    by_note: dict[str, list[tuple[int, int, int, str]]] = {}
    rows = zip(*(chunks[c] for c in ("note_id", "chunk_index", "char_start", "char_end", "text")), strict=True)
    for note_id, index, start, end, text in rows:
        by_note.setdefault(note_id, []).append((index, start, end, text))
    violations = []
    for note_id, fulltext in zip(notes["note_id"], notes["fulltext"], strict=True):
        parts = sorted(by_note.get(note_id, ()))
        if not parts and not fulltext.strip():
            continue
        if "".join(text for *_, text in parts) != fulltext:
            violations.append(Violation(note_id, "the chunk texts joined are not the body."))
        elif any(fulltext[start:end] != text for _, start, end, text in parts):
            violations.append(Violation(note_id, "a chunk's char_start and char_end do not say where its text is."))
    total = len(notes["note_id"])
    return _report(
        "chunks_join_to_fulltext",
        "Every note's chunk texts, joined in order, are its body.",
        (total, total - len(violations)),
        violations,
    )


def no_window_is_truncated(
    chunk_ids: Sequence[str], window_tokens: Sequence[int], tokens_read: Sequence[int]
) -> CheckReport:
    """The model read every window whole, in parts if need be. Three parallel columns; tokens without special ones."""
    violations = [
        Violation(chunk, f"the window has {counted(there, 'token')}, the model read {read}.")
        for chunk, there, read in zip(chunk_ids, window_tokens, tokens_read, strict=True)
        if read < there
    ]
    return _report(
        "no_window_is_truncated",
        "The embedding model read every window whole.",
        (len(chunk_ids), len(chunk_ids) - len(violations)),
        violations,
        "Embed these chunks again with an embedder that divides long windows.",
    )


def belongs_to_edges_match_chunks(chunks: Columns, edges: Columns) -> CheckReport:
    """One `belongs_to` edge for each chunk, to its note."""
    return _same(
        "belongs_to_edges_match_chunks",
        "Every chunk has one belongs_to edge, to its note.",
        zip(chunks["chunk_id"], chunks["note_id"], strict=True),
        _of_rules(edges, "structure:belongs_to", columns=("source_id", "target_id")),
    )


def next_and_prev_edges_match_neighbours(chunks: Columns, edges: Columns) -> CheckReport:
    """One `next` and one `prev` edge for each pair of neighbouring chunks of a note."""
    rows = sorted(zip(chunks["note_id"], chunks["chunk_index"], chunks["chunk_id"], strict=True))
    neighbours = [(a, b) for (one, _, a), (other, _, b) in pairwise(rows) if one == other]
    expected = [*(("next", a, b) for a, b in neighbours), *(("prev", b, a) for a, b in neighbours)]
    return _same(
        "next_and_prev_edges_match_neighbours",
        "Neighbouring chunks, and only they, are tied by next and prev.",
        expected,
        _of_rules(edges, "structure:next", "structure:prev", columns=("kind", "source_id", "target_id")),
    )


def references_match_distinct_targets_per_chunk(edges: Columns, recount: LinkRecount) -> CheckReport:
    """Explicit `references` of chunks are the distinct targets that plain links in their text name."""
    return _same(
        "references_match_distinct_targets_per_chunk",
        "Every chunk has one explicit references edge for each note that its plain links name.",
        {(source, target) for source, kind, target, _ in recount.chunk_statements if kind == "references"},
        (
            (source, target)
            for source, target, kind in _explicit(edges, scope="chunk", columns=("source_id", "target_id", "kind"))
            if kind == "references"
        ),
    )


def explicit_edges_match_written_links(edges: Columns, recount: LinkRecount) -> CheckReport:
    """Explicit edges of chunks, of any kind, are what the links in their text say today."""
    return _same(
        "explicit_edges_match_written_links",
        "Every explicit edge of a chunk is what a link in its text says, and every such link has its edge.",
        recount.chunk_statements,
        _explicit(edges, scope="chunk", columns=("source_id", "kind", "target_id", "status")),
    )


def backlinks_match_distinct_explicit_targets(edges: Columns, recount: LinkRecount) -> CheckReport:
    """One `backlink` edge for each other note that a note's body names."""
    return _same(
        "backlinks_match_distinct_explicit_targets",
        "Every note has one backlink edge from each other note that its body names.",
        ((target, note_id) for note_id, target in recount.body_targets if target != note_id),
        _of_rules(edges, "structure:backlink", columns=("source_id", "target_id")),
    )


def every_default_edge_has_a_written_link(edges: Columns, recount: LinkRecount) -> CheckReport:
    """A type's default relations lead only where the chunk's own links lead."""
    named = {(source, target) for source, _, target, _ in recount.chunk_statements}
    columns = ("edge_id", "provenance", "source_id", "target_id")
    rows = [(edge, (s, t)) for edge, made_by, s, t in _rows(edges, columns) if made_by == "rule"]
    return _exist(
        "every_default_edge_has_a_written_link", "Every default edge follows a link in its chunk.", rows, named
    )


def every_edge_owner_exists(notes: Columns, edges: Columns) -> CheckReport:
    """Every edge's owner is a note that there is, so that deleting a note's rows by note_id leaves nothing."""
    rows = zip(edges["edge_id"], edges["note_id"], strict=True)
    return _exist("every_edge_owner_exists", "Every edge's owner exists.", rows, set(notes["note_id"]))


def every_edge_source_exists(notes: Columns, chunks: Columns, edges: Columns) -> CheckReport:
    """Every edge starts at a note or a chunk that there is."""
    there = {*notes["note_id"], *chunks["chunk_id"]}
    rows = zip(edges["edge_id"], edges["source_id"], strict=True)
    return _exist("every_edge_source_exists", "Every edge's source exists.", rows, there)


def every_resolved_target_exists(notes: Columns, chunks: Columns, edges: Columns) -> CheckReport:
    """Every edge with status `ok` ends at a note or a chunk that there is."""
    there = {*notes["note_id"], *chunks["chunk_id"]}
    rows = (
        (edge, target) for edge, target, status in _rows(edges, ("edge_id", "target_id", "status")) if status == "ok"
    )
    return _exist("every_resolved_target_exists", "Every resolved edge's target exists.", rows, there)


def every_unresolved_target_is_missing(notes: Columns, edges: Columns, index: NoteIndex) -> CheckReport:
    """No link that is said to lead nowhere leads to a note of the vault (`index`) as it is now."""
    paths = dict(zip(notes["note_id"], notes["path"], strict=True))
    columns = ("edge_id", "status", "note_id", "target_raw", "display", "rule_id")
    unresolved = [row for row in _rows(edges, columns) if row[1] == "unresolved"]
    violations = []
    for edge, _, owner, target, display, rule_id in unresolved:
        found = leads_to(index, target, display, rule_id, paths.get(owner, ""))
        if found is not None:
            violations.append(Violation(edge, f"`{target}` in `{owner}` is said to be missing and leads to `{found}`."))
    return _report(
        "every_unresolved_target_is_missing",
        "Every unresolved link's target really does not exist.",
        (len(unresolved), len(unresolved) - len(violations)),
        violations,
    )


def edge_keys_are_unique(edges: Columns) -> CheckReport:
    """One edge for each source, target, kind and scope: the strongest evidence, and no other rule beside it."""
    keys = list(_rows(edges, ("source_id", "target_id", "kind", "scope")))
    return _unique("edge_keys_are_unique", "Every source, target, kind and scope has one edge.", keys)


def confidences_are_probabilities(edges: Columns) -> CheckReport:
    """Every confidence is a number from 0 to 1."""
    violations = [
        Violation(edge, f"the confidence is {confidence}.")
        for edge, confidence in _rows(edges, ("edge_id", "confidence"))
        if confidence is None or not 0 <= confidence <= 1
    ]
    total = len(edges["edge_id"])
    return _report(
        "confidences_are_probabilities",
        "Every confidence is a number from 0 to 1.",
        (total, total - len(violations)),
        violations,
    )


def store_matches_tables(
    table_ids: Mapping[str, Iterable[str]], store_ids: Mapping[str, Collection[str]]
) -> CheckReport:
    """Each collection of the store holds exactly the rows of its table. Both: logical ids by collection."""
    return _same(
        "store_matches_tables",
        "The store holds exactly the points of the tables.",
        ((name, each) for name, ids in table_ids.items() for each in ids),
        ((name, each) for name, ids in store_ids.items() for each in ids),
        remedy="Sync again: it writes missing points and deletes others.",
    )


def store_has_all_rows(rows: int, *, looked_at: str) -> CheckReport:
    """The verdict of `store_matches_tables` where all `rows` were found to agree by comparing `looked_at`."""
    return replace(store_matches_tables({}, {}), expected=rows, found=rows, looked_at=looked_at)


def _rows(columns: Columns, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    return zip(*(columns[name] for name in names), strict=True)


def _of_rules(edges: Columns, *rules: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    return (row[1:] for row in _rows(edges, ("rule_id", *columns)) if row[0] in rules)


def _explicit(edges: Columns, *, scope: str, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    rows = _rows(edges, ("provenance", "scope", *columns))
    return (row[2:] for row in rows if row[0] == "explicit" and row[1] == scope)


def _report(
    name: str, description: str, counts: tuple[int, int], violations: Iterable[Violation], remedy: str = _REBUILD
) -> CheckReport:
    ordered = tuple(sorted(violations, key=lambda violation: (violation.subject_id, violation.message)))
    return CheckReport(name, description, counts[0], counts[1], ordered, remedy if ordered else "")


def _same(
    name: str,
    description: str,
    expected: Iterable[tuple[str, ...]],
    found: Iterable[tuple[str, ...]],
    remedy: str = _REBUILD,
) -> CheckReport:
    """The two hold the same tuples, each as often."""
    wanted, there = Counter(expected), Counter(found)
    violations = []
    if not dict.__eq__(wanted, there):  # almost always equal: the differences of large counters are slow
        violations += [Violation(" ".join(key), f"{count} missing.") for key, count in (wanted - there).items()]
        violations += [Violation(" ".join(key), f"{count} too many.") for key, count in (there - wanted).items()]
    return _report(name, description, (wanted.total(), there.total()), violations, remedy)


def _unique(name: str, description: str, keys: Sequence[Hashable]) -> CheckReport:
    if len(set(keys)) == len(keys):  # almost always, and in a third of the time
        return _report(name, description, (len(keys), len(keys)), ())
    counts = Counter(keys)
    violations = [
        Violation(" ".join(key) if isinstance(key, tuple) else str(key), f"there {count} times.")
        for key, count in counts.items()
        if count > 1
    ]
    return _report(name, description, (counts.total(), len(counts)), violations)


def _exist(
    name: str, description: str, rows: Iterable[tuple[str, Hashable]], there: Collection[Hashable]
) -> CheckReport:
    """Each row is (the row's id, what must be there)."""
    total, violations = 0, []
    for subject, wanted in rows:
        total += 1
        if wanted not in there:
            text = " → ".join(wanted) if isinstance(wanted, tuple) else wanted
            violations.append(Violation(subject, f"`{text}` does not exist."))
    return _report(name, description, (total, total - len(violations)), violations)
