"""Several threads may tokenise at once, also while the vocabulary is still being loaded."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mindnet_pipeline.storage.embedders.bundled import model_file
from mindnet_pipeline.storage.embedders.e5_file import E5File
from mindnet_pipeline.storage.embedders.unigram import UnigramTokenizer

VAULT = Path(__file__).parents[2] / "vault_sample"


@pytest.mark.slow
def test_threads_find_what_one_finds() -> None:
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(VAULT.rglob("*.md"))][:24]
    file = E5File(model_file())
    alone = [UnigramTokenizer(file).encode(text) for text in texts[:8]]
    for _ in range(3):
        fresh = UnigramTokenizer(file)
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(fresh.encode, texts))
        assert together[:8] == alone
