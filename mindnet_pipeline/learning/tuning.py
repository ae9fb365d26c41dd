"""From ratings to a proposal: gather pairs, learn weights, judge them, and keep them only if they have earned it.

A proposal is made if, with weights learned without them, held-out questions are ordered better by more than chance (the
95 % interval of the gain lies above 0, in both measures) and the golden questions are answered no worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mindnet_pipeline.core.counting import counted
from mindnet_pipeline.core.ids import sha256
from mindnet_pipeline.learning.feedback_log import open_log
from mindnet_pipeline.learning.fitting import Bounds, fit, rounded
from mindnet_pipeline.learning.golden_floor import check_golden
from mindnet_pipeline.learning.holdout import Comparison, cross_validate
from mindnet_pipeline.learning.labels import ratings_of
from mindnet_pipeline.learning.pair_table import write_pairs
from mindnet_pipeline.learning.pairs import Counts, TrainingPair, count, training_pairs
from mindnet_pipeline.learning.proposals import GoldenCheck, MeasureRow, Proposal, proposals, save
from mindnet_pipeline.retrieval.ranking import part_weights
from mindnet_pipeline.retrieval.scoring import PARTS, PartWeights
from mindnet_pipeline.settings import Settings, TuningOptions
from mindnet_pipeline.settings.retriever import Weights


@dataclass(frozen=True, slots=True)
class Gathered:
    """The training pairs of a log, how much there is, and the log's lines that could not be read."""

    pairs: Sequence[TrainingPair]
    counts: Counts
    unreadable: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of tuning: a proposal, or in `reason` why there is none (or no new one), with what was measured."""

    reason: str
    proposal: Proposal | None = None
    learned: Weights | None = None
    measures: tuple[MeasureRow, ...] = ()
    golden: GoldenCheck | None = None


def gather_pairs(settings: Settings) -> Gathered:
    """Make the table of training pairs anew from the log."""
    log = open_log(settings)
    situations, labels = log.situations(), log.labels()
    ratings = ratings_of(labels.values)
    pairs = training_pairs(situations.values, ratings)
    write_pairs(settings.data, pairs)
    return Gathered(pairs, count(situations.values, ratings, pairs), (*situations.unreadable, *labels.unreadable))


def tune(settings: Settings, pairs: Sequence[TrainingPair], now: str) -> Outcome:
    """Learn weights from the pairs and write a proposal, if it has earned it. Changes no configuration."""
    options = settings.tuning
    if missing := what_is_missing(pairs, options):
        return Outcome(missing)
    present = part_weights(settings.retriever)
    digest = _digest(pairs, present, options)
    if known := next((each for each in proposals(settings) if each.digest == digest), None):
        return Outcome(f"nothing new since {known.id}", known, known.weights, known.measures, known.golden)
    bounds: Bounds = options.bounds.model_dump()
    rows = tuple(_row(each) for each in cross_validate(pairs, present, bounds))
    learned = _file_weights(rounded(fit(pairs, present, bounds)))
    if any(row.low <= 0 for row in rows):
        return Outcome("learned weights order held-out questions no better than chance might", None, learned, rows)
    golden = check_golden(settings, learned)
    if golden.problems:
        reason = f"golden questions would be answered worse: {' '.join(golden.problems)}"
        return Outcome(reason, None, learned, rows, golden)
    proposal = Proposal(
        id=f"{now[:16].replace(':', '')}-{digest[:4]}",
        created=now,
        digest=digest,
        ratings=usable_ratings(pairs),
        questions=len({pair.question for pair in pairs}),
        pairs=len(pairs),
        present=settings.retriever.weights,
        weights=learned,
        measures=rows,
        golden=golden,
    )
    save(settings, proposal)
    return Outcome("", proposal, learned, rows, golden)


def what_is_missing(pairs: Sequence[TrainingPair], options: TuningOptions) -> str:
    """How many ratings and questions are missing, as a sentence; empty if there are enough."""
    ratings, questions = usable_ratings(pairs), len({pair.question for pair in pairs})
    lacking = []
    if ratings < options.min_ratings:
        lacking.append(counted(options.min_ratings - ratings, "rating"))
    if questions < options.min_questions:
        lacking.append(counted(options.min_questions - questions, "question"))
    if not lacking:
        return ""
    return (
        f"{' and '.join(lacking)} still missing: so far, {counted(ratings, 'rating')} in "
        f"{counted(questions, 'question')} with "
        f"both a good hit (4, 5) and a poor one (1, 2), and it takes {options.min_ratings} in {options.min_questions}"
    )


def usable_ratings(pairs: Sequence[TrainingPair]) -> int:
    """The number of rated hits that the pairs are made of."""
    return len({(pair.query_id, hit.chunk_id) for pair in pairs for hit in (pair.better, pair.worse)})


def _digest(pairs: Sequence[TrainingPair], present: PartWeights, options: TuningOptions) -> str:
    """Of everything that tuning depends on but the index: the same ratings give the same proposal, and only once."""
    return sha256(repr((sorted(map(repr, pairs)), present, options)))


def _row(found: Comparison) -> MeasureRow:
    numbers = (found.before, found.after, found.gain.value, found.gain.low, found.gain.high)
    before, after, gain, low, high = (round(number, 4) for number in numbers)
    return MeasureRow(measure=found.measure, before=before, after=after, gain=gain, low=low, high=high)


def _file_weights(weights: PartWeights) -> Weights:
    return Weights(**{name: getattr(weights, name) for name in PARTS})
