"""A search result as Markdown (for run metadata and notes) and as JSON values. Pure."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.retrieval.results import SearchResult

_EXCERPT_CHARACTERS = 400


def render_markdown(result: SearchResult) -> str:
    """The hits as a numbered list: title and section, place, score and reasons, and the beginning of the text."""
    lines = [f"**{_one_line(result.query)}**", ""]
    lines += [f"*{_escaped(said)}*\n" for said in (result.understood, *result.notices) if said]
    for number, hit in enumerate(result.hits, start=1):
        lines.append(f"{number}. **{_escaped(heading(hit))}** · {hit.score:.3f} · `{hit.path}:{hit.line}`")
        if hit.explanation:
            parts = ", ".join(f"{name} {value:.3f}" for name, value in hit.explanation.score_breakdown.items())
            lines += [f"   - {_escaped(reason)}" for reason in hit.explanation.reasons]
            lines.append(f"   - {parts}")
        lines += ["", f"   > {_escaped(excerpt(hit.text, _EXCERPT_CHARACTERS))}", ""]
    return "\n".join(lines).rstrip() + "\n"


def as_json(result: SearchResult) -> dict[str, Any]:
    """The result in JSON types; `score_breakdown`, `reasons` and `matched_words` only where there is an explanation."""
    return {
        "query_id": result.query_id,
        "query": result.query,
        "intent": _intent_as_json(result),
        "hits": [_hit_as_json(hit) for hit in result.hits],
        "notices": list(result.notices),
    }


def _intent_as_json(result: SearchResult) -> dict[str, Any]:
    intent = result.intent
    return {
        "name": intent.name,
        "recognised_by": intent.recognised_by,
        "confidence": intent.confidence,
        "evidence": intent.evidence,
        "template": intent.template,
        "understood": result.understood,
    }


def heading(hit: Hit) -> str:
    """Title and section of a hit for display."""
    return " › ".join((hit.title, *hit.section_path))


def obsidian_link(hit: Hit, vault_name: str) -> str:
    """The address that opens the hit's note in Obsidian.

    `vault_name` is the name of the vault's folder, as Obsidian knows it.
    """
    return f"obsidian://open?vault={quote(vault_name, safe='')}&file={quote(hit.path.removesuffix('.md'), safe='')}"


def excerpt(text: str, characters: int) -> str:
    r"""The beginning of a text on one line, cut at a blank.

    >>> excerpt("Ein langer\n\nText ohne Ende", 12)
    'Ein langer …'
    """
    flat = _one_line(text)
    if len(flat) <= characters:
        return flat
    return flat[:characters].rsplit(" ", 1)[0] + " …"


def _hit_as_json(hit: Hit) -> dict[str, Any]:
    values: dict[str, Any] = {
        "chunk_id": hit.chunk_id,
        "note_id": hit.note_id,
        "title": hit.title,
        "path": hit.path,
        "type": hit.type,
        "section_path": list(hit.section_path),
        "char_start": hit.char_start,
        "char_end": hit.char_end,
        "line": hit.line,
        "text": hit.text,
        "score": hit.score,
        "relevance": hit.relevance,
    }
    if hit.explanation:
        values["score_breakdown"] = dict(hit.explanation.score_breakdown)
        values["reasons"] = list(hit.explanation.reasons)
        values["matched_words"] = list(hit.explanation.matched_words)
    return values


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    for sign in "\\`*_[]<>#|":
        text = text.replace(sign, f"\\{sign}")
    return text
