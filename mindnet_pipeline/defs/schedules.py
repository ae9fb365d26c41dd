"""Schedules: once a night everything is hashed and checked, and search is measured."""

import dagster as dg

from mindnet_pipeline.defs.jobs import nightly_verification

nightly = dg.ScheduleDefinition(
    name="nightly",
    job=nightly_verification,
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Hashes every file, runs every check and measures search, at three in the morning.",
)
