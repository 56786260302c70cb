"""A search answered from the cache is the search that would be made now, whatever happened in between."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from caching_world import ASKERS, World, read
from retrieval_fakes import ScriptedReranker

from appliance.caching import CachedSearcher, SearchCache
from appliance.domain import Comparison, Condition, Passage, Retrieval, Strategy
from appliance.store.tiers import Key, Tiers


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    world.add("The tram fares rose in May.", "The harbour bridge is closed.")
    world.add("票价在五月上调。", "港口大桥关闭。")
    world.settle()
    yield world
    world.close()


def untimed(found: Retrieval) -> Retrieval:
    return msgspec.structs.replace(found, timings_ms={})


def kept(found: Retrieval) -> bool:
    return "cache" in found.timings_ms


@pytest.mark.parametrize("seed", range(6))
def test_at_random_the_cache_answers_as_a_search_without_one(tmp_path: Path, seed: int) -> None:
    world, hits, happened = World(tmp_path, seed), 0, []
    questions = ["tram fares", "港口 票价", "大桥的潮位"]
    filters = [(), (Condition(field="published", comparison=Comparison.LEAST, values=("2015",)),)]
    for _ in range(4):
        world.add()
    world.settle()
    for _ in range(60):
        for _ in range(world.dice.randint(0, 1)):
            happened.append(world.mutate())
        for _ in range(world.dice.randint(2, 8)):
            question, asker = world.dice.choice(questions), world.dice.choice([*ASKERS])
            options = {"k": 5, "filters": world.dice.choice(filters)}
            options["strategy"] = world.dice.choice([Strategy.AUTO, Strategy.LEXICAL])
            answered = world.cached.search(question, ASKERS[asker], **options)  # type: ignore[arg-type]
            fresh = world.plain.search(question, ASKERS[asker], **options)  # type: ignore[arg-type]
            assert untimed(answered) == untimed(fresh), (question, asker, options, happened[-5:])
            hits += kept(answered)
    counts = world.counts()
    world.close()
    assert hits == counts.memory - counts.refused
    assert hits > 20, "or nothing was tested"
    assert len(set(happened)) >= 7, "so many kinds of change"


def test_the_same_question_is_searched_once_in_both_languages(world: World) -> None:
    for question in ("tram fares", "港口大桥"):
        first, again = (world.cached.search(question, ASKERS["ann"], k=5) for _ in range(2))
        assert [kept(first), kept(again)] == [False, True]
        assert again.hits
        assert untimed(first) == untimed(again)


def test_every_part_of_the_request_tells_searches_apart(world: World) -> None:
    ann = ASKERS["ann"]
    newest = (Condition(field="published", comparison=Comparison.LEAST, values=("2015",)),)
    tomorrow = msgspec.structs.replace(read("tram fares"), as_of="2026-03-02")
    first = world.add("Tram fares again.")
    world.settle()
    asked = [
        ("tram fares", ann, {"k": 5}),
        ("Tram fares", ann, {"k": 5}),
        ("tram fares", ann, {"k": 4}),
        ("tram fares", ann, {"k": 5, "strategy": Strategy.LEXICAL}),
        ("tram fares", ann, {"k": 5, "filters": newest}),
        ("tram fares", ann, {"k": 5, "reading": tomorrow}),
        ("tram fares", msgspec.structs.replace(ann, documents=(first,)), {"k": 5}),
    ]
    for question, scope, options in asked:
        assert not kept(world.cached.search(question, scope, **options))  # type: ignore[arg-type]
    for question, scope, options in asked:
        assert kept(world.cached.search(question, scope, **options))  # type: ignore[arg-type]


def test_askers_who_see_the_same_share_and_others_do_not(world: World) -> None:
    order = itertools.chain.from_iterable(itertools.repeat(("ann", "bob", "kim", "lee"), 2))
    shared = [kept(world.cached.search("tram fares", ASKERS[name], k=5)) for name in order]
    assert shared == [False] + [True] * 7, "no document names a group of theirs"
    world.describe(world.some(), deny=("chess",))  # type: ignore[arg-type]
    order = itertools.chain.from_iterable(itertools.repeat(("ann", "bob", "kim", "lee"), 2))
    shared = [kept(world.cached.search("tram fares", ASKERS[name], k=5)) for name in order]
    assert shared == [False, False, True, True] + [True] * 4, "chess tells bob and lee from the others"


def test_a_forged_key_shows_nothing_that_the_asker_may_not_read(world: World, tmp_path: Path) -> None:
    """Even where the key failed, what an entry names is read with the asker's permissions."""

    class OneKey(SearchCache):
        def key(self, scope: object, *parts: object) -> Key | None:
            return super().key(ASKERS["ann"], "always the same")

    searcher = CachedSearcher(world.parts(), OneKey(world.tiers, world.keys, world.reader))
    secret = world.add("Tram fares of the board.")
    world.describe(secret, groups=("staff",))
    world.settle()
    seen = searcher.search("tram fares", ASKERS["ann"], k=5)
    assert secret in {hit.passage.document_id for hit in seen.hits}
    other = searcher.search("tram fares", ASKERS["kim"], k=5)
    assert not kept(other)
    assert secret not in {hit.passage.document_id for hit in other.hits}
    assert world.counts().refused == 1


def test_a_reranker_that_is_missing_is_kept_only_as_the_configuration_has_it(world: World) -> None:
    ann = ASKERS["ann"]
    assert world.cached.search("tram", ann, k=3).degraded == (
        "no cross-encoder knows en: fusion order is final",
    )
    assert kept(world.cached.search("tram", ann, k=3))
    broken = world.parts(degraded=("the reranker could not be loaded",))
    searcher = CachedSearcher(broken, SearchCache(world.tiers, world.keys, world.reader))
    # Another installation of models would be another program; here only the question differs.
    assert not any(kept(searcher.search("fares", ann, k=3)) for _ in range(2))
    assert world.counts().unfit == 2


def test_another_cross_encoder_is_another_search(world: World) -> None:
    class Same(ScriptedReranker):
        def rerank(self, query: str, passages: object) -> list[float]:
            return [0.5 for _ in passages]  # type: ignore[attr-defined]

    reranker = Same({})
    searcher = CachedSearcher(
        world.parts(rerankers=[reranker]), SearchCache(world.tiers, world.keys, world.reader)
    )
    world.cached.search("tram", ASKERS["ann"], k=3)
    found = searcher.search("tram", ASKERS["ann"], k=3)
    assert not kept(found)
    assert found.degraded == ()
    again = searcher.search("tram", ASKERS["ann"], k=3)
    assert kept(again)
    assert [hit.rerank_score for hit in again.hits] == [hit.rerank_score for hit in found.hits]


def test_a_search_that_is_overtaken_by_a_change_is_never_found(world: World) -> None:
    reader, ann = world.reader, ASKERS["ann"]

    class Overtaken:
        """While the search runs, a document is made secret."""

        def passages(self, ids: object, scope: object) -> list[Passage]:
            found = reader.passages(ids, scope)  # type: ignore[arg-type]
            if found:
                world.describe(found[0].document_id, groups=("board",))
                world.settle()
            return found

        by_fingerprint = reader.by_fingerprint

    late = CachedSearcher(world.parts(reader=Overtaken()), SearchCache(world.tiers, world.keys, world.reader))
    stale = late.search("tram fares", ann, k=5)
    fresh = world.cached.search("tram fares", ann, k=5)
    assert not kept(fresh)
    assert untimed(fresh) != untimed(stale)
    assert untimed(fresh) == untimed(world.plain.search("tram fares", ann, k=5))


def test_a_damaged_entry_is_made_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.cached.search("tram", ASKERS["ann"], k=3)
    whole = Tiers.get
    monkeypatch.setattr(Tiers, "get", lambda self, key: whole(self, key) and b'{"hits": 3}')
    assert not kept(world.cached.search("tram", ASKERS["ann"], k=3))
    monkeypatch.undo()
    assert kept(world.cached.search("tram", ASKERS["ann"], k=3))
