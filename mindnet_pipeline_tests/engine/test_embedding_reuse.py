"""A window that was embedded once is never embedded again, and another model is built beside the old collections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from mindnet_pipeline.engine.pipeline import Pipeline
from mindnet_pipeline.engine.planning import look_at_vault
from mindnet_pipeline.engine.run_set import run_set_of
from mindnet_pipeline.engine.sync import STEPS, sync_once
from mindnet_pipeline.storage.embedders.protocol import Vectors
from mindnet_pipeline_tests.engine.vaults import points_of
from mindnet_pipeline_tests.storage.fakes import HashEmbedder

LONG = "\n\n".join(f"## Teil {n}\n\n" + f"Satz aus dem Teil {n}. " * 30 for n in range(4))


def sections_of(text: str) -> list[str]:
    return [f"## {section}".rstrip() + "\n\n" for section in text.split("## ")[1:]]


class OtherEmbedder(HashEmbedder):
    model_key = "words@other"


class DyingEmbedder(HashEmbedder):
    """Dies after so many texts, as a killed process would."""

    def __init__(self, lives: int) -> None:
        super().__init__()
        self.lives = lives

    def embed_stream(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Vectors]]:
        for done, made in enumerate(super().embed_stream(texts)):
            if done == self.lives:
                raise KeyboardInterrupt
            yield made


def pipeline_with(world, embedder: HashEmbedder, data: str = "data") -> Pipeline:
    pipeline = world.pipeline(data)
    object.__setattr__(pipeline, "embedder", embedder)
    return pipeline


def embedded_by(world) -> list[str]:
    """The texts that the next sync embeds."""
    embedder = HashEmbedder()
    sync_once(world.pipeline(embedder=embedder))
    return embedder.embedded


@pytest.fixture
def synced(world):
    world.write("alt/a.md", LONG)
    world.write("b.md", "Kurz und [[a]].\n")
    assert len(embedded_by(world)) == 5
    return world


def test_a_sync_without_change_embeds_nothing(synced) -> None:
    assert embedded_by(synced) == []


@pytest.mark.parametrize("new", ["alt/umbenannt.md", "neu/a.md", "neu/anders.md"])
def test_a_rename_or_a_move_embeds_nothing(synced, new: str) -> None:
    synced.move("alt/a.md", new)
    assert embedded_by(synced) == []


def test_a_section_on_top_embeds_only_itself(synced) -> None:
    synced.write("alt/a.md", "## Neu\n\n" + "Ein Satz ganz vorn. " * 30 + "\n\n" + LONG)
    assert len(embedded_by(synced)) == 1


def test_a_section_that_goes_embeds_nothing(synced) -> None:
    first, *rest = sections_of(LONG)
    synced.write("alt/a.md", "".join(rest))
    assert embedded_by(synced) == []
    synced.write("alt/a.md", "".join([first, *rest[1:]]))
    assert embedded_by(synced) == []


def test_a_section_that_moves_embeds_nothing(synced) -> None:
    first, *rest = sections_of(LONG)
    synced.write("alt/a.md", "".join([*rest, first]))
    assert embedded_by(synced) == []


def test_of_subsections_too_only_what_is_new_is_embedded(world) -> None:
    opening, parts = "## Oben\n\n" + "Der Anfang. " * 30 + "\n\n", ["#" + section for section in sections_of(LONG)]
    world.write("a.md", opening + "".join(parts))
    assert len(embedded_by(world)) == 1 + len(parts)
    new = "### Neu\n\n" + "Ein Satz. " * 40 + "\n\n"
    world.write("a.md", opening + new + "".join([*parts[2:], parts[0]]))
    (text,) = embedded_by(world)
    assert "### Neu" in text


def test_a_section_that_moves_to_another_note_embeds_nothing(synced) -> None:
    first, *rest = sections_of(LONG)
    synced.write("alt/a.md", "".join(rest))
    synced.write("c.md", first)
    assert embedded_by(synced) == []


def test_a_note_that_comes_back_embeds_nothing(synced) -> None:
    synced.delete("b.md")
    assert embedded_by(synced) == []
    synced.write("b.md", "Kurz und [[a]].\n")
    assert embedded_by(synced) == []


def test_a_relinked_note_embeds_nothing(synced) -> None:
    synced.write("a.md", "Näher dran.\n")
    (text,) = embedded_by(synced)
    assert "Näher dran." in text


def test_a_changed_sentence_embeds_its_chunk_only(synced) -> None:
    synced.write("alt/a.md", LONG.replace("Satz aus dem Teil 3. ", "Ein anderer Satz. ", 1))
    assert len(embedded_by(synced)) == 1


def test_two_notes_with_the_same_text_embed_it_once(world) -> None:
    world.write("a.md", "Derselbe Satz.\n")
    world.write("b.md", "Derselbe Satz.\n")
    assert len(embedded_by(world)) == 1


def test_an_emptied_note_embeds_nothing(synced) -> None:
    synced.write("b.md", "")
    assert embedded_by(synced) == []


def test_an_empty_note_has_no_vector_rather_than_one_of_zeros(world) -> None:
    world.write("leer.md", "")
    world.write("a.md", "Text.\n")
    pipeline = world.pipeline(embedder=HashEmbedder())
    sync_once(pipeline)
    notes = points_of(pipeline)["notes"]
    assert any(notes["a"]["_dense"])
    assert notes["leer"].get("_dense") is None


def test_a_killed_run_goes_on_where_it_was(world) -> None:
    world.write("a.md", LONG)
    with pytest.raises(KeyboardInterrupt):
        sync_once(world.pipeline(embedder=DyingEmbedder(2)))
    assert len(embedded_by(world)) == 2


class TestAnotherModel:
    def test_the_old_collections_answer_until_the_new_ones_are_whole(self, synced) -> None:
        synced.options = {"max_notes_per_run": 1}
        pipeline = synced.pipeline(embedder=OtherEmbedder())
        run_set = run_set_of(pipeline, look_at_vault(pipeline).plan)
        for step in STEPS.values():
            step(pipeline, run_set)
        current = pipeline.store.current()
        assert current is not None
        assert current.model_key == HashEmbedder.model_key
        assert set(points_of(pipeline)["notes"]) == {"alt/a", "b"}

    def test_then_the_new_ones_take_over(self, synced) -> None:
        synced.options = {"max_notes_per_run": 1}
        embedder = OtherEmbedder()
        pipeline = synced.pipeline(embedder=embedder)
        sync_once(pipeline)
        current = pipeline.store.current()
        assert current is not None
        assert current.model_key == OtherEmbedder.model_key
        assert len(embedder.embedded) == 5
        assert set(points_of(pipeline)["notes"]) == {"alt/a", "b"}

    def test_the_way_back_embeds_nothing(self, synced) -> None:
        sync_once(synced.pipeline(embedder=OtherEmbedder()))
        assert embedded_by(synced) == []
