"""Proposals: learned weights with what speaks for them, one YAML file each below `<data>/tuning/proposals`.

A proposal changes nothing; `adoption.py` does that when somebody says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from mindnet_pipeline.core.errors import ConfigError, StoreError
from mindnet_pipeline.learning.naming import LAST, meant
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.settings.reading import Strict, read_yaml, validate
from mindnet_pipeline.settings.retriever import Weights
from mindnet_pipeline.storage.files import data_path, local_folder, write_atomically


class MeasureRow(Strict):
    """A measure over held-out questions: before, after, and the gain with its 95 % interval."""

    measure: str
    before: float
    after: float
    gain: float
    low: float
    high: float


class GoldenCheck(Strict):
    """The golden questions' measures under both weights with what would get worse, or why they were not asked."""

    questions: int = 0
    not_checked: str = ""
    before: Mapping[str, float] = {}
    after: Mapping[str, float] = {}
    problems: tuple[str, ...] = ()


class Proposal(Strict):
    """Weights that would have ordered rated hits better, and the evidence. `digest` is of the evidence."""

    id: str
    created: str
    digest: str
    ratings: int
    questions: int
    pairs: int
    present: Weights
    weights: Weights
    measures: tuple[MeasureRow, ...]
    golden: GoldenCheck


def tuning_folder(settings: Settings) -> Path:
    """Where proposals, history and earlier versions are.

    Raises:
        StoreError: the data folder is a remote URL.
    """
    folder = local_folder(settings.data)
    if folder is None:
        raise StoreError(f"Tuning is for a data folder on a disk of this machine; it is {settings.data}.")
    return folder / "tuning"


def save(settings: Settings, proposal: Proposal) -> Path:
    """Write a proposal; its place."""
    place = tuning_folder(settings) / "proposals" / f"{proposal.id}.yaml"
    head = f"# Take it over: python -m mindnet_pipeline.tune --adopt {proposal.id}\n"
    text = yaml.safe_dump(proposal.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    write_atomically(data_path(str(place)), (head + text).encode())
    return place


def proposals(settings: Settings) -> list[Proposal]:
    """All proposals, oldest first."""
    return [
        validate(Proposal, read_yaml(place), place)
        for place in sorted((tuning_folder(settings) / "proposals").glob("*.yaml"))
    ]


def find(known: Sequence[Proposal], written: str) -> Proposal:
    """The proposal that is meant: `last`, its id, or a beginning that no other has.

    Raises:
        ConfigError: there is none, or several; the message names those there are.
    """
    if not known:
        raise ConfigError(
            "There is no proposal yet. `python -m mindnet_pipeline.tune` makes one if ratings warrant it."
        )
    if written == LAST:
        return known[-1]
    found = meant({each.id: each for each in known}, written)
    if len(found) == 1:
        return found[0]
    wrong = "fits several proposals" if found else "is no proposal"
    raise ConfigError(f"`{written}` {wrong}. There are: {', '.join(each.id for each in found or known)}.")
