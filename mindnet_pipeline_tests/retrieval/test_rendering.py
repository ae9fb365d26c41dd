"""Results for people and programs."""

from __future__ import annotations

import io
import json
from pathlib import Path

from rich.console import Console

from mindnet_pipeline.core.model import Explanation, Hit
from mindnet_pipeline.retrieval.rendering import as_json, excerpt, obsidian_link, render_markdown
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.retrieval.terminal import print_result

WHY = Explanation({"semantic": 0.5, "edge": 0.25}, ("Bevorzugt, da Entscheidung.",), ("Kohl",))
HIT = Hit(
    "a#c01", "a", "Gärten & [Beete]", "Mein Ordner/Gärten.md", "decision", ("Ziele",), 0, 4, 7, "Kohl *hier*", 0.75, WHY
)
RESULT = SearchResult("id1", "Kohl?", (HIT,), ("Ein Hinweis.",))


def test_markdown_shows_place_score_reasons_and_text_unharmed() -> None:
    text = render_markdown(RESULT)
    assert "1. **Gärten & \\[Beete\\] › Ziele** · 0.750 · `Mein Ordner/Gärten.md:7`" in text
    assert "   - Bevorzugt, da Entscheidung." in text
    assert "   > Kohl \\*hier\\*" in text
    assert "*Ein Hinweis.*" in text


def test_json_has_every_field_and_the_reasons_only_if_explained() -> None:
    explained = json.loads(json.dumps(as_json(RESULT)))
    assert explained["hits"][0]["score_breakdown"] == {"semantic": 0.5, "edge": 0.25}
    bare = Hit(*(getattr(HIT, name) for name in Hit.__slots__ if name != "explanation"))
    plain = as_json(SearchResult("id1", "Kohl?", (bare,)))["hits"][0]
    assert set(plain) == set(Hit.__slots__) - {"explanation"}


def test_an_obsidian_link_is_percent_encoded() -> None:
    assert obsidian_link(HIT, "Mein Vault") == "obsidian://open?vault=Mein%20Vault&file=Mein%20Ordner%2FG%C3%A4rten"


def test_an_excerpt_ends_at_a_word() -> None:
    assert excerpt("Kohl wächst im Garten", 14) == "Kohl wächst …"


def test_the_terminal_shows_place_link_bar_and_reasons() -> None:
    console = Console(file=io.StringIO(), width=120)
    print_result(RESULT, Path("/somewhere/Vault"), explain=True, console=console)
    shown = console.file.getvalue()
    for expected in (
        "Gärten & [Beete] › Ziele",
        "Mein Ordner/Gärten.md:7",
        "obsidian://open",
        "██████████ 0.750",
        "• Bevorzugt",
    ):
        assert expected in shown


def test_matched_words_are_marked_on_a_terminal() -> None:
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system="standard", _environ={})
    print_result(RESULT, Path("Vault"), explain=False, console=console)
    assert "\x1b[1;33mKohl\x1b[0m" in console.file.getvalue()
