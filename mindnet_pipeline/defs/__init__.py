"""The Dagster layer and nothing else: one module per Dagster concept, met in definitions.py.

Asset bodies load a run set, call one step of the engine and record what it says. What a step does is in engine/;
what is true of the result is in core/invariants.py. No module here has `from __future__ import annotations`: Dagster
reads annotations at run time.
"""

import warnings

# Partitioned backfills, pools and owners are called beta by Dagster; its version is pinned and users cannot act on it.
warnings.filterwarnings("ignore", message=r".*is currently in (beta|preview)")
