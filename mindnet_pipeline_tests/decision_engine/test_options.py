"""config/decision_engine.yaml: what is refused, with which words, and what is taken instead."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.settings import DecisionOptions, load_decision_options, load_registry, load_settings
from mindnet_pipeline_tests.decision_engine.questions import CONFIG, OPTIONS, REGISTRY


def load(folder: Path, text: str) -> DecisionOptions:
    (folder / "decision_engine.yaml").write_text(text, encoding="utf-8")
    return load_decision_options(folder, REGISTRY)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("intents: {fact: {}, why: {patterns: {de: ['(warum']}}}", r"intents.why.patterns.de.0.*\(warum.*regular expr"),
        ("intents: {fact: {}, why: {patterns: {de: ['x?']}}}", r"intents.why.patterns.de.0.*every question"),
        ("intents: {fact: {}, why: {type_boosts: {decison: 1.2}}}", r"why.type_boosts.*did you mean `decision`"),
        ("intents: {fact: {}, why: {edge_boosts: {caused: 1.2}}}", r"why.edge_boosts.*did you mean `caused_by`"),
        (
            "intents: {fact: {}, why: {type_boosts: {decision: 5}}}",
            r"why.type_boosts.decision.*less than or equal to 2",
        ),
        ("intents: {fact: {}, why: {paterns: {}}}", r"`intents.why.paterns`.*did you mean `patterns`"),
        ("intents: {fact: {}, why: {shape: {order: new}}}", r"intents.why.shape.order.*newest"),
        ("intents: {fact: {}, auto: {}}", r"`auto` cannot be an intent's name"),
        ("intents: {fact: {}, Warum-Frage: {}}", r"`Warum-Frage` cannot be an intent's name"),
        ("default: facts\nintents: {fact: {}}", r"default.*did you mean `fact`"),
        ("enabled: true", r"intents"),
    ],
)
def test_a_mistake_is_named_with_its_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(tmp_path, text)


def test_a_folder_without_the_file_has_the_shipped_one(tmp_path: Path) -> None:
    assert load_decision_options(tmp_path, REGISTRY) == OPTIONS


def test_types_of_ones_own_may_be_preferred(tmp_path: Path) -> None:
    own = tmp_path / "types.yaml"
    shutil.copy(CONFIG / "types.yaml", own)
    own.write_text(own.read_text("utf-8").replace("  decision: {", "  recipe: {"), encoding="utf-8")
    (tmp_path / "decision_engine.yaml").write_text("intents: {fact: {type_boosts: {recipe: 1.2}}}", encoding="utf-8")
    assert load_decision_options(tmp_path, load_registry(own)).intents["fact"].type_boosts == {"recipe": 1.2}


def test_the_shipped_intents_do_no_harm_where_a_type_was_taken_away(tmp_path: Path) -> None:
    own = tmp_path / "types.yaml"
    own.write_text(
        "chunk_profiles: {a: {target: [1, 2], max: 3, min: 1, overlap: 0}}\n"
        "types: {default: {chunk_profile: a}}\nrelations: {}\n",
        encoding="utf-8",
    )
    assert load_decision_options(tmp_path, load_registry(own)) == OPTIONS


def test_an_edit_works_at_the_next_use(tmp_path: Path) -> None:
    shutil.copy(CONFIG / "types.yaml", tmp_path / "types.yaml")
    settings = load_settings({"MINDNET_CONFIG": str(tmp_path)})
    assert settings.decisions.enabled
    (tmp_path / "decision_engine.yaml").write_text("enabled: false\nintents: {fact: {}}", encoding="utf-8")
    assert not settings.decisions.enabled
