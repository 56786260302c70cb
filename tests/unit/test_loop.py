"""The loop with scripted steps: order, waves, tactics, the second plan, limits, going on after a stop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from appliance.domain import Answer, Finding, PassageId, Plan, RunStatus, Task, Tool, Usage
from appliance.reasoning.assess import Assessment, assessed
from appliance.reasoning.continue_features import Features
from appliance.reasoning.continuing import Judge, Verdict, by_rules
from appliance.reasoning.graph import build_graph
from appliance.reasoning.state import (
    STATE_TYPES,
    Gathered,
    Limits,
    Outcome,
    State,
    Tactic,
    Try,
    first_state,
    planned,
)
from appliance.store.checkpoints import SqliteCheckpointer
from appliance.store.serializer import JsonSerializer
from appliance.store.sqlite import Database

CALL = Usage(calls=1, prompt_tokens=100, completion_tokens=10)
LIMITS = Limits(max_steps=5, max_seconds=60, max_llm_tokens=10_000)
CHAIN = Plan(
    tasks=(Task(id=1, question="Who made X?"), Task(id=2, question="Where is {1}?", depends_on=(1,)))
)
SIDES = Plan(
    tasks=(
        Task(id=1, question="Who made X?"),
        Task(id=2, question="Who made Y?"),
        Task(id=3, question="{1} - {2}", tool=Tool.CALC, depends_on=(1, 2)),
    )
)
WHOLE = Plan(tasks=(Task(id=1, question="whole"),), origin="simple")


class Scripted:
    """Steps that answer from a dictionary and write down what they were asked."""

    def __init__(
        self,
        answers: dict[str, str],
        *plans: Plan,
        fail_at: str = "",
        new_per_try: int = 1,
        elapsed: float = 0.0,
        judge: Judge = by_rules,
    ) -> None:
        self.answers, self.plans, self.fail_at, self.elapsed = answers, plans, fail_at, elapsed
        self.new_per_try, self.judge = new_per_try, judge
        self.assessed: list[Assessment] = []
        self.log: list[str] = []

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage]:
        self.log.append(f"plan {attempt}")
        return self.plans[attempt], CALL

    def gather(self, hand: tuple[Try, ...], state: State) -> tuple[tuple[Try, ...], tuple[Gathered, ...]]:
        self.log.append("gather " + " | ".join(f"{one.asked} ({one.tactic.value})" for one in hand))
        brought = tuple(
            Gathered(
                attempt=one.attempt,
                task_id=one.task.id,
                number=one.number,
                asked=one.asked,
                tactic=one.tactic,
                passages=(PassageId(10 * one.task.id + one.number),),
                fresh=self.new_per_try,
            )
            for one in hand
        )
        return tuple(one for one in hand if one.task.id), brought

    def read(self, one: Try, findings: tuple[Finding, ...]) -> tuple[Outcome, Usage]:
        if one.asked == self.fail_at:
            self.fail_at = ""
            raise KeyboardInterrupt
        self.log.append(f"read {one.asked}")
        answer, *others = self.answers.get(
            f"{one.asked} {one.number}", self.answers.get(one.asked, "")
        ).split("|")
        finding = Finding(
            task_id=one.task.id,
            question=one.asked,
            found=bool(answer),
            answer=answer,
            others=tuple(others),
            missing="" if answer else one.asked,
        )
        return Outcome(attempt=one.attempt, task_id=one.task.id, number=one.number, finding=finding), CALL

    def assess(self, state: State) -> Assessment:
        self.assessed.append(assessed(state, self.judge))
        return self.assessed[-1]

    def conclude(self, state: State, findings: tuple[Finding, ...]) -> tuple[Answer, Usage]:
        self.log.append("conclude")
        assert planned(state)
        found = [finding.answer for finding in findings if finding.found]
        missing = tuple(finding.missing for finding in findings if not finding.found)
        return Answer(status=RunStatus.ANSWERED, answer="; ".join(found), missing=missing), Usage()

    def seconds(self) -> float:
        return self.elapsed


def run(steps: Scripted, limits: Limits = LIMITS) -> State:
    return build_graph(steps).invoke(first_state("q", limits))


def test_a_result_is_bridged_into_the_task_that_needs_it():
    steps = Scripted({"Who made X?": "Orbis", "Where is Orbis?": "Leeds"}, CHAIN)
    state = run(steps)
    assert state["answer"] is not None
    assert state["answer"].answer == "Orbis; Leeds"
    assert steps.log[1:] == [
        "gather Who made X? (as asked) | q (as asked)",
        "read Who made X?",
        "gather Where is Orbis? (as asked)",
        "read Where is Orbis?",
        "conclude",
    ]
    assert state["usage"] == Usage(calls=3, prompt_tokens=300, completion_tokens=30)


def test_independent_tasks_are_in_hand_together_and_what_needs_them_comes_after():
    steps = Scripted({"Who made X?": "5", "Who made Y?": "3", "{1} - {2}": "2"}, SIDES)
    state = run(steps)
    assert steps.log[1].startswith("gather Who made X? (as asked) | Who made Y? (as asked)")
    assert steps.log.index("read {1} - {2}") > steps.log.index("read Who made Y?")
    assert [finding.task_id for finding in state["findings"]] == [1, 2, 3]


def test_what_was_not_found_is_looked_for_in_other_ways_beside_what_was():
    steps = Scripted({"Who made X?": "5", "Who made Y? 2": "3", "{1} - {2}": "2"}, SIDES)
    run(steps)
    gathers = [line for line in steps.log if line.startswith("gather")]
    assert gathers[1:3] == ["gather Who made Y? (deeper)", "gather Who made Y? (other words)"]
    assert steps.log.count("read Who made X?") == 1


def test_a_result_on_which_nothing_could_be_built_is_asked_for_once_more():
    steps = Scripted({"Who made X?": "Orbis", "Who made X? 3": "Brill", "Where is Brill?": "Leeds"}, CHAIN)
    answer = run(steps)["answer"]
    assert answer is not None
    assert answer.answer == "Brill; Leeds"
    assert "gather Who made X? (another answer)" in steps.log
    assert steps.log.count("read Where is Orbis?") == 3


def test_where_there_is_no_other_result_the_first_one_stays():
    steps = Scripted({"Who made X?": "Orbis"}, CHAIN, WHOLE)
    state = run(steps)
    assert [finding.answer for finding in state["earlier"]] == ["Orbis"]
    assert steps.log.count("gather Who made X? (another answer)") == 1


def test_tactics_end_where_nothing_new_is_brought_and_at_the_limit():
    plan = Plan(tasks=(Task(id=1, question="q"),), origin="simple")
    steps = Scripted({}, plan, new_per_try=0)
    run(steps)
    assert steps.log.count("read q") == 2
    steps = Scripted({}, plan)
    run(steps, msgspec.structs.replace(LIMITS, tries_per_task=1))
    assert steps.log.count("read q") == 1
    steps = Scripted({}, plan)
    run(steps, msgspec.structs.replace(LIMITS, max_retrievals=2))
    assert steps.log.count("read q") == 2


def test_a_missing_prerequisite_blocks_without_a_search_and_brings_one_second_plan():
    steps = Scripted({"whole": "Leeds"}, CHAIN, WHOLE)
    answer = run(steps)["answer"]
    assert answer is not None
    assert answer.answer == "Leeds"
    assert not any("{1}" in line for line in steps.log)
    assert steps.log.count("plan 1") == 1


def test_two_failed_plans_end_with_what_is_missing():
    answer = run(Scripted({}, CHAIN, WHOLE))["answer"]
    assert answer is not None
    assert answer.missing == ("whole",)


def test_one_look_up_that_found_nothing_is_not_split():
    steps = Scripted({}, WHOLE, CHAIN)
    answer = run(steps)["answer"]
    assert answer is not None
    assert answer.missing == ("whole",)
    assert not steps.log.count("plan 1")


@pytest.mark.parametrize(
    ("changed", "elapsed", "words"),
    [
        ({"max_steps": 1}, 0.0, "the limit of 1 steps"),
        ({"max_llm_tokens": 200}, 0.0, "the limit of 200 model tokens"),
        ({"max_retrievals": 2}, 0.0, "the limit of 2 retrievals"),
        ({}, 61.0, "the limit of 60 seconds"),
    ],
)
def test_a_limit_ends_in_an_honest_partial_answer(changed: dict[str, int], elapsed: float, words: str):
    steps = Scripted({"Who made X?": "Orbis", "Where is Orbis?": "Leeds"}, CHAIN, elapsed=elapsed)
    answer = run(steps, msgspec.structs.replace(LIMITS, **changed))["answer"]
    assert answer is not None
    assert f"not looked up: {words} was reached" in answer.missing[-1]


def test_of_names_listed_together_the_next_is_tried_without_reading_again():
    answers = {"Who made X?": "Nil|Orbis|Axon", "Where is Orbis?": "Leeds"}
    steps = Scripted(answers, CHAIN)
    answer = run(steps, msgspec.structs.replace(LIMITS, tries_per_task=2))["answer"]
    assert answer is not None
    assert answer.answer == "Orbis; Leeds"
    assert steps.log.count("read Who made X?") == 1
    assert not any("Axon" in line for line in steps.log)


CONFIG = {"configurable": {"thread_id": "r-1"}, "max_concurrency": 1}


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[SqliteCheckpointer]:
    database = Database(tmp_path / "assay.db")
    yield SqliteCheckpointer(database, JsonSerializer(STATE_TYPES))
    database.close()


def stopped_and_resumed(saver: SqliteCheckpointer, fail_at: str) -> tuple[Scripted, State]:
    """The steps and the end of a run that was interrupted once, where ``fail_at`` is read."""
    answers = {"Who made X?": "5", "Who made Y?": "3", "{1} - {2}": "2"}
    steps = Scripted(answers, SIDES, fail_at=fail_at)
    with pytest.raises(KeyboardInterrupt):
        build_graph(steps, saver).invoke(first_state("q", LIMITS), CONFIG)
    return steps, build_graph(steps, saver).invoke(None, CONFIG)


def test_a_stopped_run_goes_on_without_paying_twice(saver: SqliteCheckpointer):
    steps, state = stopped_and_resumed(saver, "{1} - {2}")
    assert state["answer"].answer == "5; 3; 2"
    assert steps.log.count("read Who made X?") == 1
    assert steps.log.count("read Who made Y?") == 1
    assert state["usage"].calls == 4
    kept = saver.get_tuple(CONFIG)
    assert kept is not None
    assert [one.tactic for one in kept.checkpoint["channel_values"]["gathered"]] == [Tactic.ASKED] * 4


def test_of_two_tasks_read_at_once_the_one_that_ended_is_not_read_again(saver: SqliteCheckpointer):
    steps, state = stopped_and_resumed(saver, "Who made Y?")
    assert state["answer"].answer == "5; 3; 2"
    assert steps.log.count("read Who made X?") == 1


def test_a_judge_that_holds_another_try_not_worth_it_ends_the_search_and_one_that_does_goes_on():
    answers = {"Who made X? 2": "Orbis", "Where is Orbis?": "Leeds"}

    def stops(features: Features) -> Verdict:
        return Verdict(task_id=0, tactic=features.tactic, goes_on=False, probability=0.01, reason="stops")

    steps = Scripted(answers, CHAIN, WHOLE, judge=stops)
    run(steps)
    assert steps.log.count("read Who made X?") == 1
    assert [(one.task_id, one.reason) for one in steps.assessed[0].verdicts] == [(1, "stops")]

    def goes_on(features: Features) -> Verdict:
        return Verdict(task_id=0, tactic=features.tactic, probability=0.9)

    steps = Scripted(answers, CHAIN, judge=goes_on)
    answer = run(steps)["answer"]
    assert answer is not None
    assert answer.answer == "Orbis; Leeds"
    assert [one.tactic for made in steps.assessed for one in made.verdicts] == [
        Tactic.DEEPER,
        Tactic.REWORDED,
    ]
