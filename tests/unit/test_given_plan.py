"""Plans from outside: read, ordered, and refused with the fault named."""

from __future__ import annotations

import json

import pytest

from appliance.domain import Task, Tool
from appliance.errors import UserError
from appliance.reasoning.given_plan import plan_of_text


def text(*tasks: object) -> str:
    return json.dumps({"tasks": tasks})


def test_a_plan_is_read_with_its_references():
    plan = plan_of_text(text({"question": "Who made X?"}, {"question": "Double {1}", "tool": "calc"}))
    assert plan.tasks == (
        Task(id=1, question="Who made X?"),
        Task(id=2, question="Double {1}", tool=Tool.CALC, depends_on=(1,)),
    )
    assert plan.origin == "person"


def test_tasks_are_put_in_an_order_in_which_they_can_be_done():
    plan = plan_of_text(text({"id": 7, "question": "Where is {9}?"}, {"id": 9, "question": "Who made X?"}))
    assert [(t.id, t.question, t.depends_on) for t in plan.tasks] == [
        (1, "Who made X?", ()),
        (2, "Where is {1}?", (1,)),
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        (text({"question": "a?", "tool": "shell"}), "cannot be read"),
        (text({"question": "a?", "when": 1}), "cannot be read"),
        (text(), "has 0 tasks"),
        (text(*({"question": f"q{n}?"} for n in range(40))), "has 40 tasks"),
        (text({"question": " ? "}), "task 1 of the plan asks nothing"),
        (text({"question": "a" * 500}), "500 characters"),
        (text({"question": "A?"}, {"question": " a? "}), "tasks 1 and 2 of the plan are the same"),
        (text({"id": 1, "question": "a?"}, {"id": 1, "question": "b?"}), "two tasks 1"),
        (text({"question": "a {5}?"}), "refers to 5, which is no task"),
        (text({"question": "a?", "depends_on": [3]}), "refers to 3, which is no task"),
        (text({"question": "a {2}?"}, {"question": "b {1}?"}), "tasks 1, 2 of the plan wait for each other"),
        (text({"question": "a {1}?"}), "wait for each other"),
    ],
)
def test_faults_are_named(given: str, said: str):
    with pytest.raises(UserError, match=said):
        plan_of_text(given)
