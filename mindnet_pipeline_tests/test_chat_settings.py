"""Settings of the chat: the language model and its key, the prompts, what a note type tells."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from mindnet_pipeline.core.errors import ConfigError
from mindnet_pipeline.settings import Settings, default_prompts, load_prompts, load_registry, load_settings
from mindnet_pipeline.settings.prompts import PromptOptions

ROOT = Path(__file__).parent.parent
SHIPPED = ROOT / "config"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "types.yaml").write_bytes((SHIPPED / "types.yaml").read_bytes())
    return folder


def load(config: Path, pipeline: str = "", **environ: str) -> Settings:
    (config / "pipeline.yaml").write_text(pipeline, encoding="utf-8")
    return load_settings({"MINDNET_CONFIG": str(config), **environ})


def prompts(config: Path, written: str) -> PromptOptions:
    (config / "prompts.yaml").write_text(written, encoding="utf-8")
    return load_prompts(config)


# --- the model


def test_the_shipped_model_is_the_one_that_the_code_defaults_to(config: Path) -> None:
    assert load_settings({"MINDNET_CONFIG": str(SHIPPED)}).chat == load(config).chat


@pytest.mark.parametrize(
    ("variable", "value", "key"),
    [
        ("MINDNET_LLM_URL", "http://model:8000/v1", "url"),
        ("MINDNET_LLM_MODEL", "llama3.2", "model"),
        ("MINDNET_LLM_API_KEY", "geheim", "api_key"),
    ],
)
def test_a_variable_wins_over_the_file(config: Path, variable: str, value: str, key: str) -> None:
    assert getattr(load(config, "chat: {url: 'http://a/v1', model: b}", **{variable: value}).chat, key) == value


def test_the_key_is_never_shown(config: Path) -> None:
    settings = load(config, MINDNET_LLM_API_KEY="geheim")
    assert "geheim" not in f"{settings!r} {settings.chat} {settings.chat.model_dump_json()}"


def test_a_slash_at_the_end_of_the_address_is_dropped(config: Path) -> None:
    assert load(config, MINDNET_LLM_URL="http://model:8000/v1/").chat.url == "http://model:8000/v1"


def test_an_address_with_a_password_is_refused_without_repeating_it(config: Path) -> None:
    with pytest.raises(ConfigError, match="MINDNET_LLM_API_KEY") as caught:
        load(config, MINDNET_LLM_URL="http://me:geheim@model/v1")
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize(
    ("chat", "expected"),
    [
        ("url: localhost", "`localhost` is no address"),
        ("url: 'ftp://x'", "is no address"),
        ("context_tokens: 2048, answer_tokens: 1500", "at most half"),
        ("modell: x", "did you mean `model`"),
    ],
)
def test_a_mistake_is_told_with_its_remedy(config: Path, chat: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        load(config, f"chat: {{{chat}}}")


# --- the prompts


def test_the_shipped_prompts_are_those_that_the_code_defaults_to() -> None:
    assert load_prompts(SHIPPED) == default_prompts()


def test_without_a_file_the_shipped_texts_are_used(config: Path) -> None:
    assert load_prompts(config) == default_prompts()


def test_a_file_may_hold_only_what_differs(config: Path) -> None:
    mine = prompts(
        config, "persona: {de: Du bist Lena.}\ntemplates: {poem: {de: 'Reime {question}', en: 'Rhyme {question}'}}"
    )
    assert mine.persona.de == "Du bist Lena."
    assert mine.persona.en == default_prompts().persona.en
    assert mine.template("poem", "en") == "Rhyme {question}"
    assert mine.template("why", "de") == default_prompts().template("why", "de")


def test_a_template_that_is_not_there_is_the_default_one() -> None:
    assert default_prompts().template("nonsense", "en") == default_prompts().template("default", "en")


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("persna: {de: x, en: y}", "did you mean `persona`"),
        ("templates: {why: {de: 'Warum?', en: 'Why?'}}", r"why\.de: the placeholder {question} is missing"),
        ("templates: {why: {de: '{question} {name}'}}", r"{name} is not known; the only placeholder is {question}"),
        ("templates: {poem: {de: 'Reime {question}'}}", r"templates\.poem\.en"),
        ("templates: [x]", "expected a mapping"),
        ("values: {de: Ehrlich}", r"values\.de"),
        ("language: fr", "`language`"),
        ("persona: [", "not valid YAML"),
    ],
)
def test_a_mistake_in_the_prompts_is_told(config: Path, written: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=rf"prompts\.yaml.*{expected}"):
        prompts(config, written)


def test_every_key_of_the_prompts_is_in_the_shipped_file_with_a_comment() -> None:
    written = (SHIPPED / "prompts.yaml").read_text(encoding="utf-8")
    assert set(yaml.safe_load(written)) == set(PromptOptions.model_fields)
    for key in PromptOptions.model_fields:
        assert re.search(rf"^{key}:.*# |^# .*\n(?:# .*\n)*{key}:", written, re.MULTILINE), key


# --- what a type tells


def test_every_shipped_type_tells_something_in_both_languages() -> None:
    registry = load_registry(SHIPPED / "types.yaml")
    assert [name for name, kind in registry.types.items() if set(kind.tells) != {"de", "en"}] == []


def test_what_a_type_tells_makes_no_note_anew(config: Path) -> None:
    before = load(config).registry
    written = (config / "types.yaml").read_text(encoding="utf-8")
    (config / "types.yaml").write_text(written.replace("A decision: what was settled", "A choice"), encoding="utf-8")
    after = load(config).registry
    assert after.fingerprint == before.fingerprint
    assert after.types["decision"].tells != before.types["decision"].tells
