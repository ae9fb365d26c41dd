"""The console script `mindnet`: one word per command, each loaded only when it is called."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence

COMMANDS: Mapping[str, str] = {
    "sync": "bring the index up to the vault",
    "query": "ask the vault a question",
    "chat": "talk with the vault, through a language model",
    "feedback": "say how good a hit was",
    "tune": "learn the weights of search from ratings",
    "status": "what is indexed, what has warnings and why",
    "ui": "start the Dagster UI with sensor and schedules",
    "lint": "look for broken links and faults in notes",
    "export": "write the vault back from the collections",
    "evaluate": "measure search against golden questions",
    "chunk": "cut Markdown into chunks, without an index",
    "make-vault": "write a believable vault of any size",
    "prepare-model": "make the fast version of the embedding model",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Call the command named first; the rest of the arguments is the command's."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or arguments[0] in {"-h", "--help"}:
        print(_help())
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        import difflib

        near = difflib.get_close_matches(name, COMMANDS, n=1)
        hint = f" Did you mean `{near[0]}`?" if near else " See `mindnet --help`."
        print(f"error: there is no command `{name}`.{hint}", file=sys.stderr)
        return 2
    module = importlib.import_module(f"mindnet_pipeline.{name.replace('-', '_')}")
    code: int = module.main(rest)
    return code


def _help() -> str:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {what}" for name, what in COMMANDS.items()]
    return "usage: mindnet COMMAND [OPTIONS]\n\n" + "\n".join(lines) + "\n\n`mindnet COMMAND --help` says more."


if __name__ == "__main__":
    sys.exit(main())
