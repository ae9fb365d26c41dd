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
from mindnet_pipeline.core.frontmatter import join_source
from mindnet_pipeline.core.ids import partition_key
from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import look_at_vault
from mindnet_pipeline.engine.run_set import run_set_of
from mindnet_pipeline.engine.sync import STEPS, sync_once
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline_tests.engine.vaults import (
    assert_same_as_rebuild,
    pipeline_of,
    points_of,
    rows_of,
    run_partitions,
    write_vault,
)
from mindnet_pipeline_tests.storage.fakes import HashEmbedder

PATHS = ("A.md", "B.md", "Ordner/A.md", "Ordner/Mitte/B.md", "Ordner/Ä.md", "C.md")
TARGETS = ("A", "b", "Ordner/A", "C", "Ä", "kennung", "Titel Eins", "Kurz", "Fehlt", "Titel|kennung", "#Teil")
EXCLUDES = ((), ("Ordner/",), ("C.md",))
TYPES = Path(__file__).parents[2] / "config" / "types.yaml"
"""The types as shipped, and below others: chunks of a few words, and other default edges of projects."""
CHANGES_OF_TYPES = {
    "{target: [80, 150], max: 200, min: 50, overlap: 0}": "{target: [4, 6], max: 8, min: 1, overlap: 2}",
    "edge_defaults: [references, depends_on], label: {de: Projekt": "edge_defaults: [related_to], label: {de: Projekt",
}
HASHES = (
    {},
    {"MINDNET_HASH_NORMALIZE": "canonical"},
    {"MINDNET_HASH_MODE": "body"},
    {"MINDNET_HASH_MODE": "frontmatter"},
)


class OtherEmbedder(HashEmbedder):
    model_key = "words@other"


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
    """A vault lives: notes are written, moved, deleted, restored and moved to the cloud, rules change, runs crash."""

    def __init__(self) -> None:
        super().__init__()
        in_memory = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - writes are flushed to disk elsewhere
        self.folder = Path(tempfile.mkdtemp(prefix="mindnet-law-", dir=in_memory))
        self.vault, self.data = self.folder / "vault", self.folder / "data"
        self.vault.mkdir()
        self.exclude: tuple[str, ...] = ()
        self.rules: dict[str, str] = {}
        self.types: dict[str, str] = {}
        self.hashes: dict[str, str] = {}
        self.embedder: Embedder | None = None
        self.in_the_cloud: dict[str, bytes] = {}
        self.deleted: list[tuple[str, bytes]] = []
        self.clock = 1_700_000_000_000_000_000

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def pipeline(self, data: Path, vault: Path | None = None, **sync: int) -> Pipeline:
        return pipeline_of(
            vault or self.vault,
            data,
            environment=self.rules | self.types | self.hashes,
            sync={"exclude": self.exclude, **sync},
            embedder=self.embedder,
        )

    def files(self) -> list[str]:
        return sorted(str(p.relative_to(self.vault)) for p in self.vault.rglob("*.md"))

    def put(self, path: str, content: bytes) -> None:
        self.take_from_the_cloud(path)
        write_vault(self.vault, {path: content})
        self.clock += 1_000_000_000
        os.utime(self.vault / path, ns=(self.clock, self.clock))

    def placeholder(self, path: str) -> Path:
        return self.vault / Path(path).with_name(f".{Path(path).name}.icloud")

    def take_from_the_cloud(self, path: str) -> bytes | None:
        self.placeholder(path).unlink(missing_ok=True)
        return self.in_the_cloud.pop(path, None)

    def last_read(self) -> dict[str, bytes]:
        """The committed notes that are in the cloud now, as they were last read."""
        tables = self.pipeline(self.data).tables
        committed = set(tables.read_manifest(["path"])["path"].to_pylist())
        return {
            row["path"]: join_source(row["frontmatter_raw"], row["fulltext"], bom=row["bom"], encoding=row["encoding"])
            for row in tables.read("notes").to_pylist()
            if row["path"] in committed & self.in_the_cloud.keys()
        }

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
        self.take_from_the_cloud(new_path)
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

    @rule(data=st.data())
    @precondition(lambda self: self.files())
    def move_to_the_cloud(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(self.files()))
        self.in_the_cloud[path] = (self.vault / path).read_bytes()
        (self.vault / path).unlink()
        self.placeholder(path).touch()

    @rule(data=st.data(), comes_back=st.booleans())
    @precondition(lambda self: self.in_the_cloud)
    def leave_the_cloud(self, data: st.DataObject, comes_back: bool) -> None:
        path = data.draw(st.sampled_from(sorted(self.in_the_cloud)))
        content = self.take_from_the_cloud(path)
        if comes_back and content is not None:
            self.put(path, content)

    @rule(own=st.booleans())
    def change_the_rules(self, own: bool) -> None:
        self.rules = {"MINDNET_NOTE_SCOPE_REFS": "true"} if own else {}

    @rule(own=st.booleans())
    def change_the_types(self, own: bool) -> None:
        text = TYPES.read_text(encoding="utf-8")
        for old, new in CHANGES_OF_TYPES.items():
            assert old in text
            text = text.replace(old, new)
        (self.folder / "types.yaml").write_text(text, encoding="utf-8")
        self.types = {"MINDNET_TYPES_FILE": str(self.folder / "types.yaml")} if own else {}

    @rule(hashes=st.sampled_from(HASHES))
    def change_what_counts_as_a_change(self, hashes: dict[str, str]) -> None:
        self.hashes = hashes

    @rule(embedder=st.sampled_from([None, HashEmbedder(), OtherEmbedder()]))
    def change_the_model(self, embedder: Embedder | None) -> None:
        self.embedder = embedder

    @rule(data=st.data())
    def run_a_partition(self, data: st.DataObject) -> None:
        """As a person starts it in the UI, for a note that is there or was."""
        pipeline = self.pipeline(self.data)
        try:
            made = look_at_vault(pipeline, allow_mass_delete=True).plan.upserts
            there = pipeline.tables.read_manifest(["note_id"])["note_id"].to_pylist()
            if ids := sorted({*there, *(upsert.note_id for upsert in made)}):
                run_partitions(pipeline, partition_key(data.draw(st.sampled_from(ids))))
        except VaultError:
            return

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
        last_read = self.last_read()
        try:
            sync_once(self.pipeline(self.data, max_notes_per_run=at_once), allow_mass_delete=True)
        except VaultError:
            return
        pipeline = self.pipeline(self.data)
        look = look_at_vault(pipeline, allow_mass_delete=True)
        assert look.plan.is_empty
        if look.notes == 0:
            assert not any(rows_of(pipeline).values())
            assert not any(points_of(pipeline).values())
        elif "MINDNET_HASH_MODE" not in self.hashes:  # else what does not count is not read anew
            self.assert_same_as_rebuild(pipeline, last_read)

    def assert_same_as_rebuild(self, pipeline: Pipeline, last_read: dict[str, bytes]) -> None:
        """A rebuild of a vault in which the notes that are in the cloud are there, as they were last read."""
        vault, data = self.folder / "copy", self.folder / "rebuilt"
        for place in (vault, data):
            shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.vault, vault, ignore=shutil.ignore_patterns("*.icloud"))
        write_vault(vault, last_read)
        assert_same_as_rebuild(pipeline, self.pipeline(data, vault))


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


@pytest.mark.slow
def test_the_law_holds_with_the_model_that_is_shipped(world) -> None:
    world.environment = {"MINDNET_EMBEDDER": "bundled"}
    world.write("a.md", "# Apfel\n\nEin roter Apfel am Baum, siehe [[b]].\n\n## Ernte\n\nIm Herbst.\n")
    world.write("b.md", "---\nid: birne\n---\nEine gelbe Birne.\n")
    world.write("c.md", "Fällt weg.\n")
    world.sync()
    world.write("a.md", "# Apfel\n\nEin grüner Apfel, siehe [[b]] und [[d]].\n\n## Ernte\n\nIm Herbst.\n")
    world.move("b.md", "Obst/b.md")
    world.delete("c.md")
    world.sync()
    world.write("d.md", "Dazu ein Satz.\n")
    world.write("Obst/b.md", "---\nid: birne\ntitle: Birne\n---\nEine gelbe Birne.\n")
    world.sync()
    assert all(any(point["_dense"]) for point in points_of(world.pipeline())["chunks"].values())
    world.assert_same_as_rebuild()
