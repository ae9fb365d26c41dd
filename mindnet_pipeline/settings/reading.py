"""YAML files → validated values: what every file of config/ shares.

Every mistake is a `ConfigError` that names the file, the key and, for an unknown key, the nearest known one.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from mindnet_pipeline.core.errors import ConfigError

_Model = TypeVar("_Model", bound=BaseModel)
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""PyYAML's parser in C where it was built with it: seven times as fast."""


class Strict(BaseModel):
    """A part of a file: frozen, and an unknown key is an error.

    Validators are built when first used, so that what a command never reads costs it no time. A default that is itself
    such a part must come from a factory: an instance made in the class would build them at once.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a file, `{}` if there is no such file."""
    try:
        value = _load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise ConfigError(f"{where}: not valid YAML: {getattr(error, 'problem', error)}") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(f"{path}: expected a mapping of keys to values.")
    return value


def _load(text: str) -> Any:
    try:
        return yaml.load(text, _LOADER)  # noqa: S506 - a safe loader
    except yaml.YAMLError:
        return yaml.safe_load(text)  # says better where a mistake begins


def validate(
    model: type[_Model], raw: Mapping[str, Any], path: Path, variables: Mapping[str, str] | None = None
) -> _Model:
    """The values of a file (or a part of one) as an option object.

    `variables` names the environment variable behind a dotted key that no file wrote, so that an error points there.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        problems = [_explain(model, problem, str(path), variables or {}) for problem in error.errors()]
        raise ConfigError("; ".join(problems)) from None


def _explain(model: type[BaseModel], problem: Any, file: str, variables: Mapping[str, str]) -> str:
    where = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        known = _known_keys(model, problem["loc"][:-1])
        return f"{file}: unknown key `{where}`: {nearest(str(problem['loc'][-1]), known)}"
    source = f"{variables[where]} (for `{where}`)" if where in variables else file + (f": `{where}`" if where else "")
    found = f" (found {problem['input']!r})" if problem["type"] not in {"value_error", "missing"} else ""
    return f"{source}: {problem['msg'].removeprefix('Value error, ')}{found}"


def _known_keys(model: type[BaseModel], path: tuple[Any, ...]) -> list[str]:
    for key in path:
        info = model.model_fields.get(str(key))
        candidates = [info.annotation, *getattr(info.annotation, "__args__", ())] if info else []
        nested = [c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)]
        if nested:
            model = nested[0]
    return list(model.model_fields)


def nearest(written: str, known: Iterable[str]) -> str:
    """What to say of a name that is not known: the nearest known one, else all of them."""
    known = list(known)
    near = difflib.get_close_matches(written, known, n=1, cutoff=0.5)
    return f"`{written}` is not known" + (
        f"; did you mean `{near[0]}`?" if near else f" (known: {', '.join(sorted(known))})"
    )
