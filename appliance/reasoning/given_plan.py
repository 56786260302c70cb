"""A plan that a person wrote, as JSON: read, checked, and put into an order in which it can be done.

``{"tasks": [{"question": "Who made X?"}, {"question": "Where was {1} born?"}]}``; a task may name its
``tool`` and what it ``depends_on``. Every fault is told with the task that has it.
"""

from __future__ import annotations

import msgspec

from appliance.domain import Plan, Task, Tool
from appliance.errors import ModelOutputError, UserError
from appliance.reasoning.plan import REFERENCE, validate

GIVEN_TASKS_MAX = 12
QUESTION_CHARS_MAX = 400
SHAPE = '{"tasks": [{"question": "Who made X?"}, {"question": "Where was {1} born?", "tool": "documents"}]}'


class GivenTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task as a person writes it; without an id its place in the list (from 1) is its number."""

    question: str
    tool: Tool = Tool.DOCUMENTS
    id: int | None = None
    depends_on: tuple[int, ...] = ()


class GivenPlan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole."""

    tasks: tuple[GivenTask, ...]


def plan_of_text(text: str | bytes) -> Plan:
    """The checked plan. Raises UserError: no such JSON, or what :func:`plan_of` finds."""
    try:
        return plan_of(msgspec.json.decode(text, type=GivenPlan))
    except msgspec.MsgspecError as error:
        raise UserError(f"the plan cannot be read: {error}", hint=f"write it like this: {SHAPE}") from error


def plan_of(given: GivenPlan) -> Plan:
    """The plan with its tasks numbered from 1 in an order in which they can be done; origin ``person``.

    Raises UserError: no tasks or too many, an empty or a doubled question, a number used twice, a reference
    to no task, tasks that wait for each other.
    """
    if not 1 <= len(given.tasks) <= GIVEN_TASKS_MAX:
        raise UserError(
            f"the plan has {len(given.tasks):,} tasks", hint=f"write 1 to {GIVEN_TASKS_MAX} tasks"
        )
    tasks: dict[int, GivenTask] = {}
    questions: dict[str, int] = {}
    for place, task in enumerate(given.tasks, start=1):
        number = task.id if task.id is not None else place
        if number in tasks:
            raise UserError(f"the plan has two tasks {number}", hint="number them from 1, or not at all")
        tasks[number] = task
        _check_question(number, task.question, questions)
    needs = {number: _needs(number, task, tasks) for number, task in tasks.items()}
    order = _ordered(needs)
    moved = {number: place for place, number in enumerate(order, start=1)}
    made = tuple(_moved(tasks[number], needs[number], moved, moved[number]) for number in order)
    try:
        return validate(Plan(tasks=made, origin="person"))
    except ModelOutputError as error:
        raise UserError(error.message, hint=error.hint) from error


def _check_question(number: int, question: str, seen: dict[str, int]) -> None:
    key = " ".join(question.split()).casefold()
    if not REFERENCE.sub("", key).strip(" ?？.。"):
        raise UserError(f"task {number} of the plan asks nothing", hint="write its question")
    if len(key) > QUESTION_CHARS_MAX:
        raise UserError(
            f"task {number} of the plan has {len(key):,} characters, more than {QUESTION_CHARS_MAX}",
            hint="split it",
        )
    if key in seen:
        raise UserError(f"tasks {seen[key]} and {number} of the plan are the same", hint="leave one out")
    seen[key] = number


def _needs(number: int, task: GivenTask, tasks: dict[int, GivenTask]) -> tuple[int, ...]:
    named = {int(found) for found in REFERENCE.findall(task.question)} | set(task.depends_on)
    if missing := sorted(named - tasks.keys()):
        raise UserError(
            f"task {number} of the plan refers to {missing[0]}, which is no task",
            hint=f"there are {', '.join(map(str, tasks))}",
        )
    return tuple(sorted(named))


def _ordered(needs: dict[int, tuple[int, ...]]) -> list[int]:
    """Each after what it needs, else as written. Raises UserError for a cycle."""
    order: list[int] = []
    while len(order) < len(needs):
        ready = [n for n in needs if n not in order and all(need in order for need in needs[n])]
        if not ready:
            stuck = ", ".join(str(number) for number in needs if number not in order)
            raise UserError(
                f"tasks {stuck} of the plan wait for each other",
                hint="a task may only use results of tasks that can be done before it",
            )
        order.append(ready[0])
    return order


def _moved(task: GivenTask, needs: tuple[int, ...], moved: dict[int, int], number: int) -> Task:
    question = REFERENCE.sub(lambda match: f"{{{moved[int(match.group(1))]}}}", task.question)
    return Task(
        id=number,
        question=" ".join(question.split()),
        tool=task.tool,
        depends_on=tuple(sorted(moved[need] for need in needs)),
    )
