"""The payloads are what their schemas say, plain JSON, and the schemas on disk are those of the code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from mindnet_pipeline.core.model import Finding
from mindnet_pipeline.storage.payload_schemas import PAYLOADS, SCHEMA_FOLDER, schema_texts
from mindnet_pipeline.storage.payloads import chunk_payload, edge_payload, note_payload
from mindnet_pipeline.storage.vectors.payloads import plain
from mindnet_pipeline_tests.storage.samples import chunk, edge, note

MADE: Mapping[str, dict[str, Any]] = {
    "note": note_payload(
        note("a", tags=("x",), warnings=(Finding("c", "Satz.", 3),), frontmatter={"jahr": 2025, "l": [1, None]}),
        references=["b"],
        chunk_count=2,
        token_count=30,
        mtime="2025-01-02T03:04:05+00:00",
    ),
    "chunk": chunk_payload(
        chunk("a", section_path=("Eins", "Zwei")),
        references=[{"kind": "references", "target_id": "b"}],
        previous_id=None,
        next_id="a#c02",
    ),
    "edge": edge_payload(edge("a", "b", also_by=("inline:rel",), confidence=0.9)),
}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.dates(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("name", PAYLOADS)
class TestEachPayload:
    def test_it_has_exactly_the_fields_of_its_model(self, name: str) -> None:
        assert MADE[name].keys() == PAYLOADS[name].__annotations__.keys()

    def test_its_values_are_of_the_types_that_the_schema_gives(self, name: str) -> None:
        TypeAdapter(PAYLOADS[name]).validate_python(MADE[name], strict=True)

    def test_it_is_the_same_after_a_journey_as_json(self, name: str) -> None:
        assert json.loads(json.dumps(MADE[name], allow_nan=False)) == MADE[name]

    def test_its_schema_on_disk_is_current(self, name: str) -> None:
        file = f"{name}.schema.json"
        remedy = "run `python -m mindnet_pipeline.storage.payload_schemas`"
        assert (SCHEMA_FOLDER / file).read_text(encoding="utf-8") == schema_texts()[file], remedy

    def test_its_schema_allows_no_other_field(self, name: str) -> None:
        schema = json.loads(schema_texts()[f"{name}.schema.json"])
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) == MADE[name].keys()


def test_a_chunk_knows_its_section_and_its_neighbours() -> None:
    assert MADE["chunk"]["section_label"] == "Eins › Zwei"
    assert MADE["chunk"]["neighbors"] == {"prev": None, "next": "a#c02"}


@given(anything)
def test_any_value_becomes_json_that_every_store_takes(value: object) -> None:
    safe = plain(value)
    assert json.loads(json.dumps(safe, allow_nan=False).encode("ascii")) == safe
    assert plain(safe) == safe
    json.dumps(safe, ensure_ascii=False).encode("utf-8")
