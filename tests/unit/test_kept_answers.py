"""Answers and conclusions come back while all they stand on does, and to those alone who may read it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from time import perf_counter

import msgspec
import pytest
from caching_world import ASKERS, World

from appliance.caching import AnswerCache, ConclusionCache
from appliance.caching.keys import plain
from appliance.domain import (
    Answer,
    Claim,
    ClaimKind,
    Finding,
    Fingerprint,
    RunId,
    RunStatus,
    Scope,
    Support,
    Tool,
)
from appliance.store.cache_counts import Kind

ANN, KIM = ASKERS["ann"], ASKERS["kim"]
RUN = RunId("r-1")
QUESTION = "When did the tram fares rise?"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    world.fares = world.add("The tram fares rose in May.", record="fares.txt")  # type: ignore[attr-defined]
    world.bridge = world.add("港口大桥于六月关闭。", record="bridge.txt")  # type: ignore[attr-defined]
    world.settle()
    yield world
    world.close()


def mark(world: World, record: str = "fares.txt") -> Fingerprint:
    row = world.database.one(
        "SELECT p.fingerprint FROM passages p JOIN documents d ON d.id = p.document_id"
        " WHERE d.record_id = ? ORDER BY p.id",
        (record,),
    )
    assert row is not None
    return Fingerprint(row[0])


def claim(world: World, **changed: object) -> Claim:
    made = Claim(
        text="The tram fares rose in May.",
        kind=ClaimKind.FACT,
        citations=(mark(world),),
        quote="The tram fares  rose in May.",
    )
    return msgspec.structs.replace(made, **changed)


def answer(world: World, **changed: object) -> Answer:
    made = Answer(
        status=RunStatus.ANSWERED,
        answer="The tram fares rose in May.",
        short="May",
        claims=(claim(world),),
        evidence=(mark(world), mark(world, "bridge.txt")),
    )
    return msgspec.structs.replace(made, **changed)


def answers(world: World, **changed: object) -> AnswerCache:
    return AnswerCache(world.tiers, world.keys, world.reader, **changed)  # type: ignore[arg-type]


def ask(cache: AnswerCache, scope: Scope = ANN, question: str = QUESTION) -> Answer | None:
    kept = cache.get(cache.key(question, scope), scope)
    return kept.answer if kept else None


def test_an_answer_comes_back_whole_and_at_once(world: World) -> None:
    cache = answers(world)
    assert cache.put(cache.key(QUESTION, ANN), answer(world), RUN)
    begun = perf_counter()
    kept = cache.get(cache.key(QUESTION, ANN), ANN)
    assert perf_counter() - begun < 0.05
    assert kept is not None
    assert (kept.answer, kept.run_id) == (answer(world), RUN)


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("When did the tram fares rise?", "  When did the  tram fares rise "),
        ("港口大桥何时关闭？", "港口大桥何时关闭"),
        ("When did fares rise in ２０２４?", "When did fares rise in 2024?"),
    ],
)
def test_what_means_nothing_does_not_tell_questions_apart(one: str, same: str) -> None:
    assert plain(one) == plain(same)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Who may enter the US?", "Who may enter the us?"),
        ("Is 10² enough?", "Is 102 enough?"),
        ("Did fares rise?", "Did the fares rise?"),
        ("?", "!?"),
    ],
)
def test_what_may_mean_something_does(one: str, other: str) -> None:
    assert plain(one) != plain(other) or one == "?"


def test_another_day_other_options_and_another_question_are_asked_anew(world: World) -> None:
    cache = answers(world, today=lambda: date(2026, 3, 1))
    cache.put(cache.key(QUESTION, ANN, 5), answer(world), RUN)
    assert cache.get(cache.key(QUESTION, ANN, 5, as_of="2026-03-01"), ANN)
    assert cache.get(cache.key(QUESTION, ANN, 4), ANN) is None
    assert cache.get(cache.key(QUESTION, ANN, 5, as_of="2026-03-02"), ANN) is None
    assert ask(cache, question="Why did the tram fares rise?") is None


def test_any_change_of_the_collection_makes_it_void(world: World) -> None:
    for change in (
        lambda: world.add("Other news.", record="news.txt"),
        lambda: world.describe(world.fares, published="2020"),  # type: ignore[attr-defined]
        lambda: world.settle(),
        lambda: world.describe(world.bridge, deny=("user:kim",)),  # type: ignore[attr-defined]
        lambda: world.describe(world.fares, groups=("board",)),  # type: ignore[attr-defined]
    ):
        cache = answers(world)
        cache.put(cache.key(QUESTION, ANN), answer(world), RUN)
        assert ask(cache) is not None
        change()
        assert ask(cache) is None


def test_an_answer_that_was_overtaken_is_never_found(world: World) -> None:
    cache = answers(world)
    key = cache.key(QUESTION, ANN)
    world.add("The tram fares rose again in June.", record="news.txt")
    cache.put(key, answer(world), RUN)
    assert ask(cache) is None


def test_a_forged_key_tells_nobody_what_they_may_not_read(world: World) -> None:
    cache = answers(world)
    world.describe(world.fares, groups=("staff",))  # type: ignore[attr-defined]
    key = cache.key(QUESTION, ANN)
    cache.put(key, answer(world), RUN)
    assert cache.get(key, KIM) is None
    assert cache.get(key, ANN) is None, "what was refused once is thrown away"
    counts = world.counts(Kind.ANSWER)
    assert (counts.refused, counts.miss) == (1, 1)


@pytest.mark.parametrize(
    "broken",
    [
        {"quote": "The tram fares fell in May."},
        {"citations": (Fingerprint("d-0#x#" + "0" * 64),)},
        {"citations": ()},
        {"support": Support.UNSUPPORTED},
    ],
)
def test_a_claim_that_does_not_stand_is_not_told_again(world: World, broken: dict[str, object]) -> None:
    cache = answers(world)
    cache.put(cache.key(QUESTION, ANN), answer(world, claims=(claim(world, **broken),)), RUN)
    assert ask(cache) is None


def test_the_judge_of_facts_is_asked_again(world: World) -> None:
    heard: list[str] = []

    def verify(fact: str, passages: str) -> bool:
        heard.append(fact)
        return "June" in passages

    cache = answers(world, verify=verify)
    cache.put(cache.key(QUESTION, ANN), answer(world), RUN)
    assert ask(cache) is None
    assert heard == ["The tram fares rose in May."]


def test_only_complete_answers_are_kept(world: World) -> None:
    cache = answers(world)
    key = cache.key(QUESTION, ANN)
    assert not cache.put(key, answer(world, status=RunStatus.PARTIAL), RUN)
    assert not cache.put(key, answer(world, status=RunStatus.INSUFFICIENT), RUN)
    assert not cache.put(key, answer(world, missing=("the month",)), RUN)
    assert not cache.put(key, answer(world), RUN, complete=False)
    assert ask(cache) is None
    assert world.counts(Kind.ANSWER).unfit == 4


def test_switched_off_nothing_is_found_and_nothing_kept(world: World) -> None:
    cache = AnswerCache(None, world.keys, world.reader)
    assert not cache.put(cache.key(QUESTION, ANN), answer(world), RUN)
    assert ask(cache) is None
    session = ConclusionCache(None, world.keys, world.reader).session(ANN)
    session.put(finding(world))
    assert session.get(QUESTION, task_id=1) is None


# ------------------------------------------------------------ conclusions
def finding(world: World, **changed: object) -> Finding:
    made = Finding(task_id=1, question=QUESTION, found=True, answer="May", claims=(claim(world),))
    return msgspec.structs.replace(made, **changed)


def conclusions(world: World) -> ConclusionCache:
    return ConclusionCache(world.tiers, world.keys, world.reader)


def test_a_conclusion_serves_another_run_as_its_own_task(world: World) -> None:
    conclusions(world).session(ANN).put(finding(world))
    again = conclusions(world).session(ANN).get("When did the tram fares rise", task_id=3)
    assert again == finding(world, task_id=3, question="When did the tram fares rise")


def test_what_was_not_found_and_what_was_computed_is_not_kept(world: World) -> None:
    session = conclusions(world).session(ANN)
    session.put(finding(world, found=False))
    session.put(finding(world, claims=()))
    session.put(finding(world), Tool.CALC)
    assert session.get(QUESTION, task_id=1) is None
    assert session.get(QUESTION, Tool.CALC, task_id=1) is None


def test_a_run_keeps_nothing_once_its_documents_changed(world: World) -> None:
    session = conclusions(world).session(ANN)
    world.add("The tram fares rose again in June.", record="news.txt")
    session.put(finding(world))
    assert conclusions(world).session(ANN).get(QUESTION, task_id=1) is None


def test_a_guided_run_uses_what_is_there_and_leaves_nothing(world: World) -> None:
    session = conclusions(world).session(ANN)
    session.stop_keeping()
    session.put(finding(world))
    assert session.get(QUESTION, task_id=1) is None
    conclusions(world).session(ANN).put(finding(world))
    assert session.get(QUESTION, task_id=1) is not None
    session.stop()
    assert session.get(QUESTION, task_id=1) is None


def test_conclusions_are_for_those_who_see_the_same(world: World) -> None:
    world.describe(world.fares, groups=("staff",))  # type: ignore[attr-defined]
    conclusions(world).session(ANN).put(finding(world))
    assert conclusions(world).session(KIM).get(QUESTION, task_id=1) is None
    assert conclusions(world).session(ANN).get(QUESTION, task_id=1) is not None
