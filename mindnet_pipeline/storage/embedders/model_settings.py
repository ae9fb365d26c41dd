"""The settings files of a model folder, and what they tell of its kind. Not here: its weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mindnet_pipeline.core.errors import EmbedderError

CONFIG, MODULES, OWN_SETTINGS = "config.json", "modules.json", "config_sentence_transformers.json"
"""What a model folder in the layout of transformers holds, and what sentence-transformers puts beside it."""
_ANEW = "Get the model's folder anew."
_PACKAGE = "sentence_transformers."


def is_model_folder(folder: Path) -> bool:
    """True if it looks like a model of transformers or sentence-transformers."""
    return any((folder / name).is_file() for name in (CONFIG, MODULES))


def read_settings(path: Path) -> dict[str, Any]:
    """What a settings file says; nothing if there is none.

    Raises:
        EmbedderError: it is no JSON object.
    """
    found = _read_json(path, {})
    if not isinstance(found, dict):
        raise EmbedderError(f"{path}: not a JSON object. {_ANEW}")
    return found


def modules_of(folder: Path) -> list[dict[str, str]]:
    """The modules of sentence-transformers that a text goes through, each with its `type` and its `path`.

    Raises:
        EmbedderError: the file that lists them does not.
    """
    found = _read_json(folder / MODULES, [])
    if not (isinstance(found, list) and all(isinstance(module, dict) and "type" in module for module in found)):
        raise EmbedderError(f"{folder / MODULES}: not a list of modules with their types. {_ANEW}")
    return [{"path": "", **module} for module in found]


def kind_of(folder: Path) -> str:
    """What is known of a folder, in words: its architecture and its modules."""
    names = [module["type"].rsplit(".", 1)[-1] for module in modules_of(folder)]
    made_as = read_settings(folder / OWN_SETTINGS).get("model_type")
    architecture = read_settings(folder / CONFIG).get("model_type")
    return " · ".join(filter(None, (architecture, made_as, " → ".join(names)))) or "unknown"


def refuse_other_kinds(folder: Path) -> None:
    """Refuse what loads, or almost, and yet does not make one vector of one text by one way.

    Raises:
        EmbedderError: it is such a model.
    """
    types = [module["type"] for module in modules_of(folder)]
    made_as = read_settings(folder / OWN_SETTINGS).get("model_type", "SentenceTransformer")
    reasons = {
        "makes other things than one vector of numbers for a text": made_as != "SentenceTransformer"
        or any("sparse_encoder" in kind or "multi_vector" in kind for kind in types),
        "treats questions and notes by different modules": any(kind.endswith((".Router", ".Asym")) for kind in types),
        "is a model of images": any(kind.endswith(".CLIPModel") for kind in types),
        "brings code of its own, which is not run here": not all(kind.startswith(_PACKAGE) for kind in types),
    }
    for reason, is_so in reasons.items():
        if is_so:
            raise EmbedderError(f"{folder}: this model ({kind_of(folder)}) {reason}. Take another model.")


def _read_json(path: Path, default: Any) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return default
    except ValueError as error:
        raise EmbedderError(f"{path}: cannot be read as JSON ({error}). {_ANEW}") from error
