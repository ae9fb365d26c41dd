"""A first sync that is killed while it embeds goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline_tests.storage.fakes import HashEmbedder

NOTES = 40
_CHILD = """
import sys, time
from pathlib import Path
from mindnet_pipeline.engine.sync import sync_once
from mindnet_pipeline_tests.engine.vaults import pipeline_of
from mindnet_pipeline_tests.storage.fakes import HashEmbedder

class SlowEmbedder(HashEmbedder):
    def embed_documents(self, texts):
        print(len(texts), flush=True)
        time.sleep(0.05)
        return super().embed_documents(texts)

pipeline = pipeline_of(Path(sys.argv[1]), Path(sys.argv[2]), embedder=SlowEmbedder())
sync_once(pipeline)
"""


def test_after_kill_9_only_what_was_not_stored_is_embedded(world) -> None:
    for number in range(NOTES):
        world.write(f"n{number}.md", f"Notiz {number} über Thema {number}.\n")
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(world.vault), str(world.folder / "data")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    begun = sum(int(process.stdout.readline()) for _ in range(NOTES // 2))
    os.kill(process.pid, signal.SIGKILL)
    begun += sum(int(line) for line in process.stdout)
    process.wait()
    process.stdout.close()
    assert 0 < begun < NOTES

    embedder = HashEmbedder()
    sync_once(world.pipeline(embedder=embedder))
    # What had been begun when the process died may not have been stored yet: one text.
    assert NOTES - begun <= len(embedder.embedded) <= NOTES - begun + 1
    assert len(world.paths()) == NOTES
