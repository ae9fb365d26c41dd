"""Intents on vault_sample and its golden questions, without a model: words, links and preferences alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline.evaluation.evaluation import Answered, answer_all, compare_by_category
from mindnet_pipeline.evaluation.golden import read_golden
from mindnet_pipeline.retrieval.retriever import open_retriever
from mindnet_pipeline.settings import load_settings

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_why_questions_gain_and_no_other_kind_loses(tmp_path: Path) -> None:
    environ = {"MINDNET_CONFIG": str(ROOT / "config"), "MINDNET_EMBEDDER": "none"}
    settings = load_settings(environ, vault=str(ROOT / "vault_sample"), data=str(tmp_path))
    sync_once(Pipeline(settings))
    questions = read_golden(ROOT / "config" / "golden.yaml")
    with open_retriever(settings) as retriever:

        def answered(intent: str) -> list[Answered]:
            return answer_all(questions, lambda q: retriever.search(q, limit=10, intent=intent).hits, lambda: 0.0)

        gains = {
            name: means["nDCG@10"] for name, means in compare_by_category(answered("off"), answered("auto")).items()
        }
        first = retriever.search("Warum nutzen wir Qdrant?").hits[0]
    print({name: round(gain.value, 3) for name, gain in gains.items()})
    assert gains["why"].low > 0
    assert all(gain.value > -0.01 for gain in gains.values())
    assert first.type == "decision"
