"""Schedules: once a night everything is hashed and checked."""

import dagster as dg

from mindnet_pipeline.defs.jobs import nightly_verification

nightly = dg.ScheduleDefinition(
    name="nightly",
    job=nightly_verification,
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Hashes every file and runs every check, at three in the morning.",
)
