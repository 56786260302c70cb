"""Plans of a run: a table first, routed to tools, and what they teach the collection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from appliance.config import Domains
from appliance.domain import Finding, Offer, Plan, Scope, Task, Tool
from appliance.planning import Planner, PlanningParts, derived, table_plan
from appliance.prompts import Prompts
from appliance.questions import QuestionReader
from appliance.reasoning.sound import sound_given
from appliance.reasoning.tools.derive import derive

GROWTH = "By what percentage did revenue grow from 2022 to 2023?"
CHANGED = "What changed in chapter 7 between the 2022 and the 2024 version of the travel policy?"
SCOPE = Scope(collection="c")


class Counts:
    """Outcomes as they are given, and those that are learnt."""

    def __init__(self, given: dict[tuple[str, str], tuple[int, int]] | None = None) -> None:
        self.given, self.learnt = given or {}, list[tuple[str, str, str, bool]]()

    def of(self, collection: str) -> dict[tuple[str, str], tuple[int, int]]:
        return self.given

    def learn(self, collection: str, kind: str, tool: str, *, worked: bool) -> None:
        self.learnt.append((collection, kind, tool, worked))


class Memory:
    """Remembers nothing, notes what is learnt."""

    def __init__(self) -> None:
        self.learnt: list[tuple[str, str, bool]] = []

    def offers(self, signature: str) -> Sequence[Offer]:
        return ()

    def learn(self, question: str, plan: Plan, *, worked: bool) -> bool:
        self.learnt.append((question, plan.origin, worked))
        return True


def planner(**parts: Any) -> Planner:
    read = QuestionReader(Domains()).read
    nothing: Any = None
    return Planner(PlanningParts(**parts), SCOPE, read=read, model=nothing, prompts=Prompts())


@pytest.mark.parametrize("question", [GROWTH, "2023年的营业收入比2022年增长了百分之几？"])
def test_a_calculation_is_tried_over_one_table_before_it_is_split(question: str) -> None:
    first, usage, _ = planner().plan(question, 0)
    assert [(task.tool, task.question) for task in first.tasks] == [(Tool.TABLE, question)]
    assert usage.calls == 0
    second, _, _ = planner().plan(question, 1)
    assert [task.tool for task in second.tasks] == [Tool.DOCUMENTS, Tool.DOCUMENTS, Tool.CALC]


def test_what_is_no_calculation_has_no_table() -> None:
    assert table_plan(CHANGED) is None
    assert table_plan("Who founded Corvane Hosting?") is None
    assert derived("What is the average revenue?") is None, "not all operands are named"
    assert derive("What is the average revenue?") is not None
    assert table_plan("What is the average revenue?") is not None, "the table may have them"


def test_a_difference_goes_to_its_tool_where_there_is_one() -> None:
    with_diff = frozenset({Tool.DOCUMENTS, Tool.CALC, Tool.DIFF})
    plan, _, routes = planner(tools=with_diff).plan(CHANGED, 0)
    assert (plan.tasks[0].tool, routes[1].tool) == (Tool.DIFF, Tool.DIFF)
    assert plan.tasks[0].versions is not None
    assert plan.tasks[0].versions.section == "chapter 7"
    without, _, _ = planner().plan(CHANGED, 0)
    assert without.tasks[0].tool is Tool.DOCUMENTS
    failed = Counts({("change", "diff"): (0, 60), ("change", "documents"): (30, 0)})
    learnt, _, _ = planner(tools=with_diff, counts=failed).plan(CHANGED, 0)
    assert learnt.tasks[0].tool is Tool.DOCUMENTS, "a tool that never worked here is left"


def test_outcomes_are_counted_for_the_tool_that_was_used() -> None:
    counts, memory = Counts(), Memory()
    made = planner(counts=counts, memory=memory, tools=frozenset({Tool.DOCUMENTS, Tool.DIFF}))
    plan, _, _ = made.plan(CHANGED, 0)
    found = Finding(task_id=1, question=CHANGED, found=True, answer="30 → 24")
    made.learn(CHANGED, plan, [found], {1: Tool.DIFF}, worked=True)
    made.learn(CHANGED, plan, [found], {}, worked=True)
    assert counts.learnt == [("c", "change", "diff", True)]
    assert memory.learnt == [], "what rules plan is planned again by rules"
    drafted = Plan(tasks=(Task(id=1, question="Who made X?"), Task(id=2, question="Where is {1}?")))
    made.learn("Where is the maker of X?", drafted, [], {}, worked=False)
    assert memory.learnt == [("Where is the maker of X?", "model", False)]


def test_a_persons_plan_is_repaired_but_never_thrown_away() -> None:
    tasks = (
        Task(id=1, question="Wer hat das Werk gebaut?"),
        Task(id=2, question="Wo steht {1}?", depends_on=(1,)),
    )
    given = Plan(tasks=tasks, origin="person")
    assert sound_given(given, "Where is it?", limit=12) == given
    doubled = Plan(
        tasks=(
            Task(id=1, question="Who built the plant?"),
            Task(id=2, question="Who built the plant"),
            Task(id=3, question="Where is {2}?", depends_on=(2,)),
        ),
        origin="person",
    )
    made = sound_given(doubled, "Where is the builder of the plant?", limit=12)
    assert [(task.id, task.question) for task in made.tasks] == [
        (1, "Who built the plant?"),
        (2, "Where is {1}?"),
    ]
    assert made.notes == ("task 2 asked what task 1 asks",)
    assert made.origin == "person"
