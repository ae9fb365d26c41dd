"""Search against its parts on labelled question sets: BM25 alone, dense alone, rank fusion, text without links, all.

    MINDNET_SHARED=… python benchmarks/retrieval_races.py --cache /tmp/race-cache [--engine onnx] [hotpotqa100 …]

Same texts, same store, same run. `all@8` is the share of questions with every relevant passage among the first eight.
hotpotqa100 and every second question of the XQuAD sets are the development sets of config/retriever.yaml; the others
only report.
xquad_bilingual has each paragraph in one of two languages and the questions in both: `other language` are those whose
paragraph is in the other one.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from race_data import BILINGUAL, CachedEmbedder, QuestionSet, embeddings, fill_store, load

from mindnet_pipeline.evaluation.bootstrap import interval
from mindnet_pipeline.evaluation.measures import MEASURES, Measure, all_found
from mindnet_pipeline.retrieval.retriever import Retriever
from mindnet_pipeline.settings import EmbeddingOptions, RetrieverOptions, Settings, load_settings
from mindnet_pipeline.storage.bm25 import Bm25Encoder
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline.storage.vectors.protocol import Search, SparseVector, StoreReader

SETS = ("xquad_de", "xquad_en", BILINGUAL, "hotpotqa100", "2wiki101_small", "musique200")
_DEPTH = 50
_RANK_CONSTANT = 60

Ranking = Sequence[str]
Ask = Callable[[str], Ranking]
REPORTED: Mapping[str, Measure] = {**MEASURES, "all@8": lambda ranking, grades: all_found(ranking, grades, 8)}


def competitors(reader: StoreReader, embedder: CachedEmbedder, settings: Settings, lang: str) -> dict[str, Ask]:
    """All ways to rank, by name; each gives note ids, best first."""
    bm25, options = Bm25Encoder(), settings.retriever
    languages = (lang,) if lang else ("de", "en")

    def notes(vector: npt.NDArray[np.float32] | SparseVector) -> Ranking:
        (found,) = reader.search([Search(vector, _DEPTH)])
        return [each.payload["note_id"] for each in found]

    def words(question: str) -> Ranking:
        return notes(bm25.query(question, languages))

    def meaning(question: str) -> Ranking:
        return notes(embedder.embed_query(question))

    return {
        "BM25": words,
        "dense": meaning,
        "rank fusion": lambda question: fused([words(question), meaning(question)]),
        "text only": _retriever(reader, embedder, settings, _without_links(options)),
        "mindnet": _retriever(reader, embedder, settings, options),
    }


def fused(rankings: Sequence[Ranking]) -> Ranking:
    """Reciprocal rank fusion."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, found in enumerate(ranking, start=1):
            scores[found] += 1 / (_RANK_CONSTANT + rank)
    return sorted(scores, key=lambda found: -scores[found])


def _retriever(reader: StoreReader, embedder: CachedEmbedder, settings: Settings, options: RetrieverOptions) -> Ask:
    made = Retriever(reader, embedder, Bm25Encoder(), settings.registry, options, "de")
    return lambda question: [hit.note_id for hit in made.search(question, limit=10).hits]


def _without_links(options: RetrieverOptions) -> RetrieverOptions:
    return options.model_copy(update={"weights": options.weights.model_copy(update={"edge": 0.0, "centrality": 0.0})})


def race(data: QuestionSet, model: Embedder, cache: Path, settings: Settings) -> None:
    """Print one set's tables."""
    documents, questions = embeddings(data, model, cache)
    embedder = CachedEmbedder(model, list(data.questions.values()), questions)
    answers: dict[str, Mapping[str, Ranking]] = {}
    milliseconds = {}
    with fill_store(data, model, documents).reader() as reader:
        for name, ask in competitors(reader, embedder, settings, data.lang).items():
            started = time.perf_counter()
            answers[name] = {key: ask(text) for key, text in data.questions.items()}
            milliseconds[name] = (time.perf_counter() - started) * 1000 / len(data.questions)
    for group, keys in groups(data).items():
        print(f"\n{data.name}, {group}: {len(data.passages)} passages, {len(keys)} questions")
        print(f"{'':<12}" + "".join(f"{name:>19}" for name in REPORTED) + f"{'ms a question':>15}")
        for name, rankings in answers.items():
            cells = (_cell([m(rankings[key], data.relevant[key]) for key in keys]) for m in REPORTED.values())
            print(f"{name:<12}{''.join(cells)}{milliseconds[name]:>15.1f}", flush=True)


def groups(data: QuestionSet) -> dict[str, list[str]]:
    """The questions that are reported together: all, and of XQuAD those that nothing was chosen on, or by language."""
    keys = list(data.questions)
    found = {"all": keys}
    if data.name == BILINGUAL:
        langs = {row["id"]: row["lang"] for row in data.passages}
        own = [key for key in keys if langs[next(iter(data.relevant[key]))] == key.partition(":")[0]]
        found |= {"same language": own, "other language": [key for key in keys if key not in set(own)]}
    elif data.name.startswith("xquad"):
        found["held out"] = keys[1::2]
    return found


def _cell(values: Sequence[float]) -> str:
    low, high = interval(values)
    return f"{np.mean(values):>8.3f} {f'{low:.2f}–{high:.2f}':<10}"


def main() -> None:
    """Parse and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--cache", type=Path, required=True, help="folder for embeddings")
    parser.add_argument("--engine", default="bundled", help="bundled, or onnx (prepared below the cache)")
    given = parser.parse_args()
    model = open_embedder(EmbeddingOptions(engine=given.engine), str(given.cache))
    for name in given.sets:
        race(load(name), model, given.cache, load_settings())


if __name__ == "__main__":
    main()
