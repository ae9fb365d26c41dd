"""The sample vault, the bundled embedding model: a question for reasons gets its reason from the decision."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindnet_pipeline.conversation.answering import Asking, Conversation
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline.settings import Settings, load_settings
from mindnet_pipeline_tests.conversation.model_server import ModelServer

ROOT = Path(__file__).parents[2]
QUESTION = "Warum hängt das KI-Projekt an Qdrant und nicht an einer anderen Datenbank?"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = str(tmp_path_factory.mktemp("sample"))
    environ = {"MINDNET_CONFIG": str(ROOT / "config"), "MINDNET_EMBEDDER": "bundled"}
    sync_once(Pipeline(load_settings(environ, vault=str(ROOT / "vault_sample"), data=folder)))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
def test_the_reason_comes_from_the_decision_even_if_other_notes_match_better(data: str, server: ModelServer) -> None:
    def settings() -> Settings:
        environ = {"MINDNET_CONFIG": str(ROOT / "config"), "MINDNET_EMBEDDER": "bundled", "MINDNET_LLM_URL": server.url}
        return load_settings(environ, vault=str(ROOT / "vault_sample"), data=data)

    server.says("Weil die Notizen im Haus bleiben [1].")
    plain = Conversation(settings, Asking(intent="off")).ask(QUESTION, lambda _text: None)
    understood = Conversation(settings).ask(QUESTION, lambda _text: None)
    assert plain.passages[0].hit.type != "decision"
    assert any(hit.type == "project" for hit in plain.result.hits[:3])
    assert understood.result.intent.name == "why"
    (source,) = understood.sources
    assert (source.hit.note_id, source.label) == ("e-qdrant", "DECISION")
    assert server.asked.index("[DECISION]") < server.asked.index("[CONCEPT]")
    assert "Gefragt ist nach Gründen. Nenne zuerst den Grund aus der Entscheidung" in server.asked
