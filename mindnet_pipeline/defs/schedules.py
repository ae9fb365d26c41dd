"""Schedules: once a night everything is hashed and checked, search is measured, and ratings are learned from."""

import dagster as dg

from mindnet_pipeline.defs.jobs import nightly_learning, nightly_verification

nightly = dg.ScheduleDefinition(
    name="nightly",
    job=nightly_verification,
    cron_schedule="0 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Hashes every file, runs every check and measures search, at three in the morning.",
)

learning = dg.ScheduleDefinition(
    name="learning",
    job=nightly_learning,
    cron_schedule="30 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Looks for better weights in the day's ratings, after the nightly checks.",
)
