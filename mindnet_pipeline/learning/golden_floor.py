"""The golden questions asked with the present weights and with new ones: what may not get worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mindnet_pipeline.evaluation.asking import ask_all, golden_file, questions_for
from mindnet_pipeline.evaluation.evaluation import ALL, summarise
from mindnet_pipeline.evaluation.golden import GoldenQuestion
from mindnet_pipeline.evaluation.quality import below_floor
from mindnet_pipeline.learning.proposals import GoldenCheck
from mindnet_pipeline.retrieval.retriever import Retriever, open_retriever
from mindnet_pipeline.settings import RetrieverOptions, Settings
from mindnet_pipeline.settings.retriever import Weights
from mindnet_pipeline.storage.tables import Tables

MAY_NOT_FALL = "nDCG@10"


def check_golden(settings: Settings, weights: Weights) -> GoldenCheck:
    """The golden questions whose notes this vault has, asked of the index under both weights; or why none was."""
    place = golden_file(settings)
    if place is None:
        return GoldenCheck(not_checked="no golden questions are configured (evaluation.questions)")
    if not place.is_file():
        return GoldenCheck(not_checked=f"there is no {place}")
    questions = questions_for(Tables(settings.data), place)
    if not questions:
        return GoldenCheck(not_checked=f"this vault has none of the notes that {place.name} asks for")
    present = settings.retriever
    with open_retriever(settings) as retriever:
        before = _means(questions, retriever.with_options(present))
        after = _means(questions, retriever.with_options(with_weights(present, weights)))
    floor = {str(name): least for name, least in settings.evaluation.floor.items()}
    problems = problems_of(before, after, floor)
    return GoldenCheck(questions=len(questions), before=before, after=after, problems=problems)


def problems_of(before: Mapping[str, float], after: Mapping[str, float], floor: Mapping[str, float]) -> tuple[str, ...]:
    """What new weights would make too bad, as sentences: the measure that may not fall, and floors that they break.

    >>> problems_of({"nDCG@10": 0.8, "MRR": 0.7}, {"nDCG@10": 0.7, "MRR": 0.6}, {"MRR": 0.65})
    ('nDCG@10 would fall from 0.800 to 0.700.', 'MRR is 0.600, below its floor of 0.65.')
    """
    held = {name: least for name, least in floor.items() if before[name] >= least}
    falls = f"{MAY_NOT_FALL} would fall from {before[MAY_NOT_FALL]:.3f} to {after[MAY_NOT_FALL]:.3f}."
    return (*([falls] if after[MAY_NOT_FALL] < before[MAY_NOT_FALL] else []), *below_floor(after, held))


def with_weights(options: RetrieverOptions, weights: Weights) -> RetrieverOptions:
    """The options with other weights."""
    return options.model_copy(update={"weights": weights})


def _means(questions: Sequence[GoldenQuestion], retriever: Retriever) -> dict[str, float]:
    means = summarise(ask_all(questions, retriever)).means[ALL]
    return {name: round(mean.value, 4) for name, mean in means.items()}
