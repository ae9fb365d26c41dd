"""What holds for all tests: no time limits on examples (machines are shared), no model hub, no telemetry.

On a CI server the examples are the same at each run of the same code, so that a change is judged by itself; elsewhere
they are new each time, so that faults are found. What is found becomes an example or a fixture.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("mindnet", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("mindnet")

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
