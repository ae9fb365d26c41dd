"""The sync law: whatever happens to a vault, syncing step by step gives exactly what a rebuild from scratch gives."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from mindnet_pipeline.core.errors import VaultError
from mindnet_pipeline.engine.planning import look_at_vault
from mindnet_pipeline.engine.run_set import run_set_of
from mindnet_pipeline.engine.sync import STEPS, sync_once
from mindnet_pipeline_tests.engine.vaults import assert_same_as_rebuild, pipeline_of, points_of, rows_of, write_vault

PATHS = ("A.md", "B.md", "Ordner/A.md", "Ordner/Mitte/B.md", "Ordner/Ä.md", "C.md")
TARGETS = ("A", "b", "Ordner/A", "C", "Ä", "kennung", "Titel Eins", "Kurz", "Fehlt", "Titel|kennung", "#Teil")
EXCLUDES = ((), ("Ordner/",), ("C.md",))

frontmatters = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["kennung", "kennung", "zweite"]),
        "title": st.sampled_from(["Titel Eins", "Titel Zwei"]),
        "aliases": st.sampled_from(["[Kurz]", "[Kurz, Lang]"]),
        "type": st.sampled_from(["project", "concept", "source"]),
        "depends_on": st.sampled_from(['"[[A]]"', '"[[Fehlt]]"']),
    },
)
links = st.sampled_from(TARGETS).map(lambda target: f"[[{target}]]") | st.sampled_from(
    ["[[rel:depends_on A]]", "related_to:: [[B]]", "> [!edge] similar_to: [[C]], [[A]]", "[m](Ordner/A.md)"]
)
sections = st.tuples(st.sampled_from(["", "## Teil\n\n", "## Mögliche Verbindungen\n\n"]), st.lists(links, max_size=3))


@st.composite
def notes(draw: st.DrawFn) -> str:
    fields = draw(frontmatters)
    head = "---\n" + "".join(f"{key}: {value}\n" for key, value in fields.items()) + "---\n" if fields else ""
    parts = draw(st.lists(sections, max_size=3))
    words = draw(st.sampled_from(["", "Ein Satz. ", "Noch ein anderer Satz steht hier. "]))
    return head + "\n\n".join(heading + words + "\n\n".join(found) for heading, found in parts)


class VaultStory(RuleBasedStateMachine):
    """A vault lives: notes are written, moved, deleted and restored, rules change, runs crash."""

    def __init__(self) -> None:
        super().__init__()
        in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - writes are flushed to disk elsewhere
        self.folder = Path(tempfile.mkdtemp(prefix="mindnet-law-", dir=in_memory))
        self.vault, self.data = self.folder / "vault", self.folder / "data"
        self.vault.mkdir()
        self.exclude: tuple[str, ...] = ()
        self.environment: dict[str, str] = {}
        self.deleted: list[tuple[str, bytes]] = []
        self.clock = 1_700_000_000_000_000_000

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def pipeline(self, data: Path):
        return pipeline_of(self.vault, data, environment=self.environment, sync={"exclude": self.exclude})

    def files(self) -> list[str]:
        return sorted(str(p.relative_to(self.vault)) for p in self.vault.rglob("*.md"))

    def put(self, path: str, content: bytes) -> None:
        write_vault(self.vault, {path: content})
        self.clock += 1_000_000_000
        os.utime(self.vault / path, ns=(self.clock, self.clock))

    @initialize(path=st.sampled_from(PATHS), text=notes())
    def begin(self, path: str, text: str) -> None:
        self.put(path, text.encode())

    @rule(path=st.sampled_from(PATHS), text=notes())
    def write(self, path: str, text: str) -> None:
        self.put(path, text.encode())

    @rule(data=st.data())
    @precondition(lambda self: len(self.files()) > 1)
    def delete(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.files()))
        self.deleted.append((path, (self.vault / path).read_bytes()))
        (self.vault / path).unlink()

    @rule()
    @precondition(lambda self: self.deleted)
    def restore(self) -> None:
        self.put(*self.deleted.pop())

    @rule(data=st.data(), new_path=st.sampled_from(PATHS))
    @precondition(lambda self: self.files())
    def move(self, data: st.DataObject, new_path: str) -> None:
        source = data.draw(st.sampled_from(self.files()))
        (self.vault / new_path).parent.mkdir(parents=True, exist_ok=True)
        (self.vault / source).replace(self.vault / new_path)

    @rule(data=st.data())
    @precondition(lambda self: self.files())
    def touch(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.files()))
        self.put(path, (self.vault / path).read_bytes())

    @rule(exclude=st.sampled_from(EXCLUDES))
    def change_what_is_left_out(self, exclude: tuple[str, ...]) -> None:
        self.exclude = exclude

    @rule(own=st.booleans())
    def change_the_rules(self, own: bool) -> None:
        self.environment = {"MINDNET_NOTE_SCOPE_REFS": "true"} if own else {}

    @rule(steps=st.integers(0, len(STEPS)))
    def crash_in_the_middle_of_a_run(self, steps: int) -> None:
        pipeline = self.pipeline(self.data)
        try:
            look = look_at_vault(pipeline, allow_mass_delete=True)
        except VaultError:
            return
        if not look.plan.is_empty:
            run_set = run_set_of(pipeline, look.plan)
            for step in list(STEPS.values())[:steps]:
                step(pipeline, run_set)

    @rule(at_once=st.sampled_from([1, 2, 1000]))
    def sync(self, at_once: int) -> None:
        pipeline = pipeline_of(
            self.vault,
            self.data,
            environment=self.environment,
            sync={"exclude": self.exclude, "max_notes_per_run": at_once},
        )
        rebuilt = self.folder / "rebuilt"
        shutil.rmtree(rebuilt, ignore_errors=True)
        try:
            sync_once(pipeline, allow_mass_delete=True)
        except VaultError:
            return
        if look_at_vault(pipeline, allow_mass_delete=True).notes == 0:
            assert not any(rows_of(pipeline).values())
            assert not any(points_of(pipeline).values())
            return
        assert_same_as_rebuild(pipeline, self.pipeline(rebuilt))


VaultStory.TestCase.settings = settings(
    max_examples=6, stateful_step_count=14, deadline=None, suppress_health_check=list(HealthCheck)
)
TestTheLawInShort = VaultStory.TestCase


class LongVaultStory(VaultStory):
    """The same, longer and more often."""


LongVaultStory.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestTheLawAtLength = pytest.mark.slow(LongVaultStory.TestCase)
