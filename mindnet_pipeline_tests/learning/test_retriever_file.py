"""Weights written into a retriever.yaml: numbers change, nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.learning.retriever_file import with_weights

SHIPPED = (Path(__file__).parents[2] / "config" / "retriever.yaml").read_text(encoding="utf-8")
NEW = {"semantic": 0.6312, "lexical": 0.3688, "edge": 0.1, "centrality": 0.0, "type": 0.45}


def test_in_the_shipped_file_only_the_five_numbers_change() -> None:
    made = with_weights(SHIPPED, NEW)
    assert yaml.safe_load(made)["weights"] == yaml.safe_load(SHIPPED)["weights"] | NEW
    before, after = SHIPPED.splitlines(), made.splitlines()
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    assert len(changed) == 5
    assert all(old.partition("#")[2] == new.partition("#")[2] for old, new in changed)


def test_a_number_that_stays_is_not_touched() -> None:
    text = "weights: {edge: 0.70, type: 5.0e-2}\n"
    assert with_weights(text, {"edge": 0.7, "type": 0.05}) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "weights:\n  edge: 0.5\n"),
        ("# nothing yet\n", "# nothing yet\nweights:\n  edge: 0.5\n"),
        ("results:\n  limit: 3", "results:\n  limit: 3\nweights:\n  edge: 0.5\n"),
        ("weights:   # later\nscale: {reach: 1}\n", "weights: {edge: 0.5}   # later\nscale: {reach: 1}\n"),
        ("weights: {}\n", "weights: {edge: 0.5}\n"),
        ("weights: {type: 1}  # x\n", "weights: {type: 1, edge: 0.5}  # x\n"),
        ("weights:\n    type: 1  # x\nscale: {}\n", "weights:\n    type: 1  # x\n    edge: 0.5\nscale: {}\n"),
        ("weights:\n  type: 1", "weights:\n  type: 1\n  edge: 0.5"),
        ("weights:\r\n  edge: 1 # x\r\n", "weights:\r\n  edge: 0.5 # x\r\n"),
        ("weights:\r\n  type: 1\r\n", "weights:\r\n  type: 1\r\n  edge: 0.5\r\n"),
        ("'weights': {'edge':\n  1}\n", "'weights': {'edge':\n  0.5}\n"),
        ("weights: {edge: 1, edge: 2}\n", "weights: {edge: 1, edge: 0.5}\n"),
        ("graph: {cap: 0.7}\nweights: {edge: 0.7}\n", "graph: {cap: 0.7}\nweights: {edge: 0.5}\n"),
        ("# ümläut 𝕏\nweights: {edge: 0.7} # ß\n", "# ümläut 𝕏\nweights: {edge: 0.5} # ß\n"),
    ],
)
def test_every_way_of_writing_the_section_is_edited_in_place(before: str, after: str) -> None:
    assert with_weights(before, {"edge": 0.5}) == after


@pytest.mark.parametrize("text", ["a: &n 0.7\nweights: {edge: *n}\n", "a: &w {edge: 0.7}\nweights: *w\n"])
def test_what_cannot_be_edited_in_place_is_left_alone_with_the_lines_to_write(text: str) -> None:
    with pytest.raises(ConfigError, match=r"edge: 0\.5"):
        with_weights(text, {"edge": 0.5})
