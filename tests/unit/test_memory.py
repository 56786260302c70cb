"""Working memory is what the findings say, and what is left of the plan."""

from __future__ import annotations

import pytest

from appliance.domain import Claim, ClaimKind, Entity, Finding, Fingerprint, Plan, Task
from appliance.reasoning.memory import WorkingMemory, memory_of

PLAN = Plan(
    tasks=(
        Task(id=1, question="Who founded Orvane Works?"),
        Task(id=2, question="Where was {1} born?", depends_on=(1,)),
        Task(id=3, question="Who founded 泊澜工坊?"),
        Task(id=4, question="Compare {2} and {3}.", depends_on=(2, 3)),
    )
)


def names(text: str) -> list[Entity]:
    known = ("Orvane Works", "Tilda Maren", "Corrie", "泊澜工坊")
    return [Entity(text=name) for name in known if name in text]


def found(task: int, question: str, answer: str, *marks: str) -> Finding:
    claims = tuple(Claim(text=answer, kind=ClaimKind.FACT, citations=(Fingerprint(mark),)) for mark in marks)
    return Finding(task_id=task, question=question, found=True, answer=answer, claims=claims)


def lost(task: int, question: str) -> Finding:
    return Finding(task_id=task, question=question, found=False, missing=f"{question} — nothing")


FIRST = found(1, "Who founded Orvane Works?", "Tilda Maren", "d-1#a#1", "d-1#a#1", "d-2#a#2")
SECOND = found(2, "Where was Tilda Maren born?", "Corrie", "d-3#a#3")


def test_at_the_beginning_everything_is_pending() -> None:
    memory = memory_of(PLAN, ())
    assert memory == WorkingMemory(pending=PLAN.tasks)
    assert memory.confidence == 0.0


def test_names_conclusions_and_the_rest_of_the_plan() -> None:
    memory = memory_of(PLAN, (FIRST, SECOND), confidences={1: 0.6, 2: 0.9}, names_in=names)
    assert memory.entities == ("Orvane Works", "Tilda Maren", "Corrie")
    assert [(one.answer, one.sources) for one in memory.conclusions] == [
        ("Tilda Maren", ("d-1#a#1", "d-2#a#2")),
        ("Corrie", ("d-3#a#3",)),
    ]
    assert [task.id for task in memory.pending] == [3, 4]


def test_a_conclusion_is_no_surer_than_what_it_builds_on() -> None:
    memory = memory_of(PLAN, (FIRST, SECOND), confidences={1: 0.6, 2: 0.9})
    assert [one.confidence for one in memory.conclusions] == [0.6, 0.6]
    assert memory.confidence == 0.6
    alone = memory_of(PLAN, (FIRST, SECOND), confidences={2: 0.9})
    assert [one.confidence for one in alone.conclusions] == [1.0, 0.9]


@pytest.mark.parametrize(("given", "kept"), [(7.0, 1.0), (-1.0, 0.0)])
def test_confidence_is_a_share(given: float, kept: float) -> None:
    assert memory_of(PLAN, (FIRST,), confidences={1: given}).conclusions[0].confidence == kept


def test_what_builds_on_something_missing_is_out_of_reach() -> None:
    memory = memory_of(PLAN, (lost(1, "Who founded Orvane Works?"),), names_in=names)
    assert memory.missing == ("Who founded Orvane Works? — nothing",)
    assert memory.out_of_reach == (2, 4)
    assert [task.id for task in memory.pending] == [3]
    assert memory.entities == ("Orvane Works",)
