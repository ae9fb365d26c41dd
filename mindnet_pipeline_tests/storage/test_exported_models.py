"""Model folders of the kinds that are exported through torch: the vectors of sentence-transformers, without torch."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder
from mindnet_pipeline.storage.embedders.prepared import PreparedModel, read_prepared
from mindnet_pipeline.storage.embedders.preparing import prepare
from mindnet_pipeline.storage.embedders.sentence_transformers import SentenceTransformersEmbedder
from mindnet_pipeline.storage.embedders.sources import folder_stamp
from mindnet_pipeline_tests.storage.models import NO_NETWORK, write_json
from mindnet_pipeline_tests.storage.models import write_model as write_bert

TEXTS = ["a", "Die Notizen bleiben im Haus.", "Why notes rot", "kurz " * 110, "lang " * 300]


def described(folder: Path) -> PreparedModel:
    found = read_prepared(folder)
    assert found is not None
    return found


def mpnet(folder: Path) -> Path:
    from mindnet_pipeline_tests.storage.random_models import write_model  # noqa: PLC0415 - takes seconds

    return write_model(folder, "mpnet")


def plain(kind: str, pooling: object = "mean", **settings: object) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        from mindnet_pipeline_tests.storage.random_models import write_model  # noqa: PLC0415 - takes seconds

        return write_model(folder, kind, pooling, **settings)

    return write


def with_dense_module(folder: Path, **saved: object) -> Path:
    from mindnet_pipeline_tests.storage.random_models import write_model_with_dense  # noqa: PLC0415 - takes seconds

    return write_model_with_dense(folder, **saved)


def static(folder: Path) -> Path:
    from mindnet_pipeline_tests.storage.random_models import write_static_model  # noqa: PLC0415 - takes seconds

    return write_static_model(folder)


def sharded(folder: Path) -> Path:
    from transformers import AutoModel  # noqa: PLC0415 - takes seconds

    plain("bert")(folder)
    model = AutoModel.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="4MB")
    assert len(list(folder.glob("model-*.safetensors"))) > 1
    return folder


def in_a_bin(folder: Path) -> Path:
    import torch  # noqa: PLC0415 - takes seconds
    from safetensors.torch import load_file  # noqa: PLC0415

    plain("bert")(folder)
    weights = folder / "model.safetensors"
    torch.save(load_file(weights), folder / "pytorch_model.bin")
    weights.unlink()
    return folder


def in_half_precision(folder: Path) -> Path:
    import torch  # noqa: PLC0415 - takes seconds
    from transformers import AutoModel  # noqa: PLC0415

    plain("bert")(folder)
    AutoModel.from_pretrained(folder).to(torch.bfloat16).save_pretrained(folder)
    return folder


def without_tokenizer_json(folder: Path) -> Path:
    plain("bert")(folder)
    (folder / "tokenizer.json").unlink()
    assert (folder / "tokenizer_config.json").exists()
    return folder


def lower_cased(folder: Path) -> Path:
    write_json(plain("bert")(folder), sentence_bert_config={"max_seq_length": 64, "do_lower_case": True})
    return folder


def cut_at_the_left(folder: Path) -> Path:
    return settings_of_the_tokenizer(plain("qwen3", "lasttoken")(folder), truncation_side="left")


def cased_against_its_settings(folder: Path) -> Path:
    return settings_of_the_tokenizer(plain("bert")(folder), do_lower_case=False)


def settings_of_the_tokenizer(folder: Path, **changed: object) -> Path:
    settings = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
    write_json(folder, tokenizer_config=settings | changed)
    return folder


KINDS: dict[str, Callable[[Path], Path]] = {
    "MPNet": mpnet,
    "Electra": plain("electra"),
    "ALBERT": plain("albert"),
    "DeBERTa": plain("deberta-v2"),
    "ModernBERT": plain("modernbert", "cls"),
    "Nomic": plain("nomic_bert"),
    "Qwen3": plain("qwen3", "lasttoken"),
    "Llama": plain("llama", "weightedmean"),
    "Gemma3": plain("gemma3_text"),
    "T5": plain("t5"),
    "a dense module": with_dense_module,
    "shortened vectors": lambda folder: with_dense_module(folder, truncate_dim=12),
    "max": plain("bert", "max"),
    "mean and max": plain("bert", ("mean", "max")),
    "mean by the root of the length": plain("bert", "mean_sqrt_len_tokens"),
    "gelu_new": plain("bert", hidden_act="gelu_new"),
    "relu": plain("bert", hidden_act="relu"),
    "static": static,
    "sharded": sharded,
    "a .bin": in_a_bin,
    "half precision": in_half_precision,
    "no tokenizer.json": without_tokenizer_json,
    "lower-cased": lower_cased,
    "cut at the left": cut_at_the_left,
    "other settings of the tokenizer": cased_against_its_settings,
}


@pytest.mark.slow
@pytest.mark.parametrize("write", KINDS.values(), ids=KINDS)
def test_the_vectors_are_those_of_sentence_transformers(write: Callable[[Path], Path], tmp_path: Path) -> None:
    folder = str(write(tmp_path / "model"))
    exact = OnnxEmbedder(prepare(folder, str(tmp_path), near_enough=1.1))
    reference = SentenceTransformersEmbedder(folder)
    reference._model.float()
    assert (exact.dimension, exact.max_tokens) == (reference.dimension, reference.max_tokens)
    assert exact.count_tokens(TEXTS) == reference.count_tokens(TEXTS)
    assert np.abs(exact.embed_documents(TEXTS) - reference.embed_documents(TEXTS)).max() < 1e-4
    assert np.abs(exact.embed_query(TEXTS[-1]) - reference.embed_query(TEXTS[-1])).max() < 1e-4
    assert np.isfinite(exact.embed_documents(["", " "])).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["MPNet", "T5", "relu", "static"])
def test_in_eight_bits_they_are_near_those(kind: str, tmp_path: Path) -> None:
    folder = str(KINDS[kind](tmp_path / "model"))
    small = prepare(folder, str(tmp_path))
    assert described(small).precision == "int8"
    cosines = OnnxEmbedder(small).embed_documents(TEXTS) * SentenceTransformersEmbedder(folder).embed_documents(TEXTS)
    assert cosines.sum(axis=1).min() > 0.998


@pytest.mark.slow
def test_prompts_are_put_before_and_left_out_of_pooling_where_the_model_says_so(tmp_path: Path) -> None:
    prompts = {"query": "Frage nach Notizen: ", "document": "Notiz: "}
    folder = with_dense_module(tmp_path / "model", prompts=prompts, default_prompt_name="query")
    write_json(folder, **{"1_Pooling__config": {"embedding_dimension": 48, "include_prompt": False}})
    exact = OnnxEmbedder(prepare(str(folder), str(tmp_path), near_enough=1.1))
    reference = SentenceTransformersEmbedder(str(folder))
    assert exact.max_tokens == reference.max_tokens
    assert np.abs(exact.embed_documents(TEXTS) - reference.embed_documents(TEXTS)).max() < 1e-4
    assert np.abs(exact.embed_query("wer") - reference.embed_query("wer")).max() < 1e-4
    assert exact.embed_query("wer") @ exact.embed_documents(["wer"])[0] < 0.999


@pytest.mark.slow
def test_a_question_to_an_exported_model_needs_neither_torch_nor_transformers(tmp_path: Path) -> None:
    folder = str(mpnet(tmp_path / "model"))
    prepare(folder, str(tmp_path))
    code = (
        "import sys\nfrom mindnet_pipeline.settings import EmbeddingOptions\n"
        "from mindnet_pipeline.storage.embedders import open_embedder\n"
        f"engine = open_embedder(EmbeddingOptions(model={folder!r}), {str(tmp_path)!r})\n"
        "engine.embed_query('Wer?')\n"
        "heavy = ('torch', 'transformers', 'sentence_transformers', 'huggingface_hub', 'onnx', 'onnxscript', 'scipy')\n"
        "print(type(engine).__name__, [name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "OnnxEmbedder []"


@pytest.mark.slow
def test_exporting_asks_no_network(tmp_path: Path) -> None:
    command = [sys.executable, "-c", NO_NETWORK, "onnx", str(mpnet(tmp_path / "model")), str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == ""


@pytest.mark.slow
def test_exporting_reports_its_stages_to_the_end_and_leaves_nothing_else(tmp_path: Path) -> None:
    seen: dict[str, tuple[int, int]] = {}
    folder = prepare(
        str(mpnet(tmp_path / "model")), str(tmp_path), lambda what, done, of: seen.update({what: (done, of)})
    )
    assert len(seen) == 4
    assert all(done == total for done, total in seen.values())
    assert sorted(file.name for file in folder.iterdir()) == [
        "encoder.bin",
        "encoder.onnx",
        "model.json",
        "tokenizer.json",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["encoder.onnx", "encoder.bin", "tokenizer.json"])
def test_damage_to_an_exported_model_is_an_error_that_says_what_to_do(name: str, tmp_path: Path) -> None:
    folder = prepare(str(static(tmp_path / "model")), str(tmp_path))
    (folder / name).write_bytes((folder / name).read_bytes()[:-100])
    with pytest.raises(EmbedderError, match=r"damaged.*prepare_model"):
        OnnxEmbedder(folder).embed_query("wer")


@pytest.mark.slow
def test_a_graph_that_is_not_the_model_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = static(tmp_path / "model")
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds

    encode = SentenceTransformer.encode
    monkeypatch.setattr(SentenceTransformer, "encode", lambda self, texts, **named: -encode(self, texts, **named))
    with pytest.raises(EmbedderError, match="not those of the model"):
        prepare(str(folder), str(tmp_path))
    assert not list((tmp_path / "cache" / "models").iterdir())


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model-00002-of-00002.safetensors", "2_Dense/model.safetensors"])
def test_weights_wherever_they_are_tell_two_versions_apart(name: str, tmp_path: Path) -> None:
    folder = write_bert(tmp_path, modules=[{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}])
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / "model.safetensors").rename(folder / name)
    before = folder_stamp(folder)
    (folder / "README.md").write_text("not part of it", encoding="utf-8")
    assert folder_stamp(folder) == before
    file = folder / name
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    assert folder_stamp(folder) != before


@pytest.mark.slow
def test_one_number_changed_anywhere_in_a_bin_makes_it_another(tmp_path: Path) -> None:
    import torch  # noqa: PLC0415 - takes seconds

    folder = write_bert(tmp_path)
    weights = {"some": torch.zeros(1_000_000), "others": torch.ones(1_000_000)}
    torch.save(weights, folder / "pytorch_model.bin")
    before = folder_stamp(folder)
    weights["some"][654_321] = 1e-3
    torch.save(weights, folder / "pytorch_model.bin")
    assert folder_stamp(folder) != before


@pytest.mark.parametrize("damage", [b"", b"abc", b"version https://git-lfs.github.com/spec/v1", None])
def test_damaged_weights_are_named(damage: bytes | None, tmp_path: Path) -> None:
    file = write_bert(tmp_path) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100] if damage is None else damage)
    with pytest.raises(EmbedderError, match=rf"{file}.*cannot be read"):
        prepare(str(tmp_path), str(tmp_path / "data"))


def test_a_layer_that_is_not_in_the_weights_is_named(tmp_path: Path) -> None:
    folder = write_bert(tmp_path)
    write_json(folder, config=json.loads((folder / "config.json").read_text()) | {"num_hidden_layers": 3})
    with pytest.raises(EmbedderError, match=r"encoder\.layer\.2\."):
        prepare(str(folder), str(tmp_path / "data"))


def test_a_folder_without_weights_is_named(tmp_path: Path) -> None:
    (write_bert(tmp_path) / "model.safetensors").unlink()
    with pytest.raises(EmbedderError, match=f"{tmp_path}.*without weights"):
        prepare(str(tmp_path), str(tmp_path / "data"))


@pytest.mark.parametrize(
    "name", ["modules.json", "config_sentence_transformers.json", "sentence_bert_config.json", "config.json"]
)
@pytest.mark.parametrize("content", ["{,", "3"])
def test_settings_that_are_no_json_or_of_another_kind_are_named(name: str, content: str, tmp_path: Path) -> None:
    (write_bert(tmp_path) / name).write_text(content, encoding="utf-8")
    with pytest.raises(EmbedderError, match=f"{tmp_path}/{name}"):
        prepare(str(tmp_path), str(tmp_path / "data"))


@pytest.mark.parametrize(
    ("types", "settings", "reason"),
    [
        (["base.modules.router.Router"], {}, "different modules"),
        (["models.Asym"], {}, "different modules"),
        (["models.CLIPModel"], {}, "model of images"),
        (["sparse_encoder.models.SpladePooling"], {}, "other things than one vector"),
        (["models.Transformer"], {"model_type": "CrossEncoder"}, "other things than one vector"),
        (["models.Transformer", "custom_st.Pooling"], {}, "code of its own"),
    ],
)
def test_what_has_no_single_graph_is_refused_by_name_before_anything_is_loaded(
    types: list[str], settings: dict[str, str], reason: str, tmp_path: Path
) -> None:
    listed = [{"type": kind if kind.startswith("custom") else f"sentence_transformers.{kind}"} for kind in types]
    folder = write_bert(tmp_path, modules=listed, config_sentence_transformers=settings)
    with pytest.raises(EmbedderError, match=reason) as caught:
        prepare(str(folder), str(tmp_path / "data"))
    assert str(folder) in str(caught.value)
    assert types[0].rsplit(".", 1)[-1] in str(caught.value)


@pytest.mark.slow
def test_a_model_that_does_not_load_is_refused_with_the_reason_and_what_to_do(tmp_path: Path) -> None:
    folder = write_bert(tmp_path)
    write_json(folder, config={"model_type": "unheard-of", "auto_map": {"AutoModel": "code.Model"}})
    with pytest.raises(EmbedderError, match=r"unheard-of.*cannot be exported.*MINDNET_EMBEDDER=sentence-transformers"):
        prepare(str(folder), str(tmp_path / "data"))
