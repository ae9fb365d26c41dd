"""Golden questions asked of an index: where a vault's own are, which it can answer, and what is found for them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from mindnet_pipeline.core.ids import fold
from mindnet_pipeline.core.model import Hit
from mindnet_pipeline.evaluation.evaluation import Answered, answer_all
from mindnet_pipeline.evaluation.golden import GoldenQuestion, Relevant, read_golden
from mindnet_pipeline.evaluation.judging import missing, places_of
from mindnet_pipeline.evaluation.quality import answerable
from mindnet_pipeline.retrieval.retriever import Retriever
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.settings.decision_engine import AUTO
from mindnet_pipeline.storage.tables import Tables
from mindnet_pipeline.storage.vectors.protocol import Condition, StoreReader, Where

HITS = 10
"""As many as the measures look at."""


def golden_file(settings: Settings) -> Path | None:
    """The file of `evaluation.questions`; None if the settings name none."""
    named = settings.evaluation.questions
    return settings.config_folder / Path(named).expanduser() if named else None


def questions_for(tables: Tables, file: Path) -> list[GoldenQuestion]:
    """The questions of the file that are about notes of this vault."""
    return answerable(read_golden(file), tables.read("notes", columns=("path",))["path"].to_pylist())


def missing_places(questions: Iterable[GoldenQuestion], reader: StoreReader) -> list[Relevant]:
    """The places of these questions that the index does not have."""
    places = places_of(questions)
    wanted = {fold(place.path) for place in places}
    paths = [note.payload["path"] for note in reader.scan("notes", ["path"]) if fold(note.payload["path"]) in wanted]
    sections: dict[str, set[str]] = {fold(path): set() for path in paths}
    if paths:
        at_one = Where(must=(Condition("path", any_of=tuple(paths)),))
        for chunk in reader.lookup("chunks", at_one, fields=["path", "section_path"]):
            sections[fold(chunk.payload["path"])].update(map(fold, chunk.payload["section_path"]))
    return missing(places, sections)


def ask_all(questions: Sequence[GoldenQuestion], retriever: Retriever, intent: str = AUTO) -> list[Answered]:
    """Every question asked once, in order, with the time it took."""

    def ask(question: str) -> Sequence[Hit]:
        return retriever.search(question, limit=HITS, intent=intent).hits

    return answer_all(questions, ask, time.perf_counter)
