"""What holds for all tests: no time limits on examples (machines are shared), no model hub, no telemetry."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("mindnet", deadline=None)
settings.load_profile("mindnet")

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "1")
