"""Forks over the real graph and store: copied steps, changed state, the chain of digests, and who may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from appliance.domain import (
    Answer,
    Finding,
    PassageId,
    Plan,
    Principal,
    RunId,
    RunStatus,
    Strategy,
    Task,
    Usage,
)
from appliance.errors import NotFoundError, UserError
from appliance.forking import Forker, Present
from appliance.reasoning.assess import Assessment, assessed
from appliance.reasoning.forking import ForkChange
from appliance.reasoning.given_plan import plan_of_text
from appliance.reasoning.graph import build_graph
from appliance.reasoning.state import STATE_TYPES, Gathered, Limits, Outcome, State, Try, first_state
from appliance.store.checkpoints import SqliteCheckpointer
from appliance.store.events import EventLog
from appliance.store.history import History
from appliance.store.runs import NewRun, RunRecord, Runs
from appliance.store.serializer import JsonSerializer
from appliance.store.spending import Spending
from appliance.store.sqlite import Database
from appliance.store.steering import Steering

CALL = Usage(calls=1, prompt_tokens=100, completion_tokens=10)
LIMITS = Limits(max_steps=5, max_seconds=60, max_llm_tokens=10_000)
CHAIN = Plan(
    tasks=(Task(id=1, question="Who made X?"), Task(id=2, question="Where is {1}?", depends_on=(1,)))
)
KNOWN = {"Who made X?": "Orbis", "Where is Orbis?": "Leeds", "When was Orbis founded?": "1987"}


class Steps:
    """Answers from a dictionary; writes down what was asked, and tells its searches."""

    def __init__(self, events: EventLog, run: RunId) -> None:
        self.events, self.run, self.log, self.elapsed = events, run, list[str](), 0.0

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage]:
        self.log.append(f"plan {question}")
        return CHAIN, CALL

    def gather(self, hand: tuple[Try, ...], state: State) -> tuple[tuple[Try, ...], tuple[Gathered, ...]]:
        brought: list[Gathered] = []
        for one in hand:
            self.events.emit(
                self.run, "passages.found", {"task": one.task.id, "passages": [], "degraded": []}
            )
            passages = (PassageId(10 * one.task.id + one.number),)
            brought.append(
                Gathered(
                    attempt=one.attempt,
                    task_id=one.task.id,
                    number=one.number,
                    asked=one.asked,
                    tactic=one.tactic,
                    passages=passages,
                    fresh=1,
                )
            )
        return tuple(one for one in hand if one.task.id), tuple(brought)

    def read(self, one: Try, findings: tuple[Finding, ...]) -> tuple[Outcome, Usage]:
        self.log.append(one.asked)
        answer = KNOWN.get(one.asked, "")
        finding = Finding(task_id=one.task.id, question=one.asked, found=bool(answer), answer=answer)
        return Outcome(attempt=one.attempt, task_id=one.task.id, number=one.number, finding=finding), CALL

    def assess(self, state: State) -> Assessment:
        return assessed(state)

    def conclude(self, state: State, findings: tuple[Finding, ...]) -> tuple[Answer, Usage]:
        found = [finding.answer for finding in (*state["earlier"], *findings) if finding.found]
        missing = tuple(one.missing for one in findings if not one.found)
        return Answer(status=RunStatus.ANSWERED, answer="; ".join(found), missing=missing), CALL

    def seconds(self) -> float:
        self.elapsed += 1.5
        return self.elapsed


class Desk:
    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "assay.db")
        self.events = EventLog(self.database)
        self.runs = Runs(self.database, self.events)
        self.history = History(self.database)
        self.saver = SqliteCheckpointer(self.database, JsonSerializer(STATE_TYPES))
        self.forker = Forker(self.database, self.runs, self.events, self.saver, self.now())

    def now(self) -> Present:
        return Present(config_digest="now", model_digests=lambda name: {"llm": name}, limits=self.limits)

    def limits(self, run: RunRecord) -> Limits:
        return msgspec.structs.replace(LIMITS, max_steps=run.options.max_steps or LIMITS.max_steps)

    def ask(self, user: str = "ann") -> RunRecord:
        principal = Principal(user=user, groups=("everyone", "board"))
        return self.runs.create(
            NewRun(
                question="q",
                collection="c",
                principal=principal,
                config_digest="cd",
                model_digests={"llm": "ab"},
            )
        )

    def work(self, run: RunRecord, most: int = 99) -> Steps:
        """Works on the run, for so many rounds."""
        steps = Steps(self.events, run.id)
        graph = build_graph(steps, self.saver)
        config: Any = {"configurable": {"thread_id": run.id}}
        known = graph.get_state(config).values
        steps.elapsed = known.get("seconds", 0.0)
        first: Any = None if known else first_state(run.question, LIMITS)
        for count, _ in enumerate(graph.stream(first, config, durability="sync"), start=1):
            if count == most:
                return steps
        state = graph.get_state(config).values
        self.runs.finish(run.id, state["answer"], state["usage"], {"seconds": state["seconds"]})
        return steps

    def finished(self) -> RunRecord:
        run = self.ask()
        self.work(run)
        return self.runs.get(run.id)

    def spoil(self, sql: str, *values: str) -> None:
        with self.database.transaction() as connection:
            assert connection.execute(sql, values).rowcount == 1


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.database.close()


def test_steps_are_numbered_and_say_what_ran(desk: Desk):
    steps = desk.history.steps(desk.finished().id)
    assert [step.number for step in steps] == list(range(12))
    names = ["", "plan", "choose", "gather", "read", "assess", "choose", "gather", "read", "assess"]
    assert [",".join(step.nodes) for step in steps] == [*names, "choose", "conclude"]
    assert [step.event_seq for step in steps] == [0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3, 3]


def test_the_same_again_from_a_step_pays_only_for_the_rest(desk: Desk):
    run = desk.finished()
    child = desk.forker.fork(run.id, "ann", step=5, change=ForkChange())
    assert (child.parent, child.status, child.groups) == (run.id, RunStatus.RUNNING, run.groups)
    assert (child.config_digest, child.model_digests) == ("now", {"llm": "c"})
    steps = desk.work(child)
    assert steps.log == ["Where is Orbis?"]
    done = desk.runs.get(child.id)
    assert done.answer == run.answer
    before, after = desk.history.steps(run.id), desk.history.steps(child.id)
    assert [step.digest for step in before[:6]] == [step.digest for step in after[:6]]
    assert before[6].digest != after[6].digest
    assert desk.history.verify(child.id).holds
    assert desk.history.verify(run.id).holds
    assert desk.runs.forks_of(run.id) == [child.id]


def test_another_plan_keeps_the_findings_of_unchanged_tasks(desk: Desk):
    run = desk.finished()
    plan = plan_of_text('{"tasks":[{"question":"Who made X?"},{"question":"When was {1} founded?"}]}')
    child = desk.forker.fork(run.id, "ann", step=11, change=ForkChange(plan=plan))
    assert desk.work(child).log == ["When was Orbis founded?"]
    answer = desk.runs.get(child.id).answer
    assert answer is not None
    assert answer.answer == "Orbis; 1987"
    kinds = [event.kind for event in desk.events.after(child.id)]
    assert kinds == [*["passages.found"] * 3, "run.forked", "plan.made", "passages.found"]


def test_another_question_is_planned_anew_with_what_was_found_at_hand(desk: Desk):
    run = desk.finished()
    child = desk.forker.fork(run.id, "ann", step=5, change=ForkChange(question="q2"))
    assert child.question == "q2"
    assert desk.work(child).log == ["plan q2", "Who made X?", "Where is Orbis?"]
    answer = desk.runs.get(child.id).answer
    assert answer is not None
    assert answer.answer.startswith("Orbis; Orbis")


def test_options_guidance_and_limits_go_into_the_fork(desk: Desk):
    run = desk.finished()
    change = ForkChange(guidance="ignore news", strategy=Strategy.LEXICAL, max_steps=1)
    child = desk.forker.fork(run.id, "ann", change=change)
    assert (child.options.strategy, child.options.max_steps) == (Strategy.LEXICAL, 1)
    assert child.fork is not None
    assert child.fork.step == 1
    [row] = Steering(desk.database, desk.events).rows(child.id)
    assert (row.text, row.taken_at) == ("ignore news", None)
    [forked] = desk.events.after(child.id)
    assert forked.data["changes"] == {"guidance": "ignore news", "strategy": "lexical", "max_steps": 1}
    assert desk.work(child).log == ["Who made X?"]
    assert desk.history.verify(child.id).holds


def test_a_running_run_is_forked_from_its_last_finished_step(desk: Desk):
    run = desk.ask()
    desk.work(run, most=4)
    child = desk.forker.fork(run.id, "ann", change=ForkChange())
    assert child.fork is not None
    assert child.fork.step == 4
    assert "is running: forked from a finished step of it, 4" in str(
        desk.events.after(child.id)[-1].data["note"]
    )
    assert desk.work(child).log == ["Where is Orbis?"]
    assert desk.runs.get(run.id).status is RunStatus.RUNNING


def test_who_may_fork_what(desk: Desk):
    run = desk.finished()
    with pytest.raises(NotFoundError, match="no run"):
        desk.forker.fork(run.id, "bob", change=ForkChange())
    with pytest.raises(NotFoundError, match="no run"):
        desk.forker.fork(RunId("r-0"), "ann", change=ForkChange())
    with pytest.raises(UserError, match="from step 11: choose 0 to 10; step 11 is its end"):
        desk.forker.fork(run.id, "ann", step=11, change=ForkChange(guidance="ignore news"))
    for step in (-1, 12, 99):
        with pytest.raises(UserError, match="choose 0 to 11"):
            desk.forker.fork(run.id, "ann", step=step, change=ForkChange(question="other"))
    with pytest.raises(UserError, match="has no stored step"):
        desk.forker.fork(desk.ask().id, "ann", change=ForkChange())
    assert len(desk.runs.list()) == 2


def test_a_fork_that_is_refused_leaves_nothing(desk: Desk):
    run = desk.finished()
    with pytest.raises(UserError, match="empty"):
        desk.forker.fork(run.id, "ann", change=ForkChange(guidance=" "))
    assert len(desk.runs.list()) == 1


def test_tampering_with_a_step_is_found(desk: Desk):
    run = desk.finished().id
    assert desk.history.verify(run).holds
    steps = desk.history.steps(run)
    where = "WHERE checkpoint_id = ?"
    desk.spoil(
        f"UPDATE checkpoints SET checkpoint = replace(checkpoint, 'Orbis', 'Acme') {where}",
        steps[5].checkpoint,
    )
    report = desk.history.verify(run)
    assert (report.holds, report.broken_at, report.reason) == (
        False,
        5,
        "its text is not the one that was stored",
    )


@pytest.mark.parametrize(
    ("number", "sql", "broken_at", "reason"),
    [
        (4, "DELETE FROM checkpoints WHERE checkpoint_id = ?", 5, "the step before it is missing"),
        (11, "DELETE FROM checkpoints WHERE checkpoint_id = ?", 11, "steps were removed or added"),
        (3, "UPDATE checkpoints SET digest = 'x' WHERE checkpoint_id = ?", 3, "not the one that was stored"),
        (3, "UPDATE checkpoints SET metadata = '{\"step\":3}' WHERE checkpoint_id = ?", 3, "not the one"),
        (3, "UPDATE checkpoints SET prev_digest = 'x' WHERE checkpoint_id = ?", 3, "does not follow"),
    ],
)
def test_what_breaks_a_chain(desk: Desk, number: int, sql: str, broken_at: int, reason: str):
    run = desk.finished().id
    desk.spoil(sql, desk.history.steps(run)[number].checkpoint)
    report = desk.history.verify(run)
    assert (report.holds, report.broken_at) == (False, broken_at)
    assert reason in report.reason


def test_an_exchanged_answer_is_found(desk: Desk):
    run = desk.finished().id
    desk.spoil("UPDATE runs SET answer = replace(answer, 'Leeds', 'York') WHERE id = ?", run)
    assert desk.history.verify(run).reason == "the run's answer is not the one of its last step"


def test_spending_is_added_up_from_runs_and_a_fork_pays_for_its_own_part(desk: Desk):
    run = desk.finished()
    spending = Spending(desk.database)
    first = spending.of("ann", "2000-01-01")
    assert (first.llm_tokens, first.retrievals) == (4 * 110, 3)
    desk.work(desk.forker.fork(run.id, "ann", step=5, change=ForkChange()))
    both = spending.of("ann", "2000-01-01")
    assert (both.llm_tokens, both.retrievals) == (6 * 110, 4)
    assert both.seconds > first.seconds
    assert spending.of("bob", "2000-01-01").llm_tokens == 0
    assert spending.of("ann", "2999-01-01").llm_tokens == 0


def test_an_unfinished_run_counts_and_yesterdays_part_of_it_does_not(desk: Desk):
    run = desk.ask()
    desk.work(run, most=4)
    spending = Spending(desk.database)
    assert spending.of("ann", "2000-01-01").llm_tokens == 2 * 110
    with desk.database.transaction() as connection:
        connection.execute("UPDATE runs SET created_at = '2001-01-01T00:00:00.000+00:00'")
        connection.execute(
            "UPDATE checkpoints SET checkpoint = json_set(checkpoint, '$.ts', '2001-01-01T00:00:00+00:00')"
        )
    desk.work(run)
    assert spending.of("ann", "2002-01-01").llm_tokens == 2 * 110
    assert spending.of("ann", "2000-01-01").llm_tokens == 4 * 110
