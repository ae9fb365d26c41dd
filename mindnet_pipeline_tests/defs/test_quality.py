"""`retrieval_quality`: measured on the vault's own golden questions, with history; the check fails on a regression."""

from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
import yaml

pytestmark = pytest.mark.slow

CONFIG = Path(__file__).parents[2] / "config"
NOTES = {
    "beet.md": "Kohl wächst im Beet.\n",
    "motor.md": "Der Motor braucht Öl.\n",
    "see.md": "Das Boot liegt am See.\n",
}
QUESTIONS = [
    {"id": "kohl", "question": "Wo wächst Kohl?", "category": "keyword", "relevant": [{"path": "beet.md"}]},
    {"id": "oel", "question": "Was braucht Öl?", "category": "keyword", "relevant": [{"path": "motor.md"}]},
]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configuration of the test's own, with golden questions about its notes."""
    folder = tmp_path / "config"
    folder.mkdir()
    for name in ("types.yaml", "retriever.yaml", "decision_engine.yaml", "prompts.yaml"):
        (folder / name).write_text((CONFIG / name).read_text(encoding="utf-8"), encoding="utf-8")
    write_questions(folder, QUESTIONS)
    monkeypatch.setenv("MINDNET_CONFIG", str(folder))
    return folder


def write_questions(folder: Path, questions: list[dict]) -> None:
    (folder / "golden.yaml").write_text(yaml.safe_dump(questions), encoding="utf-8")


def evaluate(world) -> tuple[dict, list[dg.AssetCheckEvaluation]]:
    """Run the job; the asset's metadata as plain values, and the check's results."""
    job = world.definitions.resolve_job_def("evaluate_search")
    result = job.execute_in_process(instance=world.instance)
    assert result.success
    (event,) = result.asset_materializations_for_node("retrieval_quality")
    return {key: value.value for key, value in event.metadata.items()}, result.get_asset_check_evaluations()


def test_what_is_found_is_measured_and_above_the_floor(world) -> None:
    world.write(NOTES)
    world.sync()
    metadata, (check,) = evaluate(world)
    assert (metadata["status"], metadata["questions"], metadata["MRR"]) == ("measured", 2, 1.0)
    assert "keyword" in metadata["by_category"]
    assert check.passed


def test_a_regression_fails_the_check_and_says_which_measure(world, config: Path) -> None:
    world.write(NOTES)
    world.sync()
    evaluate(world)
    write_questions(config, [{**each, "relevant": [{"path": "see.md"}]} for each in QUESTIONS])
    metadata, (check,) = evaluate(world)
    assert not check.passed
    assert "below its floor of 0.65" in check.description
    assert metadata["missed"] == "kohl, oel"


def test_every_evaluation_is_kept_in_the_history(world) -> None:
    world.write(NOTES)
    world.sync()
    evaluate(world)
    metadata, _ = evaluate(world)
    rows = world.pipeline.tables.read_history("quality").to_pylist()
    assert [row["category"] for row in rows] == ["all", "keyword"] * 2
    assert len({row["run_id"] for row in rows}) == 2
    assert metadata["trend"].count("\n| 20") == 2


def test_a_vault_without_the_questions_notes_is_skipped_and_not_green(world) -> None:
    world.write({"anderes.md": "Etwas anderes.\n"})
    world.sync()
    metadata, checks = evaluate(world)
    assert metadata["status"].startswith("skipped: the vault has none of the notes")
    assert checks == []


def test_an_index_that_was_never_filled_is_skipped(world) -> None:
    metadata, checks = evaluate(world)
    assert metadata["status"] == "skipped: nothing is indexed yet."
    assert checks == []


def test_a_sync_measures_nothing(world) -> None:
    world.write(NOTES)
    world.sync()
    assert world.pipeline.tables.read_history("quality").num_rows == 0


def test_the_night_measures_search_too(world) -> None:
    selected = world.definitions.resolve_job_def("nightly_verification").asset_layer.executable_asset_keys
    assert dg.AssetKey("retrieval_quality") in selected
