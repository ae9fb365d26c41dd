"""pyarrow without pandas, in fresh interpreters: what is imported once stays imported."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_tables_are_written_and_read_without_pandas(tmp_path):
    script = f"""
import sys
from mindnet_pipeline.storage.tables import Tables
tables = Tables({str(tmp_path)!r})
tables.append_history({{"notes": 1, "name": "a"}})
assert tables.read_history().to_pylist() == [{{"notes": 1, "name": "a"}}]
print("pandas" in sys.modules)
"""
    assert run(script).split() == ["False"]


@pytest.mark.slow
def test_who_wants_pandas_still_gets_it():
    script = """
from mindnet_pipeline.storage.arrow import do_without_pandas
do_without_pandas()
import pyarrow as pa
print(list(pa.table({"a": ["x"]}).to_pandas()["a"]))
"""
    assert run(script).strip() == "['x']"
