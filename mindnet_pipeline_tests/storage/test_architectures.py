"""Each kind of model folder that the onnx engine builds: the same vectors as sentence-transformers makes from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder
from mindnet_pipeline.storage.embedders.prepared import read_prepared
from mindnet_pipeline.storage.embedders.preparing import prepare
from mindnet_pipeline.storage.embedders.sentence_transformers import SentenceTransformersEmbedder

pytestmark = pytest.mark.slow

TEXTS = ["Die Notizen bleiben im Haus.", "Why notes rot", "lang " * 200]


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "camembert", "distilbert"])
@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_vectors_are_those_of_sentence_transformers(tmp_path: Path, kind: str, pooling: str) -> None:
    from mindnet_pipeline_tests.storage.random_models import write_model  # noqa: PLC0415 - takes seconds

    folder = write_model(tmp_path / "model", kind, pooling)
    prepared = prepare(str(folder), str(tmp_path), near_enough=1.1)
    exact, reference = OnnxEmbedder(prepared), SentenceTransformersEmbedder(str(folder))
    found = read_prepared(prepared)
    assert found is not None
    assert found.pooling == pooling
    assert (exact.dimension, exact.max_tokens) == (reference.dimension, reference.max_tokens)
    assert np.abs(exact.embed_documents(TEXTS) - reference.embed_documents(TEXTS)).max() < 1e-4
