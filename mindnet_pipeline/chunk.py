"""`python -m mindnet_pipeline.chunk`: Markdown in, chunks out as NDJSON. No index, no Dagster, no Qdrant."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mindnet_pipeline import cli
from mindnet_pipeline.core.errors import ConfigError, VaultError

if TYPE_CHECKING:
    from mindnet_pipeline.core.model import Note
    from mindnet_pipeline.core.registry import ChunkSizes, Registry
    from mindnet_pipeline.core.tokens import TokenCounter

app = typer.Typer(add_completion=False)

_WORDS_AT_ONCE = 512
_SIZES = re.compile(r"(\d+)-(\d+),(\d+)(?:,(\d+))?(?:,(\d+))?")
_EXAMPLES = """Examples:

python -m mindnet_pipeline.chunk Note.md                           one JSON object a line, one line a chunk

cat Note.md | python -m mindnet_pipeline.chunk --type journal      from standard input, as a journal note

python -m mindnet_pipeline.chunk *.md --sizes 120-220,280,60,30    other sizes: target, max, min, overlap

python -m mindnet_pipeline.chunk Note.md --tokens words            without loading the embedding model's tokenizer

python -m mindnet_pipeline.chunk Note.md | jq -r .window           what would be embedded

Exit code: 0, or 2 if a file cannot be read or an option is wrong."""


@app.command(epilog=_EXAMPLES)
def chunk(
    files: Annotated[list[Path] | None, typer.Argument(help="Notes; nothing or `-`: standard input.")] = None,
    note_type: Annotated[str, typer.Option("--type", help="Treat the notes as of this type.")] = "",
    lang: Annotated[str, typer.Option(help="The notes' language (ISO code); else frontmatter, else guessed.")] = "",
    sizes: Annotated[str, typer.Option(help="FROM-TO,MAX[,MIN[,OVERLAP]] in tokens, instead of the type's.")] = "",
    tokens: Annotated[
        str, typer.Option(help="`model`: the embedding model's own tokens; `words`: no model.")
    ] = "model",
) -> None:
    """Cut notes into chunks and print them as NDJSON, each with the window that would be embedded."""
    from mindnet_pipeline.core.chunking import chunk_note
    from mindnet_pipeline.core.windows import overlap_text, window_text

    settings = cli.load_settings()
    if note_type and note_type.lower() not in settings.registry.types:
        raise ConfigError(
            f"--type {note_type}: no such type; config/types.yaml has {', '.join(settings.registry.types)}."
        )
    registry = _with_sizes(settings.registry, sizes) if sizes else settings.registry
    counter, max_tokens = _counter(tokens)
    for note in _notes(files or [Path("-")], registry, note_type.lower(), lang):
        previous = None
        for row in chunk_note(note, registry, counter, max_tokens):
            overlap = overlap_text(previous, row.overlap_chars) if previous else ""
            printed = {**asdict(row), "section_label": row.section_label, "window": window_text(row, overlap)}
            cli.print_json(printed)
            previous = row


def _notes(files: Sequence[Path], registry: Registry, note_type: str, lang: str) -> Iterator[Note]:
    from mindnet_pipeline.core.frontmatter import split_source
    from mindnet_pipeline.core.ids import assign_note_ids
    from mindnet_pipeline.core.notes import declared_id, parse_note

    contents = {("stdin.md" if str(file) == "-" else file.as_posix()): _read(file) for file in files}
    note_ids = assign_note_ids({path: declared_id(split_source(data)) for path, data in contents.items()})
    for path, data in contents.items():
        note = parse_note(path, data, note_ids[path], registry)
        if note_type:
            kind = registry.type_of(note_type)
            note = replace(
                note, type=note_type, retriever_weight=kind.retriever_weight, chunk_profile=kind.sizes.profile
            )
        yield replace(note, lang=lang) if lang else note


def _read(file: Path) -> bytes:
    if str(file) == "-":
        return sys.stdin.buffer.read()
    try:
        return file.expanduser().read_bytes()
    except OSError as error:
        raise VaultError(f"{file}: {error.strerror or error}.") from error


def _counter(tokens: str) -> tuple[TokenCounter, int]:
    """What counts tokens, and how many the model reads at once."""
    if tokens == "words":
        from mindnet_pipeline.core.tokens import WordCounter

        return WordCounter(), _WORDS_AT_ONCE
    if tokens != "model":
        raise ConfigError(f"--tokens {tokens}: must be `model` or `words`.")
    from mindnet_pipeline.storage.embedders import open_embedder

    settings = cli.load_settings()
    embedder = open_embedder(settings.embedding, settings.data)
    return embedder, embedder.max_tokens


def _with_sizes(registry: Registry, written: str) -> Registry:
    """The registry with these sizes for every type."""
    sizes = _parsed_sizes(written)
    return replace(registry, types={name: replace(kind, sizes=sizes) for name, kind in registry.types.items()})


def _parsed_sizes(written: str) -> ChunkSizes:
    from mindnet_pipeline.core.registry import ChunkSizes

    match = _SIZES.fullmatch(written.replace(" ", ""))
    if match is None:
        raise ConfigError(f"--sizes {written}: write FROM-TO,MAX[,MIN[,OVERLAP]], e.g. 80-150,200,50,20.")
    target_min, target_max, maximum = (int(match[i]) for i in (1, 2, 3))
    minimum = int(match[4]) if match[4] else target_min // 2
    overlap = int(match[5]) if match[5] else 0
    if not minimum <= target_min <= target_max <= maximum or overlap >= target_min:
        raise ConfigError(f"--sizes {written}: needs MIN <= FROM <= TO <= MAX and OVERLAP < FROM.")
    return ChunkSizes("custom", target_min, target_max, maximum, minimum, overlap)


def main(argv: Sequence[str] | None = None) -> int:
    """Cut notes; returns the exit code."""
    try:
        return cli.run(app, argv, name="mindnet chunk")
    except BrokenPipeError:  # the reader (head, less) had enough
        sys.stderr.close()
        return 0


if __name__ == "__main__":
    sys.exit(main())
