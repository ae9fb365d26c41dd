"""The shipped intents, and files of questions with the kind that each is."""

from __future__ import annotations

from pathlib import Path

from mindnet_pipeline.settings import load_decision_options, load_registry

CONFIG = Path(__file__).parents[2] / "config"
REGISTRY = load_registry(CONFIG / "types.yaml")
OPTIONS = load_decision_options(CONFIG, REGISTRY)


def questions(name: str) -> list[tuple[str, str, str]]:
    """(intent, language, question) for each line of a file: `## intent language`, then one question a line."""
    found, intent, language = [], "", ""
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            _, intent, language = line.split()
        elif line and not line.startswith("#"):
            found.append((intent, language, line))
    return found
