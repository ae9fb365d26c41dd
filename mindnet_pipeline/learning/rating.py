"""The one question after an answer: which hits were good? Passed over with Enter.

The terminal is handed in as a function that shows a line and reads one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from mindnet_pipeline.core.errors import MindnetError, QueryError
from mindnet_pipeline.learning.feedback_log import open_log, utc_now
from mindnet_pipeline.learning.labels import label_of
from mindnet_pipeline.learning.situations import situation_of
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.settings import Settings

_QUESTION: Mapping[str, str] = {
    "de": "Was war gut? Treffer und Note 1–5, etwa „1 5, 3 2“ (Enter: weiter) ",
    "en": "What was good? Hit and rating 1–5, such as “1 5, 3 2” (Enter: go on) ",
}
_THANKS: Mapping[str, str] = {"de": "Gemerkt.", "en": "Noted."}
_PAIR = re.compile(r"(\S+?)\s*[\s=:]\s*(\d+)")


def ask_for_rating(settings: Settings, result: SearchResult, read: Callable[[str], str]) -> str:
    """Ask once, log what is answered; what there is to say of it, empty if nothing was answered."""
    situation = situation_of(result, utc_now())
    if situation is None or not situation.shown:
        return ""
    try:
        answer = read(_QUESTION[settings.language]).strip()
    except (EOFError, KeyboardInterrupt):
        return ""
    if not answer:
        return ""
    try:
        labels = [
            label_of([situation], situation.query_id, hit, rating, time=utc_now()) for hit, rating in ratings_in(answer)
        ]
        log = open_log(settings)
        for label in labels:
            log.add_label(label)
    except MindnetError as error:
        return str(error)
    return _THANKS[settings.language]


def ratings_in(answer: str) -> list[tuple[str, int]]:
    """Hits and ratings as people write them.

    >>> ratings_in("1 5, 3=2; 4: 1")
    [('1', 5), ('3', 2), ('4', 1)]

    Raises:
        QueryError: a part is no hit with a rating.
    """
    found = []
    for part in filter(None, (part.strip() for part in re.split(r"[,;]", answer))):
        pair = _PAIR.fullmatch(part)
        if pair is None:
            raise QueryError(f"`{part}` is no hit with a rating; write for example 1 5. Nothing was noted.")
        found.append((pair[1], int(pair[2])))
    return found
