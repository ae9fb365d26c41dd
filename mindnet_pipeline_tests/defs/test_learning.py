"""The job `nightly_learning`: pairs and a proposal out of a log, and why there is none where there is none."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from mindnet_pipeline.definitions import build_defs
from mindnet_pipeline.defs.resources import MindnetResource
from mindnet_pipeline.learning.feedback_log import open_log
from mindnet_pipeline.learning.pair_table import read_pairs
from mindnet_pipeline.learning.proposals import proposals
from mindnet_pipeline_tests.learning.vaults import A_TASTE_FOR_TYPES, configured, rate

pytestmark = pytest.mark.slow


def learn(world, definitions: dg.Definitions | None = None) -> dict[str, dict]:
    """Run the job; each asset's metadata in plain values."""
    job = (definitions or world.definitions).resolve_job_def("nightly_learning")
    result = job.execute_in_process(instance=world.instance)
    assert result.success
    found = {}
    for name in ("training_pairs", "weights_proposal"):
        (event,) = result.asset_materializations_for_node(name)
        found[name] = {key: value.value for key, value in event.metadata.items()}
    return found


@pytest.fixture
def rated(world, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A world whose owner has a taste, and a configuration of its own."""
    monkeypatch.setenv("MINDNET_CONFIG", str(configured(tmp_path).config_folder))
    rate(world.pipeline.settings, A_TASTE_FOR_TYPES, 30)
    return world


def test_ratings_become_pairs_and_a_proposal(rated) -> None:
    before = (rated.pipeline.settings.config_folder / "retriever.yaml").read_bytes()
    found = learn(rated)
    settings = rated.pipeline.settings
    assert found["training_pairs"]["dagster/row_count"] == len(read_pairs(settings.data)) > 0
    assert found["training_pairs"]["labels"] == 180
    assert found["training_pairs"]["questions"] == 30
    assert "| 5 |" in found["training_pairs"]["by_rating"]
    assert [found["weights_proposal"]["proposal"]] == [each.id for each in proposals(settings)]
    assert "pairs in order" in found["weights_proposal"]["measures"]
    assert (settings.config_folder / "retriever.yaml").read_bytes() == before


def test_the_second_night_proposes_nothing_new(rated) -> None:
    learn(rated)
    assert "nothing new" in learn(rated)["weights_proposal"]["status"]
    assert len(proposals(rated.pipeline.settings)) == 1


def test_without_ratings_the_status_says_what_is_missing(world) -> None:
    found = learn(world)
    assert found["training_pairs"]["dagster/row_count"] == 0
    assert "60 ratings and 20 questions still missing" in found["weights_proposal"]["status"]


def test_no_words_of_a_question_are_in_the_metadata(rated) -> None:
    assert "Frage" not in str(learn(rated))


def test_a_remote_data_folder_is_skipped_and_says_so(world) -> None:
    remote = build_defs(resource_overrides={"mindnet": MindnetResource(data="memory://learning/mind")})
    assert learn(world, remote)["weights_proposal"]["status"].startswith("skipped: ")


def test_a_question_of_the_job_ask_is_logged(world) -> None:
    world.write({"beet.md": "Kohl wächst im Beet."})
    world.sync()
    job = world.definitions.resolve_job_def("ask")
    config = {"ops": {"retrieve": {"config": {"question": "Kohl"}}}}
    assert job.execute_in_process(run_config=config, instance=world.instance).success
    (situation,) = open_log(world.pipeline.settings).situations().values
    assert situation.query == "Kohl"


def test_every_night_it_is_looked_at(world) -> None:
    schedule = world.definitions.resolve_schedule_def("learning")
    assert schedule.default_status == dg.DefaultScheduleStatus.RUNNING
    assert schedule.job_name == "nightly_learning"
