"""The job `chat`: a question from the launchpad, answered by a server of the tests."""

from __future__ import annotations

import pytest

from mindnet_pipeline_tests.conversation import model_server as reply
from mindnet_pipeline_tests.conversation.model_server import model_server

pytestmark = pytest.mark.slow

CONFIG = {"ops": {"answer": {"config": {"question": "Was ist Quarkbrot?"}}}}


def test_a_question_can_be_answered_as_a_job(world, monkeypatch: pytest.MonkeyPatch) -> None:
    world.write({"a.md": "Quarkbrot ist ein Frühstück.\n"})
    world.sync()
    job = world.definitions.resolve_job_def("chat")
    with model_server() as server:
        monkeypatch.setenv("MINDNET_LLM_URL", server.url)
        server.says("Ein Frühstück [1].", reply.refuses(500, {"error": "kaputt"}))
        result = job.execute_in_process(instance=world.instance, run_config=CONFIG)
        assert result.output_for_node("answer")["answer"] == "Ein Frühstück [1]."
        assert result.output_for_node("answer")["citations"][0]["path"] == "a.md"
        failed = job.execute_in_process(instance=world.instance, run_config=CONFIG, raise_on_error=False)
    assert not failed.success
