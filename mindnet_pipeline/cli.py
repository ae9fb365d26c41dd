"""What all command lines share: errors as one line and exit code 2, never a traceback; JSON for programs.

A command module defines a typer app and `main(argv)`; its heavy imports stand inside the command.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from mindnet_pipeline.core.errors import MindnetError

if TYPE_CHECKING:
    from mindnet_pipeline.settings import Settings

# Pydantic looks for plugins in every installed package, which takes a tenth of a short command's time; none is used.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

# What a short command imports stays until its end. Looking through it for garbage, dozens of times on the way and once
# more at the exit, was a seventh of its time.
_GARBAGE_AFTER = 50_000
atexit.register(gc.freeze)

USAGE_ERROR = 2
_said: set[str] = set()


def print_json(value: Any) -> None:
    """Print a value as JSON on one line, letters as they are."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def load_settings(*, vault: str | None = None, data: str | None = None) -> Settings:
    """The settings, with what should be known about them said once a command."""
    from mindnet_pipeline import settings

    loaded = settings.load_settings(vault=vault, data=data)
    for sentence in loaded.notices:
        if sentence not in _said:
            _said.add(sentence)
            warn(sentence)
    return loaded


def warn(sentence: str) -> None:
    """Say on the error stream what a person should know, though the command goes on."""
    print(f"warning: {sentence}", file=sys.stderr)


def run(app: typer.Typer, argv: Sequence[str] | None, *, name: str) -> int:
    """Run a command line and return its exit code; typer makes Ctrl-C an exit with 130."""
    _said.clear()
    gc.set_threshold(_GARBAGE_AFTER, *gc.get_threshold()[1:])
    command = typer.main.get_command(app)
    try:
        outcome = command.main(args=list(sys.argv[1:] if argv is None else argv), prog_name=name, standalone_mode=False)
    except MindnetError as error:
        print(f"error: {error}", file=sys.stderr)
        return USAGE_ERROR
    except typer.Exit as stop:
        return stop.exit_code
    except Exception as error:
        show = getattr(error, "show", None)
        if show is None:
            raise
        show()
        return getattr(error, "exit_code", USAGE_ERROR)
    return outcome if isinstance(outcome, int) else 0
