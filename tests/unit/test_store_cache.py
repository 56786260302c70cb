from __future__ import annotations

import pickle
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from appliance.store.cache import DiskCache
from appliance.store.embedding_cache import EmbeddingCache

LIMIT = 1 << 24
FIRED: list[str] = []


def fire(what: str) -> None:
    FIRED.append(what)


class Bomb:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return fire, ("fired",)


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def cache(tmp_path: Path, warnings: list[str]) -> Iterator[DiskCache]:
    cache = DiskCache(tmp_path / "cache", LIMIT, warnings.append)
    yield cache
    cache.close()


def plant(folder: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(folder / "cache.db", isolation_level=None)) as connection:
        assert connection.execute(sql, values).rowcount == 1


def test_bytes_come_back_small_and_large_in_a_private_folder(cache: DiskCache, tmp_path: Path) -> None:
    items = {"small": b"\x00\x01", "large": bytes(100_000)}
    cache.put_many(items)
    assert cache.get_many(["small", "large", "none"]) == items
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o700


def test_a_planted_pickle_value_never_runs(cache: DiskCache, tmp_path: Path, warnings: list[str]) -> None:
    cache.put_many({"k": b"x", "other": b"y"})
    planted = pickle.dumps(Bomb())
    pickle.loads(planted)
    assert FIRED == ["fired"]
    plant(tmp_path / "cache", "UPDATE Cache SET mode = 4, value = ? WHERE key = 'k'", planted)
    assert cache.get_many(["k"]) == {}
    assert FIRED == ["fired"]
    assert len(warnings) == 1
    assert cache.get_many(["other"]) == {}, "the planted cache is thrown away whole"
    cache.put_many({"k": b"again"})
    assert cache.get_many(["k"]) == {"k": b"again"}


def test_a_planted_pickle_key_never_runs(cache: DiskCache, tmp_path: Path) -> None:
    cache.put_many({"k": b"x"})
    plant(tmp_path / "cache", "UPDATE Cache SET raw = 0, key = ?", pickle.dumps(Bomb()))
    FIRED.clear()
    with pytest.raises(Exception, match="pickled key"):
        list(cache._cache)
    assert FIRED == []


def test_a_row_cannot_name_a_file_outside(cache: DiskCache, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    cache.put_many({"k": b"x"})
    plant(tmp_path / "cache", "UPDATE Cache SET mode = 2, value = NULL, filename = '../secret'")
    cache._cache.delete("k")
    assert (tmp_path / "secret").exists()
    cache.put_many({"k": b"x"})
    plant(tmp_path / "cache", "UPDATE Cache SET mode = 2, value = NULL, filename = '../secret'")
    assert cache.get_many(["k"]) == {}


def test_objects_are_not_cached(cache: DiskCache) -> None:
    with pytest.raises(TypeError):
        cache._cache.set("k", object())
    with pytest.raises(TypeError):
        cache._cache.set(("a", 1), b"x")


def test_a_damaged_file_is_made_anew(tmp_path: Path, warnings: list[str]) -> None:
    with closing(DiskCache(tmp_path / "cache", LIMIT)) as cache:
        cache.put_many({"k": b"x"})
    for leftover in (tmp_path / "cache").iterdir():
        leftover.unlink()
    (tmp_path / "cache" / "cache.db").write_bytes(b"garbage" * 1000)
    with closing(DiskCache(tmp_path / "cache", LIMIT, warnings.append)) as cache:
        assert cache.get_many(["k"]) == {}
        cache.put_many({"k": b"y"})
        assert cache.get_many(["k"]) == {"k": b"y"}
    assert len(warnings) == 1


def test_vectors_come_back_exactly_and_by_model(cache: DiskCache) -> None:
    vectors = np.array([[0.1, -2.5], [3.0, 4.0]], dtype=np.float32)
    embeddings = EmbeddingCache(cache, "model-a", 2)
    embeddings.put_many("passage", ["甲", "b"], vectors)
    found = embeddings.get_many("passage", ["b", "none", "甲", "b"])
    assert {position: vector.tolist() for position, vector in found.items()} == {
        0: vectors[1].tolist(),
        2: vectors[0].tolist(),
        3: vectors[1].tolist(),
    }
    assert embeddings.get_many("query", ["b"]) == {}
    assert EmbeddingCache(cache, "model-b", 2).get_many("passage", ["b"]) == {}
    assert EmbeddingCache(cache, "model-a", 3).get_many("passage", ["b"]) == {}


def test_a_flipped_bit_is_a_miss(cache: DiskCache, tmp_path: Path) -> None:
    embeddings = EmbeddingCache(cache, "m", 1)
    embeddings.put_many("passage", ["a"], np.ones((1, 1), dtype=np.float32))
    ((key, value),) = cache.get_many([embeddings._key("passage", "a")]).items()
    cache.put_many({key: value[:-1] + bytes([value[-1] ^ 1])})
    assert embeddings.get_many("passage", ["a"]) == {}
