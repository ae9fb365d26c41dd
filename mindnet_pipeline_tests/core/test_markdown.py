from __future__ import annotations

import pytest

from mindnet_pipeline_tests.core.reading_fixtures import Case, describe, load_cases


@pytest.mark.parametrize("case", load_cases(), ids=lambda case: case.name)
def test_a_body_is_read_as_its_fixture_says(case: Case) -> None:
    assert describe(case.body) == case.expected
