"""A question answered in sentences from the UI: an op that searches, asks the language model and records the answer."""

from typing import Any

import dagster as dg

from mindnet_pipeline.defs.resources import MindnetResource


class ChatQuestion(dg.Config):
    """What is asked. Launch the job `chat` with it."""

    question: str = "Warum nutzen wir Qdrant?"


@dg.op
def answer(context: dg.OpExecutionContext, config: ChatQuestion, mindnet: MindnetResource) -> dict[str, Any]:
    """Ask the vault; the answer with its sources is the output's metadata. Without a model: the passages.

    Raises:
        Failure: a model is there but did not answer.
    """
    # Here, not above: the definitions are loaded for every run, and the client of the language model is seldom asked.
    from mindnet_pipeline.conversation.answering import Conversation
    from mindnet_pipeline.conversation.rendering import as_json, render_markdown

    conversation = Conversation(lambda: mindnet.fresh_pipeline().settings)
    said = conversation.ask(config.question, lambda _text: None)
    metadata = {
        "outcome": said.outcome,
        "model": said.model,
        "query_id": said.result.query_id,
        "answer": dg.MetadataValue.md(render_markdown(said)),
    }
    if said.outcome == "failed":
        raise dg.Failure(" ".join(said.notices), metadata=metadata)
    context.add_output_metadata(metadata)
    return as_json(said)


@dg.job(executor_def=dg.in_process_executor, description="Answers a question in sentences (set it in the launchpad).")
def chat() -> None:
    """Question → answer with citations."""
    answer()
