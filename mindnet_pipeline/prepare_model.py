"""`python -m mindnet_pipeline.prepare_model [FOLDER]`: build the onnx engine's model, on request and never unasked.

`auto` uses it from then on. Another engine has another model key, so everything is then embedded anew, once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mindnet_pipeline.core.errors import MindnetError
from mindnet_pipeline.settings import EmbeddingOptions, load_settings
from mindnet_pipeline.storage.embedders import chosen_engine
from mindnet_pipeline.storage.embedders.prepared import is_intact, prepare


def main(argv: Sequence[str] | None = None) -> int:
    """Prepare the configured model, or the given model folder, and check it. Exit code 2 if that fails."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        settings = load_settings()
        model = arguments[0] if arguments else settings.embedding.model
        before = chosen_engine(settings.embedding, settings.data)
        folder = prepare(model, settings.data, progress=print)
    except MindnetError as error:
        print(error, file=sys.stderr)
        return 2
    if not is_intact(folder):
        print(f"{folder}: damaged. Delete it and run this again.", file=sys.stderr)
        return 2
    print(f"{folder}: ready")
    print(_consequence(before, model, settings.embedding, settings.data))
    return 0


def _consequence(before: str, model: str, options: EmbeddingOptions, data: str) -> str:
    """One line: whether the model is in use now, and that a change of engine embeds everything anew."""
    if model != options.model or chosen_engine(options, data) != "onnx":
        return "It is not in use: set embedding.engine to onnx and embedding.model; then all is embedded anew, once."
    if before == "onnx":
        return "The engine onnx is in use."
    return "The engine onnx is in use from now on: the next sync embeds everything anew, once."


if __name__ == "__main__":
    sys.exit(main())
