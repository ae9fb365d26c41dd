"""A question asked from the UI: an op that calls the retriever and records the hits with their reasons."""

from typing import Any

import dagster as dg

from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.learning.feedback_log import log_search
from mindnet_pipeline.retrieval.rendering import render_markdown
from mindnet_pipeline.retrieval.retriever import open_retriever


class Question(dg.Config):
    """What is asked. Launch the job `ask` with it."""

    question: str = "Warum nutzen wir Qdrant?"
    limit: int = 5
    intent: str = "auto"


@dg.op
def retrieve(context: dg.OpExecutionContext, config: Question, mindnet: MindnetResource) -> list[dict[str, Any]]:
    """Search the collections; the answer with its reasons is the output's metadata."""
    settings = mindnet.fresh_pipeline().settings
    with open_retriever(settings) as retriever:
        result = retriever.search(config.question, limit=config.limit, explain=True, intent=config.intent)
    if problem := log_search(settings, result):
        context.log.warning(problem)
    context.add_output_metadata(
        {"query_id": result.query_id, "hits": len(result.hits), "answer": dg.MetadataValue.md(render_markdown(result))}
    )
    return [{"chunk_id": hit.chunk_id, "title": hit.title, "score": hit.score} for hit in result.hits]


@dg.job(executor_def=dg.in_process_executor, description="Asks the vault a question (set it in the launchpad).")
def ask() -> None:
    """Question → hits with reasons."""
    retrieve()
