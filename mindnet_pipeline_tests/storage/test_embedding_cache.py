"""The cache of embeddings: what was made once is found again, by any process, after any crash."""

from __future__ import annotations

import subprocess
import sys
import threading
import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from mindnet_pipeline.core.ids import sha256
from mindnet_pipeline.storage.embedding_cache import EmbeddingCache, Vector


def hashes(*texts: object) -> list[str]:
    return [sha256(str(text)) for text in texts]


def vectors(*numbers: float) -> Vector:
    return np.array([[number, -number, 0.5] for number in numbers], np.float32)


def segments(data: Path) -> list[Path]:
    return list((data / "cache" / "embeddings").glob("*/*.parquet"))


def known(cache: EmbeddingCache, wanted: Sequence[str]) -> dict[str, float]:
    return {name: float(vector[0]) for name, vector in cache.get(wanted).items()}


@pytest.fixture(params=["folder", "memory URL"])
def data(request: pytest.FixtureRequest, quick_folder: Path) -> str:
    return str(quick_folder) if request.param == "folder" else f"memory://{uuid.uuid4().hex}"


class TestGetAndPut:
    def test_an_empty_cache_knows_nothing(self, data: str) -> None:
        assert EmbeddingCache(data, "m").get(hashes("a")) == {}
        assert EmbeddingCache(data, "m").get([]) == {}

    def test_a_vector_comes_back_exactly_in_another_process(self, data: str) -> None:
        made = np.random.default_rng(7).normal(size=(5, 384)).astype(np.float32)
        EmbeddingCache(data, "m").put(hashes(*range(5)), made)
        found = EmbeddingCache(data, "m").get(hashes(3, 1, "unbekannt", 3))
        assert found.keys() == set(hashes(3, 1))
        assert np.array_equal(found[hashes(3)[0]], made[3])
        assert found[hashes(3)[0]].dtype == np.float32

    def test_what_another_cache_put_later_is_found(self, data: str) -> None:
        reader = EmbeddingCache(data, "m")
        EmbeddingCache(data, "m").put(hashes("a"), vectors(1))
        assert known(reader, hashes("a", "b")) == {hashes("a")[0]: 1}
        EmbeddingCache(data, "m").put(hashes("b"), vectors(2))
        assert known(reader, hashes("a", "b")) == dict(zip(hashes("a", "b"), [1, 2], strict=True))

    def test_models_never_mix(self, data: str) -> None:
        EmbeddingCache(data, "a").put(hashes("x"), vectors(1))
        EmbeddingCache(data, "b").put(hashes("x"), vectors(2))
        assert known(EmbeddingCache(data, "a"), hashes("x")) == {hashes("x")[0]: 1}

    def test_nothing_to_put_makes_no_file(self, quick_folder: Path) -> None:
        EmbeddingCache(str(quick_folder), "m").put([], np.empty((0, 3), np.float32))
        assert segments(quick_folder) == []

    def test_vectors_of_a_big_segment_are_found_wherever_they_lie(self, data: str) -> None:
        made = np.arange(10_000, dtype=np.float32).reshape(5_000, 2)
        EmbeddingCache(data, "m").put(hashes(*range(5_000)), made)
        asked = hashes(0, 1_999, 2_000, 2_001, 4_000, 4_999)
        assert list(known(EmbeddingCache(data, "m"), asked).values()) == [0, 3_998, 4_000, 4_002, 8_000, 9_998]


class TestWhatIsRefused:
    def test_a_vector_that_is_not_finite(self, quick_folder: Path) -> None:
        with pytest.raises(ValueError, match="not finite"):
            EmbeddingCache(str(quick_folder), "m").put(hashes("a"), vectors(float("nan")))
        assert segments(quick_folder) == []

    def test_more_hashes_than_vectors(self, quick_folder: Path) -> None:
        with pytest.raises(ValueError, match="2 hashes for 1 vectors"):
            EmbeddingCache(str(quick_folder), "m").put(hashes("a", "b"), vectors(1))


class TestManySmallPuts:
    def test_they_are_merged_and_all_found(self, quick_folder: Path) -> None:
        cache = EmbeddingCache(str(quick_folder), "m")
        for number in range(100):
            cache.put(hashes(number), vectors(number))
        assert len(segments(quick_folder)) < 35
        expected = dict(zip(hashes(*range(100)), range(100), strict=True))
        assert known(cache, hashes(*range(100))) == expected
        assert known(EmbeddingCache(str(quick_folder), "m"), hashes(*range(100))) == expected

    def test_a_reader_that_started_before_the_merge_finds_all(self, quick_folder: Path) -> None:
        writer, reader = EmbeddingCache(str(quick_folder), "m"), EmbeddingCache(str(quick_folder), "m")
        for number in range(40):
            writer.put(hashes(number), vectors(number))
            assert len(known(reader, hashes(*range(number + 1)))) == number + 1

    def test_many_at_once_lose_nothing(self, quick_folder: Path) -> None:
        def put_many(start: int) -> None:
            cache = EmbeddingCache(str(quick_folder), "m")
            for number in range(start, start + 40):
                cache.put(hashes(number), vectors(number))

        threads = [threading.Thread(target=put_many, args=(start,)) for start in (0, 40, 80)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(known(EmbeddingCache(str(quick_folder), "m"), hashes(*range(120)))) == 120


def cut_short(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:50])


def overwrite_vectors(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-len(data) // 2] ^= 0xFF
    file.write_bytes(bytes(data))


def empty(file: Path) -> None:
    file.write_bytes(b"")


class TestADamagedSegment:
    """Its vectors are missing, so their texts are embedded again; all else goes on."""

    @pytest.fixture(params=[cut_short, overwrite_vectors, empty])
    def damaged(self, request: pytest.FixtureRequest, quick_folder: Path) -> Path:
        cache = EmbeddingCache(str(quick_folder), "m")
        cache.put(hashes("lost"), np.random.default_rng(1).normal(size=(1, 3000)).astype(np.float32))
        (file,) = segments(quick_folder)
        request.param(file)
        cache.put(hashes("kept"), np.full((1, 3000), 2, np.float32))
        return quick_folder

    def test_what_is_in_others_is_found(self, damaged: Path, caplog: pytest.LogCaptureFixture) -> None:
        assert known(EmbeddingCache(str(damaged), "m"), hashes("lost", "kept")) == {hashes("kept")[0]: 2}
        assert "damaged" in caplog.text

    def test_it_is_set_aside_and_said_once(self, damaged: Path, caplog: pytest.LogCaptureFixture) -> None:
        for _ in range(2):
            EmbeddingCache(str(damaged), "m").get(hashes("lost"))
        assert len(caplog.records) == 1
        assert len(list(damaged.glob("cache/embeddings/*/*.parquet.damaged"))) == 1

    def test_its_vectors_can_be_put_again(self, damaged: Path) -> None:
        cache = EmbeddingCache(str(damaged), "m")
        cache.get(hashes("lost"))
        cache.put(hashes("lost"), np.full((1, 3000), 3, np.float32))
        assert known(cache, hashes("lost")) == {hashes("lost")[0]: 3}

    def test_small_segments_are_merged_without_it(self, damaged: Path) -> None:
        cache = EmbeddingCache(str(damaged), "m")
        for number in range(80):
            cache.put(hashes(number), np.full((1, 3000), number, np.float32))
        assert len(segments(damaged)) < 35
        assert len(known(EmbeddingCache(str(damaged), "m"), hashes("kept", *range(80)))) == 81


def test_a_segment_that_cannot_be_read_just_now_is_not_set_aside(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    EmbeddingCache(str(quick_folder), "m").put(hashes("a"), vectors(1))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", _refuse)
        with pytest.raises(OSError, match="unplugged"):
            EmbeddingCache(str(quick_folder), "m").get(hashes("a"))
    assert known(EmbeddingCache(str(quick_folder), "m"), hashes("a")) == {hashes("a")[0]: 1}


def _refuse(*_arguments: object, **_named: object) -> None:
    raise OSError(5, "unplugged")


def test_a_killed_process_keeps_what_it_had_put(quick_folder: Path) -> None:
    code = (
        "import sys, numpy as np\n"
        "from mindnet_pipeline.storage.embedding_cache import EmbeddingCache\n"
        "cache, number = EmbeddingCache(sys.argv[1], 'm'), 0\n"
        "while True:\n"
        "    cache.put([f'{number:064x}'], np.full((1, 3), number, np.float32))\n"
        "    print(number, flush=True)\n"
        "    number += 1\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(quick_folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        done = [int(process.stdout.readline()) for _ in range(45)]
        process.kill()
    put = [f"{number:064x}" for number in done]
    assert known(EmbeddingCache(str(quick_folder), "m"), put) == dict(zip(put, done, strict=True))
