"""Taking a proposal's weights over into config/retriever.yaml, and taking that back.

Every file that is replaced is kept first, byte for byte, and every step is a line of a history that only grows. Nothing
that somebody wrote is lost: an edit made after an adoption is kept too when the adoption is taken back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.learning.proposals import Proposal, tuning_folder
from mindnet_pipeline.learning.retriever_file import with_weights
from mindnet_pipeline.learning.situations import written
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.storage.files import data_path, write_atomically
from mindnet_pipeline.storage.json_lines import JsonLines, brief_lock

_NEVER_ROTATED = 1 << 40


@dataclass(frozen=True, slots=True)
class Step:
    """One change of retriever.yaml.

    `version` is the kept file from before (empty: there was none), `digest` that of the file after. `edited` is where a
    file was kept that somebody had changed since the adoption.
    """

    time: str
    action: Literal["adopt", "rollback"]
    proposal: str
    version: str
    digest: str
    edited: str = ""


def adopt(settings: Settings, proposal: Proposal, now: str) -> Step:
    """Write the proposal's weights into retriever.yaml; comments and everything else stay as they are.

    Raises:
        ConfigError: the weights have changed since the proposal was made, or the file cannot be edited in place.
    """
    with brief_lock(_lock(settings)):
        if settings.retriever.weights != proposal.present:
            raise ConfigError(
                f"{_file(settings)}: the weights have changed since {proposal.id} was made. "
                "Run `python -m mindnet_pipeline.tune` again, for a proposal that starts from them."
            )
        before = _read(settings)
        after = with_weights((before or b"").decode("utf-8"), _changes(proposal)).encode("utf-8")
        # noted first: a crash after that leaves an adoption whose taking back changes nothing
        step = _noted(settings, Step(now, "adopt", proposal.id, _keep(settings, before, now), _digest(after)))
        try:
            _write(settings, after)
        except ConfigError:
            _noted(settings, Step(now, "rollback", proposal.id, step.version, _digest(before)))
            raise
        return step


def rollback(settings: Settings, now: str) -> Step:
    """Bring back the retriever.yaml from before the last adoption, exactly.

    Raises:
        ConfigError: there is no adoption to take back.
    """
    with brief_lock(_lock(settings)):
        standing = adoptions(history(settings))
        if not standing:
            raise ConfigError("There is no adoption to take back.")
        last = standing[-1]
        present = _read(settings)
        edited = "" if _digest(present) == last.digest else _keep(settings, present, now)
        before = _kept(settings, last.version)
        if before is None:
            _file(settings).unlink(missing_ok=True)
        else:
            _write(settings, before)
        return _noted(settings, Step(now, "rollback", last.proposal, last.version, _digest(before), edited))


def history(settings: Settings) -> tuple[Step, ...]:
    """Every step, oldest first."""
    return _journal(settings).read(_adapter().validate_json).values


def adoptions(steps: Sequence[Step]) -> list[Step]:
    """The adoptions that nobody took back, oldest first."""
    standing: list[Step] = []
    for step in steps:
        if step.action == "adopt":
            standing.append(step)
        elif standing:
            standing.pop()
    return standing


def _changes(proposal: Proposal) -> dict[str, float]:
    before = proposal.present.model_dump()
    return {name: value for name, value in proposal.weights.model_dump().items() if value != before[name]}


def _noted(settings: Settings, step: Step) -> Step:
    _journal(settings).append(written(step))
    return step


def _keep(settings: Settings, content: bytes | None, now: str) -> str:
    """Keep a file that is about to be replaced; its name among the versions, empty if there is none."""
    if content is None:
        return ""
    name = f"{now.replace(':', '')}-{_digest(content)[:8]}.yaml"
    write_atomically(data_path(str(_versions(settings) / name)), content)
    return name


def _kept(settings: Settings, version: str) -> bytes | None:
    place = _versions(settings) / version
    if version and not place.is_file():
        raise ConfigError(f"{place} is gone: the retriever.yaml from before cannot be brought back.")
    return place.read_bytes() if version else None


def _read(settings: Settings) -> bytes | None:
    place = _file(settings)
    return place.read_bytes() if place.is_file() else None


def _write(settings: Settings, content: bytes) -> None:
    try:
        write_atomically(data_path(str(_file(settings))), content)
    except OSError as error:
        raise ConfigError(f"{_file(settings)}: cannot be written ({error.strerror}).") from error


def _file(settings: Settings) -> Path:
    return (settings.config_folder / "retriever.yaml").resolve()


def _digest(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()


def _versions(settings: Settings) -> Path:
    return tuning_folder(settings) / "versions"


def _lock(settings: Settings) -> Path:
    folder = tuning_folder(settings)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "adoption.lock"


def _journal(settings: Settings) -> JsonLines:
    return JsonLines(tuning_folder(settings), "history", _NEVER_ROTATED)


@cache
def _adapter() -> TypeAdapter[Step]:
    return TypeAdapter(Step)
