"""A language model that says what a test wants."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mindnet_pipeline_tests.conversation.model_server import ModelServer, model_server
from mindnet_pipeline_tests.conversation.talks import Talk, garden


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server() as running:
        yield running


@pytest.fixture
def talk(tmp_path: Path, server: ModelServer) -> Iterator[Talk]:
    with garden(tmp_path, server) as made:
        yield made
