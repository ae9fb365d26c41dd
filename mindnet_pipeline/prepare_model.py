"""`python -m mindnet_pipeline.prepare_model`: build the onnx engine's model, on request and never unasked."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from mindnet_pipeline.core.errors import MindnetError


def main(argv: Sequence[str] | None = None) -> int:
    """Prepare the configured model, or the given model folder, and check it. Exit code 2 if that fails."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    from mindnet_pipeline.settings import load_settings
    from mindnet_pipeline.storage.embedders.prepared import is_intact, prepare

    try:
        settings = load_settings()
        model = arguments[0] if arguments else settings.embedding.model
        folder = prepare(model, settings.data, progress=print)
    except MindnetError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{folder}: {'ready' if is_intact(folder) else 'damaged: delete it and run this again'}")
    return 0 if is_intact(folder) else 2


if __name__ == "__main__":
    sys.exit(main())
