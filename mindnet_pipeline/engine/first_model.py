"""Before anything is indexed: make the fast version of the bundled model, so that the first sync embeds with it.

It takes seconds and downloads nothing. Later it would cost more, as another engine embeds everything anew: then it is
left to `python -m mindnet_pipeline.prepare_model`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.engine.progress import report
from mindnet_pipeline.settings import Settings
from mindnet_pipeline.storage.embedders import chosen_engine
from mindnet_pipeline.storage.vectors import open_store


def prepare_before_first_sync(settings: Settings, say: Callable[[str], None]) -> None:
    """Prepare the model if `auto` would take the bundled one as it is and nothing is indexed yet.

    If that fails, `say` is told why and the bundled engine does the work.

    Raises:
        StoreError: the store cannot be asked.
    """
    if not _is_wanted(settings):
        return
    from mindnet_pipeline.storage.embedders.preparing import prepare  # noqa: PLC0415 - needs onnx, and only here

    say("preparing the embedding model for ONNX Runtime, once")
    try:
        prepare("", settings.data, report)
    except EmbedderError as error:
        say(f"the bundled engine is used instead: {error}")


def _is_wanted(settings: Settings) -> bool:
    options = settings.embedding
    return (
        options.engine == "auto"
        and chosen_engine(options, settings.data) == "bundled"
        and all(map(find_spec, ("onnx", "onnxruntime")))
        and settings.vault.is_dir()
        and open_store(settings).current() is None
    )
