"""The five steps of a sync without Dagster: plan, read, chunk, link, embed, store, commit.

Uses core, storage and settings; names no Dagster object. The assets in defs/ and the tests call the same functions.
Not here: how links resolve or where chunks end (core), how files and points are written (storage), runs and events
(defs).
"""
