"""Plans: what code repairs, refuses and fills in, whatever the model drafted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from appliance.domain import Plan, Task, Tool, Usage
from appliance.errors import ModelOutputError
from appliance.reasoning.plan import DraftPlan, DraftTask, fill, make_plan, repair, splice, validate
from appliance.serving.scripted import ScriptedModel


class Counted:
    def __init__(self) -> None:
        self.usage = Usage()

    def add(self, usage: Usage) -> None:
        self.usage = self.usage.plus(usage)


def drafted(*questions: str, calc: int = 0) -> DraftPlan:
    return DraftPlan(
        tasks=[
            DraftTask(tool=Tool.CALC if n == calc else Tool.DOCUMENTS, question=q)
            for n, q in enumerate(questions, start=1)
        ]
    )


def test_a_chain_keeps_its_references_as_dependencies():
    plan = repair("q", drafted("Who made X?", "Where does {1} live?"))
    assert [(t.question, t.depends_on) for t in plan.tasks] == [
        ("Who made X?", ()),
        ("Where does {1} live?", (1,)),
    ]
    assert plan.origin == "model"


def test_a_reference_to_a_later_task_is_dropped_so_that_no_cycle_can_be():
    plan = repair("q", drafted("Where is {2}?", "Who leads {1}?"))
    assert plan.tasks[0] == Task(id=1, question="Where is ?")
    assert plan.tasks[1].depends_on == (1,)
    assert plan.origin == "repaired"


def test_duplicates_are_merged_and_references_follow():
    plan = repair("q", drafted("Who made X?", "who made x?", "Where does {2} live?"))
    assert [t.question for t in plan.tasks] == ["Who made X?", "Where does {1} live?"]


def test_a_calculation_over_nothing_is_dropped():
    plan = repair("q", drafted("Sales in 2020?", "Sales in 2021?", "5 * 3", calc=3))
    assert [t.tool for t in plan.tasks] == [Tool.DOCUMENTS, Tool.DOCUMENTS]


def test_one_task_left_is_the_question_itself():
    assert repair("the question", drafted("a", "A")).tasks == (Task(id=1, question="the question"),)


def test_a_reply_that_was_cut_becomes_the_simple_plan():
    from appliance.domain import Completion

    cut = Completion(text='{"tasks":[{"tool":"docu', usage=Usage(calls=1), finish_reason="length")
    meter = Counted()
    plan = make_plan("the question", model=ScriptedModel([cut]), meter=meter, instructions="split")
    assert (plan.origin, plan.tasks[0].question, meter.usage.calls) == ("simple", "the question", 1)


def test_a_plan_from_outside_with_a_dangling_reference_is_refused():
    with pytest.raises(ModelOutputError, match="task 1 refers to \\[2\\]"):
        validate(Plan(tasks=(Task(id=1, question="x {2}", depends_on=(2,)),)))


def test_results_are_filled_in_and_unknown_ones_left_to_be_seen():
    assert fill("Where is {1} of {2}?", {1: "Leeds"}) == "Where is Leeds of {2}?"


questions = st.lists(
    st.text(alphabet="ab {}123?", min_size=1, max_size=20).filter(lambda t: t.strip()), min_size=2, max_size=4
)


@given(questions)
def test_every_repaired_plan_is_valid(texts: list[str]):
    plan = repair("question", drafted(*texts))
    assert validate(plan) is plan
    assert [task.id for task in plan.tasks] == list(range(1, len(plan.tasks) + 1))


def test_a_task_that_joins_two_hops_is_unfolded_and_references_move_on():
    from appliance.domain import Completion

    draft = drafted("Who is the leader of the project that made X?", "Which medal did {1} win?")
    reply = Completion(text=json.dumps(to_builtins(draft)), usage=Usage(calls=1))
    meter = Counted()
    plan = make_plan("q", model=ScriptedModel([reply]), meter=meter, instructions="split")
    assert [(t.id, t.question, t.depends_on) for t in plan.tasks] == [
        (1, "Which project made X?", ()),
        (2, "Who is the leader of {1}?", (1,)),
        (3, "Which medal did {2} win?", (2,)),
    ]
    assert (plan.origin, meter.usage.calls) == ("repaired", 1)


def test_a_task_split_again_keeps_what_it_took_from_before():
    plan = repair("q", drafted("Who makes X?", "Who founded the firm that supplies {1}?", "Where is {2}?"))
    part = ["Which firm supplies ITEM-1?", "Who founded {1}?"]
    assert [(t.question, t.depends_on) for t in splice(plan, plan.tasks[1], part).tasks] == [
        ("Who makes X?", ()),
        ("Which firm supplies {1}?", (1,)),
        ("Who founded {2}?", (2,)),
        ("Where is {3}?", (3,)),
    ]
