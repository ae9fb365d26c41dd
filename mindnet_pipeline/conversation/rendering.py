"""An answer as JSON values, as Markdown and as plain lines. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mindnet_pipeline.conversation.answering import Answer
from mindnet_pipeline.conversation.messages import MESSAGES
from mindnet_pipeline.conversation.passages import Passage
from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.retrieval.rendering import as_json as result_as_json
from mindnet_pipeline.retrieval.rendering import excerpt, heading

_EXCERPT_CHARACTERS = 300


def as_json(answer: Answer) -> dict[str, Any]:
    """The answer in JSON types."""
    found = result_as_json(answer.result)
    return {
        "question": answer.question,
        "outcome": answer.outcome,
        "answer": answer.text,
        "citations": [_citation(passage) for passage in answer.sources],
        "removed_citations": list(answer.removed),
        "hits": found["hits"],
        "model": answer.model,
        "intent": found["intent"],
        "query_id": answer.result.query_id,
        "notices": list(answer.notices),
    }


def render_markdown(answer: Answer) -> str:
    """The answer with its sources below."""
    parts = [f"**{answer.question}**", answer.text or "", *(f"*{notice}*" for notice in answer.notices)]
    lines = "\n".join(line.text for line in below(answer))
    return "\n\n".join(part for part in (*parts, lines) if part) + "\n"


@dataclass(frozen=True, slots=True)
class Line:
    """A line below an answer; `hit` is the one whose place it names."""

    text: str
    hit: Hit | None = None


def below(answer: Answer) -> list[Line]:
    """The lines below an answer: its sources; where it names none what was read; without an answer all passages."""
    messages = MESSAGES[answer.language]
    if answer.sources:
        return [Line(f"{messages.sources}:"), *(_place(passage.number, passage.hit) for passage in answer.sources)]
    if answer.outcome in {"nothing", "interrupted"}:
        return []
    if answer.text:
        return [Line(messages.uncited), *(_place(passage.number, passage.hit) for passage in answer.passages)]
    understood = answer.result.understood
    lines = [*([Line(understood)] if understood else []), Line(f"{messages.passages}:")]
    for number, hit in enumerate(answer.result.hits, start=1):
        reasons = hit.explanation.reasons if hit.explanation else ()
        lines += [_place(number, hit), Line(f"    {excerpt(hit.text, _EXCERPT_CHARACTERS)}")]
        lines += [Line(f"    • {reason}") for reason in reasons]
    return lines


def _place(number: int, hit: Hit) -> Line:
    """A hit by its number: title and section, chunk, place in the file."""
    return Line(f"[{number}] {heading(hit)} · {hit.chunk_id} · {hit.path}:{hit.line}", hit)


def _citation(passage: Passage) -> dict[str, Any]:
    hit = passage.hit
    return {
        "number": passage.number,
        "note_id": hit.note_id,
        "title": hit.title,
        "section": " › ".join(hit.section_path),
        "chunk_id": hit.chunk_id,
        "path": hit.path,
        "line": hit.line,
    }
