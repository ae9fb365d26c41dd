"""Settings: the environment wins over files, arguments over both; every mistake names file, key and remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.settings import (
    DecisionOptions,
    RetrieverOptions,
    Settings,
    config_folder,
    load_retriever_options,
    load_settings,
)
from mindnet_pipeline.settings.pipeline import PipelineFile

ROOT = Path(__file__).parent.parent
MINIMAL_TYPES = """
chunk_profiles: {plain: {target: [200, 300], max: 400, min: 100, overlap: 30}}
types:
  default: {chunk_profile: plain}
  recipe: {chunk_profile: plain, target: [120, 150], edge_defaults: [needs]}
relations:
  needs: {inverse: needed_by, aliases: [braucht, "calls for"], label: {de: benötigt}}
  like: {symmetric: true}
stop_sections: [Später vielleicht]
"""

Load = Callable[..., Settings]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "somewhere" / "config"
    folder.mkdir(parents=True)
    (folder / "types.yaml").write_text(MINIMAL_TYPES, encoding="utf-8")
    return folder


@pytest.fixture
def load(config: Path) -> Load:
    def loader(pipeline: str = "", *, vault: str | None = None, data: str | None = None, **environ: str) -> Settings:
        (config / "pipeline.yaml").write_text(pipeline, encoding="utf-8")
        return load_settings({"MINDNET_CONFIG": str(config), **environ}, vault=vault, data=data)

    return loader


# --- the environment


def test_a_misspelt_variable_is_said_with_the_nearest_known_name(load: Load) -> None:
    (notice,) = load(MINDNET_VALUT="/notes").notices
    assert notice == "the variable MINDNET_VALUT is not known and changes nothing. Did you mean MINDNET_VAULT?"


def test_a_variable_like_no_other_is_said_with_the_known_ones_which_are_those_of_the_document(load: Load) -> None:
    (notice,) = load(MINDNET_QQQ="1").notices
    documented = set(re.findall(r"`(MINDNET_[A-Z_]+)`", (ROOT / "docs" / "configuration.md").read_text("utf-8")))
    assert set(re.findall(r"MINDNET_[A-Z_]+", notice)) == documented | {"MINDNET_QQQ"}


@pytest.mark.parametrize("name", ["MINDNET_DATA", "MINDNET_LLM_API_KEY", "MINDNET_SHARED", "QDRANT_VALUT"])
def test_known_variables_and_those_of_others_are_no_matter(load: Load, name: str) -> None:
    assert load(**{name: "x"}).notices == ()


# --- what is shipped


def test_the_shipped_files_say_what_the_code_defaults_to(load: Load) -> None:
    shipped, bare = load_settings({"MINDNET_CONFIG": str(ROOT / "config")}), load()
    assert (shipped.language, shipped.embedding, shipped.store) == (bare.language, bare.embedding, bare.store)
    assert (shipped.sync, shipped.feedback, shipped.tuning) == (bare.sync, bare.feedback, bare.tuning)
    assert shipped.retriever == bare.retriever


def test_the_shipped_vault_is_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert load_settings({}).vault == ROOT / "vault_sample"


def test_the_shipped_types_are_the_sixteen() -> None:
    names = (
        "thought experience journal task project concept source decision person event value goal belief risk profile"
    )
    assert set(load_settings({"MINDNET_CONFIG": str(ROOT / "config")}).registry.types) == {*names.split(), "default"}


# --- precedence


def test_a_variable_wins_over_the_file(load: Load) -> None:
    assert load("language: de", MINDNET_LANG="en").language == "en"


def test_an_empty_variable_counts_as_unset(load: Load) -> None:
    assert load("language: en", MINDNET_LANG="").language == "en"


def test_a_file_is_no_data_folder(load: Load, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"a file, and no folder for data.*MINDNET_DATA"):
        load(MINDNET_DATA=str(tmp_path / "file"))


def test_an_argument_wins_over_a_variable(load: Load, tmp_path: Path) -> None:
    settings = load("vault: a", vault=str(tmp_path / "c"), MINDNET_VAULT=str(tmp_path / "b"))
    assert settings.vault == tmp_path / "c"


@pytest.mark.parametrize(
    ("variable", "value", "read"),
    [
        ("MINDNET_QDRANT_URL", "http://db:6333", lambda s: s.store.url),
        ("MINDNET_QDRANT_API_KEY", "secret", lambda s: s.store.api_key),
        ("MINDNET_PREFIX", "mine", lambda s: s.store.prefix),
        ("MINDNET_HASH_MODE", "frontmatter", lambda s: s.sync.hash_mode),
        ("MINDNET_HASH_NORMALIZE", "canonical", lambda s: s.sync.hash_normalize),
        ("MINDNET_DATA", "s3://bucket/mind", lambda s: s.data),
        ("MINDNET_EMBEDDER", "onnx", lambda s: s.embedding.engine),
    ],
)
def test_each_variable_reaches_its_option(
    load: Load, variable: str, value: str, read: Callable[[Settings], str]
) -> None:
    assert read(load(**{variable: value})) == value


def test_the_switch_for_note_scope_references_is_a_flag(load: Load) -> None:
    assert load(MINDNET_NOTE_SCOPE_REFS="1").sync.note_scope_references
    assert not load(MINDNET_NOTE_SCOPE_REFS="0").sync.note_scope_references


def test_the_embedder_variable_may_name_a_model(load: Load) -> None:
    embedding = load(MINDNET_EMBEDDER="sentence-transformers:BAAI/bge-m3").embedding
    assert (embedding.engine, embedding.model) == ("sentence-transformers", "BAAI/bge-m3")


def test_the_api_key_is_never_shown(load: Load) -> None:
    assert "geheim" not in repr(load(MINDNET_QDRANT_API_KEY="geheim"))


# --- places


def test_paths_in_the_file_are_relative_to_the_folder_of_config(load: Load, config: Path) -> None:
    settings = load("vault: notes\ndata: store")
    assert settings.vault == config.parent / "notes"
    assert settings.data == str(config.parent / "store")


def test_paths_in_variables_are_relative_to_the_working_directory(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(MINDNET_VAULT="mine").vault == tmp_path / "mine"


def test_a_data_url_stays_as_written(load: Load) -> None:
    assert load("data: memory://x/y").data == "memory://x/y"


def test_a_config_folder_here_is_preferred_to_the_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "types.yaml").write_text(MINIMAL_TYPES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert config_folder({}) == tmp_path / "config"


def test_without_a_config_folder_here_the_projects_own_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert config_folder({}) == ROOT / "config"


def test_a_types_file_elsewhere_is_read(load: Load, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(MINIMAL_TYPES.replace("recipe", "poem"), encoding="utf-8")
    assert "poem" in load(MINDNET_TYPES_FILE=str(other)).registry.types


def test_the_retriever_file_is_read_at_each_use(load: Load, config: Path) -> None:
    settings = load()
    (config / "retriever.yaml").write_text("weights: {edge: 0.1}", encoding="utf-8")
    assert settings.retriever.weights.edge == 0.1
    (config / "retriever.yaml").write_text("weights: {edge: 0.2}", encoding="utf-8")
    assert settings.retriever.weights.edge == 0.2


# --- the registry


def test_a_type_takes_from_its_profile_what_it_does_not_say(load: Load) -> None:
    sizes = load().registry.type_of("recipe").sizes
    assert (sizes.target_min, sizes.target_max, sizes.maximum, sizes.overlap) == (120, 150, 400, 30)


def test_an_unknown_type_is_the_default(load: Load) -> None:
    assert load().registry.type_of("nonsense").name == "default"


@pytest.mark.parametrize("written", ["needs", "Needs", "braucht", "calls for", "calls-for", "Benötigt"])
def test_a_relation_is_known_by_name_alias_and_label(load: Load, written: str) -> None:
    assert load().registry.relation_kind(written) == ("needs", True)


def test_an_unknown_relation_is_said_to_be_unknown(load: Load) -> None:
    assert load().registry.relation_kind("foo bar") == ("foo_bar", False)


def test_a_symmetric_relation_is_its_own_inverse(load: Load) -> None:
    assert load().registry.relations["like"].inverse == "like"


def test_stop_sections_are_compared_in_any_case(load: Load) -> None:
    assert load().registry.is_stop_section("  SPÄTER vielleicht")


def test_the_fingerprint_changes_with_the_content_not_with_comments(load: Load, config: Path) -> None:
    before = load().registry.fingerprint
    (config / "types.yaml").write_text(MINIMAL_TYPES + "\n# a remark\n", encoding="utf-8")
    assert load().registry.fingerprint == before
    (config / "types.yaml").write_text(MINIMAL_TYPES.replace("max: 400", "max: 401"), encoding="utf-8")
    assert load().registry.fingerprint != before


# --- mistakes


@pytest.mark.parametrize(
    ("pipeline", "expected"),
    [
        ("vualt: x", "unknown key `vualt`.*did you mean `vault`"),
        ("sync: {hash_mod: body}", "unknown key `sync.hash_mod`.*did you mean `hash_mode`"),
        ("embedding: {xyzzy: 1}", "unknown key `embedding.xyzzy`.*known: .*engine"),
        ("language: fr", "`language`.*'de' or 'en'.*found 'fr'"),
        ("sync: {buckets: 0}", "`sync.buckets`.*greater than or equal to 1.*found 0"),
        ("store: {prefix: 'a b'}", "`store.prefix`"),
        ("vault: [", r"pipeline\.yaml:1: not valid YAML"),
        ("- vault", "expected a mapping"),
    ],
)
def test_a_mistake_in_the_file_names_the_key_and_the_remedy(load: Load, pipeline: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=rf"pipeline\.yaml.*{expected}|{expected}"):
        load(pipeline)


def test_all_mistakes_are_told_at_once(load: Load) -> None:
    with pytest.raises(ConfigError) as caught:
        load("vualt: x\nlanguage: fr")
    assert "vualt" in str(caught.value)
    assert "language" in str(caught.value)


def test_a_wrong_variable_is_told_by_its_name_and_key(load: Load) -> None:
    with pytest.raises(ConfigError, match=r"^MINDNET_HASH_MODE \(for `sync\.hash_mode`\): .*found 'everything'"):
        load(MINDNET_HASH_MODE="everything")


def test_a_variable_under_a_key_that_is_no_mapping_is_told(load: Load) -> None:
    with pytest.raises(ConfigError, match=r"store: expected a mapping .*MINDNET_QDRANT_URL"):
        load("store: here", MINDNET_QDRANT_URL="http://db")


def test_a_file_that_is_not_utf8_is_told(load: Load, config: Path) -> None:
    load()
    (config / "retriever.yaml").write_bytes("weights: {} # über".encode("cp1252"))
    with pytest.raises(ConfigError, match=r"retriever\.yaml: is not UTF-8"):
        load_retriever_options(config)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("chunk_profile: plain, target", "chunk_profile: plian, target"), "types.recipe.chunk_profile.*`plain`"),
        (("edge_defaults: [needs]", "edge_defaults: [neds]"), "types.recipe.edge_defaults.*did you mean `needs`"),
        (("target: [120, 150]", "target: [150, 120]"), "types.recipe: sizes must rise"),
        (("target: [120, 150]", "max: 250"), "types.recipe: sizes must rise"),
        (("target: [120, 150]", "overlap: 200"), "types.recipe: overlap 200 must be smaller"),
        (("default: {chunk_profile: plain}", ""), "the type `default` is missing"),
        (("inverse:", "invers:"), "relations.needs.invers`.*did you mean `inverse`"),
    ],
)
def test_a_mistake_in_the_types_is_told(load: Load, config: Path, change: tuple[str, str], expected: str) -> None:
    (config / "types.yaml").write_text(MINIMAL_TYPES.replace(*change), encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"types\.yaml: .*{expected}"):
        load()


def test_a_missing_types_file_is_told_with_where_to_find_one(load: Load, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=re.escape(str(tmp_path / "nowhere.yaml")) + ".*no such file"):
        load(MINDNET_TYPES_FILE=str(tmp_path / "nowhere.yaml"))


def test_a_missing_config_folder_is_told() -> None:
    with pytest.raises(ConfigError, match="MINDNET_CONFIG=/nowhere/at/all: no such folder"):
        config_folder({"MINDNET_CONFIG": "/nowhere/at/all"})


# --- the documents


def _keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _keys(field.annotation, f"{prefix}{name}.")
        elif not field.exclude:
            yield prefix + name


@pytest.mark.parametrize(
    ("model", "file"),
    [
        (PipelineFile, "pipeline.yaml"),
        (RetrieverOptions, "retriever.yaml"),
        (DecisionOptions, "decision_engine.yaml"),
    ],
)
def test_every_key_is_in_the_shipped_file_and_in_the_document(model: type[BaseModel], file: str) -> None:
    document = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    shipped = yaml.safe_load((ROOT / "config" / file).read_text(encoding="utf-8"))
    for key in _keys(model):
        assert f"`{key}`" in document, key
        there = shipped
        for name in key.split("."):
            assert name in there, key
            there = there[name]
