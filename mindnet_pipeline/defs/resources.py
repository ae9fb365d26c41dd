"""The resource that all assets share: the pipeline, with settings read when a run starts, and the run's writer lock."""

import gc
from contextlib import ExitStack
from functools import cache
from typing import Any

import dagster as dg
from pydantic import PrivateAttr

from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.settings import load_settings
from mindnet_pipeline.storage.locks import writer_lock

_WAIT_SECONDS = 30.0


class MindnetResource(dg.ConfigurableResource[Any]):
    """The pipeline of one vault. Empty fields: what config/ and the environment say."""

    vault: str = ""
    data: str = ""

    _pipeline: Pipeline | None = PrivateAttr(default=None)
    _lock: ExitStack | None = PrivateAttr(default=None)

    def pipeline(self) -> Pipeline:
        """The pipeline, made at first use and kept for the run, so that its steps share the loaded model."""
        if self._pipeline is None:
            self._pipeline = self.fresh_pipeline()
        return self._pipeline

    def pipeline_for_writing(self, *, keep_store_open: bool = False) -> Pipeline:
        """The same, with the writer lock: nobody else writes to the data until this run ends.

        `keep_store_open` is for runs that only write and check: they open the store once.
        """
        pipeline = self.pipeline()
        if self._lock is None:
            _leave_imports_alone()
            lock = ExitStack()
            lock.enter_context(writer_lock(pipeline.settings.data, _WAIT_SECONDS, "a Dagster run"))
            if keep_store_open:
                lock.enter_context(pipeline.store.kept_open())
            self._lock = lock
        return pipeline

    def teardown_after_execution(self, context: dg.InitResourceContext) -> None:  # noqa: ARG002 - Dagster's signature
        """Let go of the store and of the writer lock when the run's process is done."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def fresh_pipeline(self) -> Pipeline:
        """A pipeline with the settings as they are now (sensors live long, configuration changes)."""
        return Pipeline(load_settings(vault=self.vault or None, data=self.data or None))


@cache
def _leave_imports_alone() -> None:
    """What was imported lives as long as the process: the collector took a tenth of a run to look through it.

    Once a process. Later there is garbage of earlier runs, which would be kept for good.
    """
    gc.freeze()
