"""The feedback log of one data folder: every question that was asked and every rating that was given.

Two append-only files below `<data>/feedback`. They stay on this machine; whoever deletes the folder deletes the log.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mindnet_pipeline.core.errors import MindnetError, StoreError
from mindnet_pipeline.learning.labels import Label, parse_label
from mindnet_pipeline.learning.situations import Situation, parse_situation, situation_of, written
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.storage.files import local_folder
from mindnet_pipeline.storage.json_lines import JsonLines, Records

_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class FeedbackLog:
    """Questions and ratings, each in a file that is only ever added to."""

    folder: Path
    rotate_bytes: int

    def add_situation(self, situation: Situation) -> None:
        """Log a question."""
        self._situations.append(written(situation))

    def add_label(self, label: Label) -> None:
        """Log a rating."""
        self._labels.append(written(label))

    def situations(self) -> Records[Situation]:
        """All questions, oldest first."""
        return self._situations.read(parse_situation)

    def labels(self) -> Records[Label]:
        """All ratings, oldest first."""
        return self._labels.read(parse_label)

    @property
    def _situations(self) -> JsonLines:
        return JsonLines(self.folder, "situations", self.rotate_bytes)

    @property
    def _labels(self) -> JsonLines:
        return JsonLines(self.folder, "labels", self.rotate_bytes)


def open_log(settings: Settings) -> FeedbackLog:
    """The log of the data folder.

    Raises:
        StoreError: the data folder is a remote URL, where nothing can be appended.
    """
    folder = local_folder(settings.data)
    if folder is None:
        raise StoreError(
            f"Feedback is kept on a disk, and the data folder is {settings.data}. "
            "Set feedback.log: false in pipeline.yaml, or MINDNET_DATA to a folder on this machine."
        )
    return FeedbackLog(folder / "feedback", round(settings.feedback.rotate_mb * _MEGABYTE))


def log_search(settings: Settings, result: SearchResult) -> str:
    """Log a search, unless feedback.log says not to; what went wrong as a sentence, empty if nothing did.

    Nothing is raised: the answer matters more than the log.
    """
    if not settings.feedback.log:
        return ""
    situation = situation_of(result, utc_now())
    try:
        if situation is not None:
            open_log(settings).add_situation(situation)
    except MindnetError as error:
        return f"This question was not logged. {error}"
    return ""


def utc_now() -> str:
    """The time as it is logged: ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
