from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.domain import Answer, Event, Principal, RunId, RunStatus, Usage
from appliance.errors import NotFoundError
from appliance.store.events import EventLog
from appliance.store.runs import NewRun, Runs
from appliance.store.sqlite import Database

NEW = NewRun(
    question="why?",
    collection="c",
    principal=Principal(user="ann", groups=("everyone", "board")),
    config_digest="cd",
    model_digests={"llm": "ab"},
)
ANSWER = Answer(status=RunStatus.ANSWERED, answer="because", missing=("x",))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "assay.db")
    yield database
    database.close()


@pytest.fixture
def events(database: Database) -> EventLog:
    return EventLog(database)


@pytest.fixture
def runs(database: Database, events: EventLog) -> Runs:
    return Runs(database, events)


def test_a_run_keeps_who_what_and_with_which_models(runs: Runs) -> None:
    run = runs.create(NEW)
    assert (run.status, run.user, run.groups) == (RunStatus.RUNNING, "ann", ("everyone", "board"))
    assert (run.config_digest, run.model_digests) == ("cd", {"llm": "ab"})
    assert runs.unfinished() == [run.id]
    runs.finish(run.id, ANSWER, Usage(calls=2, prompt_tokens=9), {"plan": 1.5})
    done = runs.get(run.id)
    assert (done.status, done.answer, done.timings) == (RunStatus.ANSWERED, ANSWER, {"plan": 1.5})
    assert done.usage == Usage(calls=2, prompt_tokens=9)
    assert runs.unfinished() == []


def test_another_users_run_is_not_known(runs: Runs) -> None:
    run = runs.create(NEW)
    assert [found.id for found in runs.list("ann")] == [run.id]
    assert runs.list("bob") == []
    with pytest.raises(NotFoundError):
        runs.get(run.id, "bob")


def test_a_failed_run_says_why_and_can_be_reopened(runs: Runs) -> None:
    run = runs.create(NEW)
    runs.fail(run.id, RunStatus.CANCELLED, "stopped")
    assert (runs.get(run.id).status, runs.get(run.id).error) == (RunStatus.CANCELLED, "stopped")
    runs.reopen(run.id)
    assert (runs.get(run.id).status, runs.get(run.id).error) == (RunStatus.RUNNING, "")


def test_events_are_numbered_per_run_and_stored(runs: Runs, events: EventLog) -> None:
    one, two = runs.create(NEW).id, runs.create(NEW).id
    numbers = [events.emit(run, "task.started", {"task": 1}).seq for run in (one, two, one)]
    assert numbers == [1, 1, 2]
    assert [event.data for event in events.after(one, 1)] == [{"task": 1}]
    with pytest.raises(NotFoundError):
        events.emit(RunId("r-none"), "x", {})


def test_a_follower_sees_what_was_and_what_comes_until_the_end(runs: Runs, events: EventLog) -> None:
    run = runs.create(NEW).id
    events.emit(run, "first", {})
    seen: list[Event] = []
    follower = threading.Thread(target=lambda: seen.extend(events.subscribe(run)))
    follower.start()
    events.emit(run, "second", {})
    runs.finish(run, ANSWER, Usage(), {})
    follower.join(timeout=5)
    assert not follower.is_alive()
    assert [event.kind for event in seen] == ["first", "second"]
    assert [event.kind for event in events.subscribe(run, after_seq=1)] == ["second"]


def test_waiting_ends_with_the_time(runs: Runs, events: EventLog) -> None:
    run = runs.create(NEW).id
    assert events.wait(run, 0, timeout_s=0.01) == []
    assert list(events.subscribe(run, stop=lambda: True)) == []
