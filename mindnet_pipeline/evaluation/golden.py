"""Golden questions: what should be found for what is asked. Read and checked here, judged in `judging.py`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from mindnet_pipeline.core.errors import ConfigError


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Relevant(_Strict):
    """A place that answers: a note by path, or the section of it with this heading. Grade 2 answers, grade 1 helps."""

    path: str
    section: str = ""
    grade: float = Field(default=1, gt=0)


class GoldenQuestion(_Strict):
    """A question and all places that answer it."""

    id: str
    question: str = Field(min_length=1)
    category: str = ""
    lang: str = ""
    relevant: tuple[Relevant, ...] = Field(min_length=1)


def read_golden(path: Path) -> list[GoldenQuestion]:
    """The questions of a YAML file.

    Raises:
        ConfigError: the file is missing, broken, empty, or has an id twice; the message says which question and key.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        questions = TypeAdapter(list[GoldenQuestion]).validate_python(raw or [])
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}).") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: question {where}: {first['msg']}") from None
    if not questions:
        raise ConfigError(f"{path}: no questions. Write a list of id, question and relevant (see config/golden.yaml).")
    twice = [question_id for question_id, count in Counter(q.id for q in questions).items() if count > 1]
    if twice:
        raise ConfigError(f"{path}: the id `{twice[0]}` is there twice.")
    return questions
