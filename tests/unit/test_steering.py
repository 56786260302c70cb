"""What people say to a run: stored from any process, taken up once at a boundary, kept as the record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.config import Domains
from appliance.domain import Answer, Principal, RunStatus, SteerKind, Usage
from appliance.errors import CancelledError, NotFoundError, PausedError, UserError
from appliance.questions import QuestionReader
from appliance.steering import Steered
from appliance.store.events import EventLog
from appliance.store.runs import NewRun, RunRecord, Runs
from appliance.store.selecting import Selector
from appliance.store.sqlite import Database
from appliance.store.steering import MAX_WAITING, Steering, steering_of

READER = QuestionReader(Domains())
DONE = Answer(status=RunStatus.ANSWERED, answer="because")


class Desk:
    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "assay.db")
        self.events = EventLog(self.database)
        self.runs = Runs(self.database, self.events)
        self.steering = Steering(self.database, self.events)
        self.run = self.ask("What was the revenue in 2022?")

    def ask(self, question: str) -> RunRecord:
        new = NewRun(
            question=question, collection="c", principal=Principal(), config_digest="", model_digests={}
        )
        return self.runs.create(new)

    def steered(self) -> Steered:
        return Steered(self.run, self.steering, READER.read, Selector(self.database))

    def kinds(self) -> list[str]:
        return [event.kind for event in self.events.after(self.run.id)]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.database.close()


def test_guidance_is_taken_up_once_and_holds_after_a_crash(desk: Desk):
    desk.steering.guide(desk.run.id, "  ignore \n news ", "ann")
    steered = desk.steered()
    assert steered.guidance().wishes == ()
    steered.boundary(3)
    steered.boundary(4)
    assert desk.kinds() == ["guidance.taken"]
    [row] = desk.steering.rows(desk.run.id)
    assert (row.text, row.user, row.step, row.outcome) == ("ignore news", "ann", 3, "taken")
    assert [wish.names for wish in desk.steered().guidance().wishes] == [("news",)]


def test_the_event_says_how_the_words_were_taken_and_what_contradicts(desk: Desk):
    desk.steering.guide(desk.run.id, "only 2023, ignore drafts", "ann")
    desk.steered().boundary(1)
    [event] = desk.events.after(desk.run.id)
    assert event.data["by"] == "ann"
    assert [wish["aim"] for wish in event.data["wishes"]] == ["only", "avoid"]  # type: ignore[union-attr]
    [conflict] = event.data["conflicts"]  # type: ignore[misc]
    assert "2022" in str(conflict)
    assert [wish.names for wish in desk.steered().guidance().wishes] == [("draft",)]


def test_pause_and_resume(desk: Desk):
    desk.steering.pause(desk.run.id, "ann")
    with pytest.raises(PausedError, match=f"assay runs resume {desk.run.id}"):
        desk.steered().boundary(2)
    assert desk.kinds() == ["run.paused"]
    desk.runs.hold(desk.run.id)
    assert desk.runs.get(desk.run.id).status is RunStatus.PAUSED
    assert desk.runs.unfinished() == []
    desk.steering.resume(desk.run.id, "ann")
    desk.runs.reopen(desk.run.id)
    desk.steered().boundary(2)


def test_a_resume_overrules_a_pause_that_nobody_took_up(desk: Desk):
    desk.steering.pause(desk.run.id, "ann")
    desk.steering.resume(desk.run.id, "ann")
    desk.steered().boundary(0)
    assert [(row.kind, row.outcome) for row in desk.steering.rows(desk.run.id)] == [
        (SteerKind.PAUSE, "overruled: the run was resumed"),
        (SteerKind.RESUME, "taken"),
    ]


def test_a_cancel_outweighs_a_pause(desk: Desk):
    desk.steering.pause(desk.run.id, "ann")
    desk.steering.cancel(desk.run.id, "bob")
    with pytest.raises(CancelledError, match="by bob") as caught:
        desk.steered().boundary(2)
    assert not isinstance(caught.value, PausedError)


def test_another_process_writes_while_the_first_works(desk: Desk, tmp_path: Path):
    with desk.database.transaction():
        pass  # the first process has its writer open
    with steering_of(tmp_path) as (other, runs, _):
        other.guide(runs.get(desk.run.id).id, "ignore news", "ann")
    assert desk.steering.waiting(desk.run.id)
    desk.steered().boundary(1)
    with steering_of(tmp_path) as (other, _, _):
        assert other.rows(desk.run.id)[0].outcome == "taken"
    with pytest.raises(NotFoundError), steering_of(tmp_path / "none"):
        pass


def test_what_cannot_be_said_to_a_run(desk: Desk):
    steering, run = desk.steering, desk.run.id
    with pytest.raises(UserError, match="empty"):
        steering.guide(run, " ", "ann")
    with pytest.raises(UserError, match="1,500 characters"):
        steering.guide(run, "x" * 1500, "ann")
    for _ in range(MAX_WAITING):
        steering.guide(run, "ignore news", "ann")
    with pytest.raises(UserError, match="50 wishes wait"):
        steering.guide(run, "ignore news", "ann")
    desk.runs.finish(run, DONE, Usage(), {})
    for say in (
        lambda: steering.guide(run, "x", "ann"),
        lambda: steering.pause(run, "ann"),
        lambda: steering.cancel(run, "ann"),
    ):
        with pytest.raises(UserError, match="has ended: answered"):
            say()


def test_what_comes_after_the_answer_is_told_as_too_late(desk: Desk):
    desk.steering.guide(desk.run.id, "ignore news", "ann")
    desk.steered().ended()
    assert desk.kinds() == ["steering.late"]
    desk.steering.pause(desk.run.id, "ann")  # between that look and the answer
    desk.runs.finish(desk.run.id, DONE, Usage(), {})
    assert {row.outcome for row in desk.steering.rows(desk.run.id)} == {"too late: the run had its answer"}
    assert desk.steered().guidance().wishes == ()


def test_a_fork_inherits_what_was_taken_by_then(desk: Desk):
    for step, text in ((2, "ignore news"), (5, "only 2022")):
        desk.steering.guide(desk.run.id, text, "ann")
        desk.steered().boundary(step)
    child = desk.ask("again")
    desk.steering.inherit(desk.run.id, child.id, 4)
    assert [row.text for row in desk.steering.guidance(child.id)] == ["ignore news"]
