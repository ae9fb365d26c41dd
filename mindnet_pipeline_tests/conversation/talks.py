"""A small indexed vault and a conversation about it, against the tests' own model server."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mindnet_pipeline.conversation.answering import Answer, Asking, Conversation
from mindnet_pipeline.retrieval.results import SearchResult
from mindnet_pipeline.settings import Settings, load_settings
from mindnet_pipeline.storage.vectors.embedded import EmbeddedStore
from mindnet_pipeline_tests.conversation.model_server import ModelServer
from mindnet_pipeline_tests.retrieval.worlds import NoEmbedder, World

QUESTION = "Warum wächst der Kohl im Beet?"
SHIPPED = Path(__file__).parents[2] / "config"


@dataclass
class Talk:
    """Configuration, data and what was logged. Words and links only, so no model is needed to search."""

    config: Path
    data: Path
    server: ModelServer
    logged: list[SearchResult] = field(default_factory=list)

    def write(self, name: str, content: str) -> None:
        (self.config / name).write_text(content, encoding="utf-8")

    @property
    def environ(self) -> dict[str, str]:
        return {
            "MINDNET_CONFIG": str(self.config),
            "MINDNET_DATA": str(self.data),
            "MINDNET_EMBEDDER": "none",
            "MINDNET_LLM_URL": self.server.url,
        }

    def settings(self) -> Settings:
        return load_settings(self.environ)

    def begin(self, **asking: object) -> Conversation:
        return Conversation(self.settings, Asking(**asking), log=self._keep)

    def ask(
        self, question: str = "Warum wächst der Kohl im Beet?", show: Callable[[str], None] | None = None
    ) -> Answer:
        return self.begin().ask(question, show or (lambda _text: None))

    def _keep(self, _settings: Settings, result: SearchResult) -> str:
        self.logged.append(result)
        return ""


@contextmanager
def garden(folder: Path, server: ModelServer) -> Iterator[Talk]:
    """Three notes about cabbage; the plan depends on the decision. The store, some 100 MB, goes at the end."""
    talk = Talk(folder / "config", folder / "data", server)
    talk.config.mkdir()
    for name in ("types.yaml", "decision_engine.yaml"):
        talk.write(name, (SHIPPED / name).read_text(encoding="utf-8"))
    talk.write("pipeline.yaml", "store: {wait_seconds: 0}\nchat: {timeout_seconds: 60}\n")
    world = World(NoEmbedder()).note("beet", "Der Kohl wächst im Beet, weil dort Sonne ist.", type="decision")
    world.note("plan", "Der Kohl im Beet steht im Plan. Er wächst und wächst.", type="project")
    world.note("motor", "Ein Motor braucht Öl.").link("plan#c01", "beet", "depends_on")
    world.fill(EmbeddedStore(str(talk.data)))
    yield talk
    shutil.rmtree(talk.data)
