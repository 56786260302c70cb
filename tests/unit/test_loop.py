"""The loop with scripted steps: order, bridging, the second plan, limits, and going on after a stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.domain import Answer, Finding, PassageId, Plan, RunStatus, Task, Usage
from appliance.reasoning.graph import build_graph
from appliance.reasoning.state import Limits, first_state
from appliance.store.checkpoints import SqliteCheckpointer
from appliance.store.serializer import JsonSerializer
from appliance.store.sqlite import Database

CALL = Usage(calls=1, prompt_tokens=100, completion_tokens=10)
LIMITS = Limits(max_steps=5, max_seconds=60, max_llm_tokens=10_000)
CHAIN = Plan(
    tasks=(Task(id=1, question="Who made X?"), Task(id=2, question="Where is {1}?", depends_on=(1,)))
)


class Scripted:
    """Steps that answer from a dictionary and write down what they were asked."""

    def __init__(self, answers: dict[str, str], *plans: Plan, fail_at: str = "") -> None:
        self.answers, self.plans, self.fail_at = answers, plans, fail_at
        self.log: list[str] = []

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage]:
        self.log.append(f"plan {attempt}")
        return self.plans[attempt], CALL

    def gather(self, task: Task, asked: str) -> tuple[PassageId, ...]:
        self.log.append(f"gather {asked}")
        return (PassageId(task.id),)

    def find(
        self, task: Task, asked: str, passages: tuple[PassageId, ...], findings: tuple[Finding, ...]
    ) -> tuple[Finding, Usage]:
        if asked == self.fail_at:
            self.fail_at = ""
            raise KeyboardInterrupt
        self.log.append(f"find {asked}")
        answer = self.answers.get(asked, "")
        missing = "" if answer else asked
        return Finding(
            task_id=task.id, question=asked, found=bool(answer), answer=answer, missing=missing
        ), CALL

    def conclude(
        self, question: str, plan: Plan, findings: tuple[Finding, ...], earlier: tuple[Finding, ...]
    ) -> tuple[Answer, Usage]:
        self.log.append("conclude")
        found = [finding.answer for finding in findings if finding.found]
        missing = tuple(finding.missing for finding in findings if not finding.found)
        return Answer(status=RunStatus.ANSWERED, answer="; ".join(found), missing=missing), Usage()


def run(steps: Scripted, limits: Limits = LIMITS):
    return build_graph(steps).invoke(first_state("q", limits))


def test_a_result_is_bridged_into_the_task_that_needs_it():
    steps = Scripted({"Who made X?": "Orbis", "Where is Orbis?": "Leeds"}, CHAIN)
    state = run(steps)
    assert state["answer"].answer == "Orbis; Leeds"
    assert steps.log[1:] == [
        "gather Who made X?",
        "find Who made X?",
        "gather Where is Orbis?",
        "find Where is Orbis?",
        "conclude",
    ]
    assert state["usage"] == Usage(calls=3, prompt_tokens=300, completion_tokens=30)


def test_a_missing_prerequisite_blocks_without_a_search_and_brings_one_second_plan():
    simple = Plan(tasks=(Task(id=1, question="whole"),), origin="simple")
    steps = Scripted({"whole": "Leeds"}, CHAIN, simple)
    assert run(steps)["answer"].answer == "Leeds"
    assert "gather Where is {1}?" not in steps.log
    assert steps.log.count("plan 1") == 1


def test_two_failed_plans_end_with_what_is_missing():
    simple = Plan(tasks=(Task(id=1, question="whole"),), origin="simple")
    assert run(Scripted({}, CHAIN, simple))["answer"].missing == ("whole",)


def test_one_look_up_that_found_nothing_is_not_split():
    simple = Plan(tasks=(Task(id=1, question="whole"),), origin="simple")
    steps = Scripted({}, simple, CHAIN)
    assert run(steps)["answer"].missing == ("whole",)
    assert not steps.log.count("plan 1")


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(max_steps=1, max_seconds=60, max_llm_tokens=10_000), "the limit of 1 steps"),
        (Limits(max_steps=5, max_seconds=60, max_llm_tokens=200), "the limit of 200 model tokens"),
        (Limits(max_steps=5, max_seconds=0, max_llm_tokens=10_000), "the limit of 0 seconds"),
    ],
)
def test_a_limit_ends_in_an_honest_partial_answer(limits: Limits, words: str):
    answer = run(Scripted({"Who made X?": "Orbis", "Where is Orbis?": "Leeds"}, CHAIN), limits)["answer"]
    assert f"not looked up: {words} was reached" in answer.missing[-1]


def test_a_stopped_run_goes_on_without_paying_twice(tmp_path: Path):
    database = Database(tmp_path / "assay.db")
    try:
        saver = SqliteCheckpointer(database, JsonSerializer([Limits]))
        steps = Scripted(
            {"Who made X?": "Orbis", "Where is Orbis?": "Leeds"}, CHAIN, fail_at="Where is Orbis?"
        )
        config = {"configurable": {"thread_id": "r-1"}}
        with pytest.raises(KeyboardInterrupt):
            build_graph(steps, saver).invoke(first_state("q", LIMITS), config)
        state = build_graph(steps, saver).invoke(None, config)
        assert state["answer"].answer == "Orbis; Leeds"
        assert steps.log.count("find Who made X?") == 1
        assert state["usage"].calls == 3
    finally:
        database.close()
