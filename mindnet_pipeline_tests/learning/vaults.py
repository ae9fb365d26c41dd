"""A data folder with a small index, golden questions about it, and a log of a simulated person's ratings."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from mindnet_pipeline.learning.feedback_log import open_log
from mindnet_pipeline.settings import Settings, load_settings
from mindnet_pipeline_tests.learning.worlds import WEIGHTS, Person, asked_and_rated, someone_who_likes

CONFIG = Path(__file__).parents[2] / "config"
RETRIEVER = """# the weights that the simulated questions are ranked with
weights:
  semantic: 0.7   # meaning
  lexical: 0.3    # words
  edge: 0.7       # links
  centrality: 0.02
  type: 0.05      # preference
graph: {cap: 0.7, link_list_damping: 0.5}
"""
A_TASTE_FOR_TYPES = someone_who_likes(dataclasses.replace(WEIGHTS, type=1.5, edge=0.1))


def configured(folder: Path, pipeline: str = "") -> Settings:
    """Settings whose files are in a folder of their own, so that weights can be adopted there."""
    config = folder / "config"
    config.mkdir(exist_ok=True)
    (config / "types.yaml").write_bytes((CONFIG / "types.yaml").read_bytes())
    (config / "retriever.yaml").write_text(RETRIEVER, encoding="utf-8")
    (config / "pipeline.yaml").write_text(pipeline, encoding="utf-8")
    environ = {"MINDNET_CONFIG": str(config), "MINDNET_EMBEDDER": "none", "MINDNET_VAULT": str(folder)}
    return load_settings(environ, data=str(folder / "data"))


def rate(settings: Settings, person: Person, questions: int, seed: int = 1) -> None:
    """Log so many questions with the ratings of this person."""
    log = open_log(settings)
    situations, labels = asked_and_rated(person, questions, seed)
    for situation in situations:
        log.add_situation(situation)
    for label in labels:
        log.add_label(label)
