"""The pure heart: strings and values in, values out. No files, no clock, no environment, no Dagster."""
