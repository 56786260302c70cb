"""Two tiers: what is kept comes back, from where it should, and only while it may be used."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.store.cache import DiskCache
from appliance.store.cache_counts import CacheCounts, Kind, KindCounts
from appliance.store.sqlite import Database
from appliance.store.tiers import Key, Tiers

LIMIT = 1 << 24


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "assay.db")
    yield database
    database.close()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[DiskCache]:
    disk = DiskCache(tmp_path / "kept", LIMIT)
    yield disk
    disk.close()


def tiers(database: Database, disk: DiskCache | None, clock: Clock, most: int = 2) -> Tiers:
    return Tiers(disk, CacheCounts(database), memory_entries=most, ttl_s=60, clock=clock)


def key(name: str, kind: Kind = Kind.SEARCH, collection: str = "c") -> Key:
    return Key(kind=kind, collection=collection, digest=name)


def counted(tiers: Tiers, kind: Kind = Kind.SEARCH) -> KindCounts:
    return next(one for one in tiers.counts.read() if one.kind is kind)


def test_memory_answers_first_then_disk_which_fills_memory_again(
    database: Database, disk: DiskCache, clock: Clock
) -> None:
    kept = tiers(database, disk, clock)
    for name in "abc":  # memory holds two: the first leaves it
        kept.put(key(name), name.encode())
    assert kept.sizes()[:2] == (2, 3)
    assert [kept.get(key(name)) for name in "aax"] == [b"a", b"a", None]
    assert counted(kept) == KindCounts(kind=Kind.SEARCH, memory=1, disk=1, miss=1, kept=3)
    assert counted(kept).hit_rate == pytest.approx(2 / 3)


def test_the_least_recently_used_leaves_memory(database: Database, clock: Clock) -> None:
    kept = tiers(database, None, clock)
    kept.put(key("a"), b"a")
    kept.put(key("b"), b"b")
    kept.get(key("a"))
    kept.put(key("c"), b"c")
    assert [kept.get(key(name)) for name in "abc"] == [b"a", None, b"c"]


def test_the_disk_tier_outlives_the_process(database: Database, disk: DiskCache, clock: Clock) -> None:
    tiers(database, disk, clock).put(key("a"), b"\x00\xff")
    assert tiers(database, disk, clock).get(key("a")) == b"\x00\xff"


def test_without_memory_the_disk_answers(database: Database, disk: DiskCache, clock: Clock) -> None:
    kept = tiers(database, disk, clock, most=0)
    kept.put(key("a"), b"a")
    assert [kept.get(key("a")), kept.get(key("a"))] == [b"a", b"a"]
    assert counted(kept).disk == 2


def test_an_entry_grows_too_old_in_both_tiers(database: Database, disk: DiskCache, clock: Clock) -> None:
    kept = tiers(database, disk, clock)
    kept.put(key("a"), b"a")
    clock.now += 60
    assert kept.get(key("a")) == b"a"
    clock.now += 0.1
    assert kept.get(key("a")) is None
    kept.put(key("b"), b"b")
    clock.now -= 3600
    assert kept.get(key("b")) is None, "kept in the future: the clock was wrong then or is wrong now"


def test_a_flipped_bit_is_a_miss(database: Database, disk: DiskCache, clock: Clock) -> None:
    tiers(database, disk, clock).put(key("a"), b"answer")
    name = str(key("a"))
    entry = disk.get_many([name])[name]
    for place in (0, 5, len(entry) - 1):
        flipped = bytearray(entry)
        flipped[place] ^= 1
        disk.put_many({name: bytes(flipped)})
        assert tiers(database, disk, clock).get(key("a")) is None
    disk.put_many({name: b"short"})
    assert tiers(database, disk, clock).get(key("a")) is None


def test_what_is_refused_is_gone_and_counts_as_no_hit(
    database: Database, disk: DiskCache, clock: Clock
) -> None:
    kept = tiers(database, disk, clock)
    kept.put(key("a"), b"a")
    assert kept.get(key("a"))
    kept.refuse(key("a"))
    assert kept.get(key("a")) is None
    assert (counted(kept).refused, counted(kept).hit_rate) == (1, 0.0)


def test_a_collection_or_a_kind_is_thrown_away_in_both_tiers(
    database: Database, disk: DiskCache, clock: Clock
) -> None:
    kept = tiers(database, disk, clock, most=10)
    keys = [key("a"), key("a", Kind.ANSWER), key("a", collection="d"), key("a", Kind.READING, "")]

    def fill() -> None:
        for one in keys:
            kept.put(one, b"x")

    fill()
    assert kept.forget(collection="c") == 2
    assert [bool(kept.get(one)) for one in keys] == [False, False, True, True]
    fill()
    assert kept.forget(kind=Kind.SEARCH) == 2
    assert [bool(kept.get(one)) for one in keys] == [False, True, False, True]
    fill()
    assert kept.forget(collection="c", kind=Kind.SEARCH) == 1
    fill()
    assert kept.forget() == 4
    assert kept.sizes()[:2] == (0, 0)


def test_counts_are_of_all_processes(database: Database, clock: Clock) -> None:
    first = tiers(database, None, clock)
    first.get(key("a"))
    first.counts.write()
    assert counted(tiers(database, None, clock)).miss == 1
    first.counts.forget()
    assert counted(first).miss == 0


def test_threads_share_it(database: Database, disk: DiskCache, clock: Clock) -> None:
    kept = tiers(database, disk, clock, most=5)
    wrong: list[str] = []

    def work(seed: int) -> None:
        for number in range(60):
            name = str((seed * 7 + number) % 11)
            if kept.get(key(name)) not in (None, name.encode()):
                wrong.append(name)
            kept.put(key(name), name.encode())

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert counted(kept).asked == 240
