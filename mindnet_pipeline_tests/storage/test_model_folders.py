"""Model folders: what tells two versions apart, what of them the onnx engine builds, and damage to what it made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.settings import EmbeddingOptions
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder
from mindnet_pipeline.storage.embedders.prepared import is_intact, read_prepared
from mindnet_pipeline.storage.embedders.preparing import prepare
from mindnet_pipeline.storage.embedders.sources import folder_stamp
from mindnet_pipeline.storage.embedders.transformers_folder import OtherKindError, TransformersFolder
from mindnet_pipeline_tests.storage.models import weights, write_json, write_model

E5 = ("query: ", "passage: ")


def listed(modules: dict[str, str]) -> list[dict[str, str]]:
    """Modules with their paths as modules.json lists them."""
    return [{"type": f"sentence_transformers.models.{name}", "path": path} for name, path in modules.items()]


def trained(folder: Path, tensor: str) -> None:
    """The same model with other numbers in one tensor."""
    before = weights()[tensor.replace("__", ".")]
    save_file(weights(**{tensor: before + 0.01}), folder / "model.safetensors")


CHANGES: dict[str, Callable[[Path], None]] = {
    "a layer": lambda folder: trained(folder, "encoder__layer__1__attention__self__query__weight"),
    "a bias": lambda folder: trained(folder, "encoder__layer__0__output__dense__bias"),
    "the words": lambda folder: trained(folder, "embeddings__word_embeddings__weight"),
    "the pooling": lambda folder: write_json(folder, **{"1_Pooling__config": {"pooling_mode_cls_token": True}}),
    "the length": lambda folder: write_json(folder, sentence_bert_config={"max_seq_length": 64}),
    "the prompts": lambda folder: write_json(folder, config_sentence_transformers={"prompts": {"query": "frage: "}}),
    "the tokenizer": lambda folder: (folder / "tokenizer.json").write_bytes(b"{}"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_model_that_changes_in_place_is_another(change: Callable[[Path], None], tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    before = folder_stamp(folder)
    change(folder)
    assert folder_stamp(folder) != before


def test_a_model_that_is_written_again_is_the_same(tmp_path: Path) -> None:
    assert folder_stamp(write_model(tmp_path / "a")) == folder_stamp(write_model(tmp_path / "b"))


def test_a_changed_model_is_prepared_anew_and_its_vectors_have_another_key(tmp_path: Path) -> None:
    folder, data = write_model(tmp_path / "model"), str(tmp_path / "data")
    first = prepare(str(folder), data)
    trained(folder, "encoder__layer__1__attention__self__query__weight")
    second = prepare(str(folder), data)
    assert first != second
    assert OnnxEmbedder(first).model_key != OnnxEmbedder(second).model_key


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


@pytest.mark.parametrize("name", ["words.npy", "tokenizer.json"])
@pytest.mark.parametrize("damage", [cut_in_half, Path.unlink])
def test_a_damaged_vocabulary_is_an_error_that_says_what_to_do_and_is_made_anew(
    name: str, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    model, data = str(write_model(tmp_path / "model")), str(tmp_path / "data")
    folder = prepare(model, data)
    damage(folder / name)
    with pytest.raises(EmbedderError, match=r"damaged.*prepare_model"):
        OnnxEmbedder(folder).embed_query("wer")
    assert is_intact(prepare(model, data))


def test_no_vector_is_kept_that_was_made_of_overwritten_word_vectors(tmp_path: Path) -> None:
    model, data = str(write_model(tmp_path / "model")), str(tmp_path / "data")
    folder = prepare(model, data)
    words = np.load(folder / "words.npy", mmap_mode="r+")
    words[1500, 7] += 1
    words.flush()
    with pytest.raises(EmbedderError, match=r"damaged.*prepare_model"):
        OnnxEmbedder(folder).embed_documents(["wer"])
    assert is_intact(prepare(model, data))


@pytest.mark.parametrize(
    ("pooling", "built"),
    [
        ({}, "mean"),
        ({"pooling_mode": "cls"}, "cls"),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "include_prompt": True}, "cls"),
        ({"pooling_mode_mean_tokens": True}, "mean"),
    ],
)
def test_mean_and_cls_pooling_are_built(pooling: dict[str, object], built: str, tmp_path: Path) -> None:
    assert TransformersFolder(write_model(tmp_path, **{"1_Pooling__config": pooling})).pooling() == built


@pytest.mark.parametrize(
    "pooling",
    [
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
        {"pooling_mode_max_tokens": True},
        {"pooling_mode": "lasttoken"},
        {"pooling_mode": ["mean", "max"]},
        {"pooling_mode_mean_tokens": True, "include_prompt": False},
    ],
)
def test_other_pooling_is_not_built_here(pooling: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(OtherKindError, match="pooling"):
        TransformersFolder(write_model(tmp_path, **{"1_Pooling__config": pooling})).pooling()


@pytest.mark.parametrize(
    "modules",
    [
        {"Transformer": "", "Pooling": "1_Pooling", "LayerNorm": "2_LayerNorm"},
        {"Transformer": "", "Pooling": "1_Pooling", "Dense": "2_Dense", "Normalize": "3_Normalize"},
        {"Transformer": "0_Transformer", "Pooling": "1_Pooling"},
        {"Transformer": ""},
    ],
)
def test_other_modules_are_not_built_here(modules: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(OtherKindError, match="pooling"):
        TransformersFolder(write_model(tmp_path, modules=listed(modules))).pooling()


def test_pooling_is_read_where_the_list_of_modules_says(tmp_path: Path) -> None:
    modules = listed({"Transformer": "", "Pooling": "2_Pooling"})
    folder = write_model(tmp_path, modules=modules, **{"2_Pooling__config": {"pooling_mode": "cls"}})
    assert TransformersFolder(folder).pooling() == "cls"


def test_without_a_list_of_modules_the_rest_of_what_sentence_transformers_saves_does_not_count(tmp_path: Path) -> None:
    own = {"prompts": {"query": "frage: "}}
    folder = write_model(tmp_path, config_sentence_transformers=own, sentence_bert_config={"max_seq_length": 9})
    (folder / "modules.json").unlink()
    found = TransformersFolder(folder)
    assert (found.pooling(), found.max_sequence(), found.prompts()) == ("mean", 128, {})


def test_the_length_is_read_under_its_older_names_too(tmp_path: Path) -> None:
    folder = write_model(tmp_path, sentence_roberta_config={"max_seq_length": 40})
    assert TransformersFolder(folder).max_sequence() == 40


def tokenizer_changed(folder: Path, **sections: object) -> None:
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | sections), encoding="utf-8")


CASED = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": False}


@pytest.mark.parametrize(
    ("normaliser", "config", "is_built"),
    [
        (CASED | {"strip_accents": None}, {"do_lower_case": False}, True),
        (CASED | {"strip_accents": None}, {"tokenizer_class": "PreTrainedTokenizerFast"}, True),
        (CASED | {"strip_accents": None}, {}, False),
        (CASED | {"strip_accents": True}, {"do_lower_case": False}, False),
        ({"type": "Lowercase"}, {}, False),
        (None, {}, False),
    ],
)
def test_a_tokenizer_that_transformers_reads_otherwise_than_it_says_is_not_built_here(
    normaliser: object, config: dict[str, object], is_built: bool, tmp_path: Path
) -> None:
    folder = write_model(tmp_path, tokenizer_config=config)
    tokenizer_changed(folder, normalizer=normaliser)
    if is_built:
        assert TransformersFolder(folder).layers == 2
        return
    with pytest.raises(OtherKindError, match="tokenizer"):
        TransformersFolder(folder)


def test_a_tokenizer_that_puts_nothing_around_a_text_is_not_built_here(tmp_path: Path) -> None:
    folder = write_model(tmp_path)
    tokenizer_changed(folder, post_processor=None)
    with pytest.raises(OtherKindError, match="tokenizer"):
        TransformersFolder(folder)


PLACES = {
    "models--intfloat--multilingual-e5-base/snapshots/d13f1b27baf3": E5,
    "multilingual-e5-small": E5,
    "e5-trials/all-MiniLM-L6-v2": ("", ""),
}


@pytest.mark.parametrize(("place", "prompts"), PLACES.items(), ids=PLACES)
def test_prompts_go_by_what_a_model_is_called(place: str, prompts: tuple[str, str], tmp_path: Path) -> None:
    made = read_prepared(prepare(str(write_model(tmp_path / place)), str(tmp_path / "data")))
    assert made is not None
    assert (made.query_prompt, made.document_prompt) == prompts


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("place", PLACES)
def test_every_engine_puts_the_same_prompts_before_a_text(place: str, tmp_path: Path) -> None:
    model, data = str(write_model(tmp_path / place)), str(tmp_path)
    prepare(model, data)
    fast, reference = (
        open_embedder(EmbeddingOptions(engine=engine, model=model), data)
        for engine in ("onnx", "sentence-transformers")
    )
    assert fast.embed_query("wer") @ reference.embed_query("wer") > 0.99  # one prompt more or less: 0.92
    assert fast.embed_documents(["wer"])[0] @ reference.embed_documents(["wer"])[0] > 0.99
