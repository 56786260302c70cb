"""From a question to sub-tasks: rules unfold what is nested, else the model drafts and code repairs.

Arrives: a question and how it reads. Leaves: a :class:`Plan` whose tasks stand in an order in which
they can be done; cycles, dangling references and duplicates never leave this file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated

import msgspec

from appliance.domain import Pattern, Plan, Prompt, Struct, Task, Tool
from appliance.errors import ModelOutputError
from appliance.ports import LanguageModel, Meter
from appliance.reasoning.shapes import REFERENCE as REFERENCE
from appliance.reasoning.unfold import unfold

_ITEM = re.compile(r"ITEM-(\d+)")
PLAN_TOKENS = 280
TASKS_MAX = 6
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=220)]


class DraftTask(Struct, frozen=True, kw_only=True):
    """One sub-task as the model writes it. Its position (from 1) is its number."""

    tool: Tool
    question: Text


class DraftPlan(Struct, frozen=True, kw_only=True):
    """The schema that the planner's reply is held to."""

    tasks: Annotated[list[DraftTask], msgspec.Meta(min_length=2, max_length=4)]


class LoosePlan(Struct, frozen=True, kw_only=True):
    """What a reply is read as: a model that is not held to the schema may write more tasks."""

    tasks: list[DraftTask]


def simple_plan(question: str) -> Plan:
    """Return one task: the question itself."""
    return Plan(tasks=(Task(id=1, question=question),), origin="simple")


def make_plan(
    question: str,
    *,
    model: LanguageModel,
    meter: Meter,
    instructions: str,
    examples: str = "",
    catalogue: str = "",
) -> Plan:
    """Return the model's plan, repaired by code; a plan that cannot be read becomes the simple one.

    ``instructions`` stay the same from call to call, so that their state is reused; ``examples`` (of the
    question's pattern) and ``catalogue`` (what collections there are) come after them.

    A small model often joins two hops into one task: such a task is unfolded by rules.
    """
    prompt = Prompt(
        system=instructions, user="\n\n".join(filter(None, (examples, catalogue, f"Q: {question}")))
    )
    completion = model.complete(prompt, max_tokens=PLAN_TOKENS, schema=DraftPlan)
    meter.add(completion.usage)
    try:
        plan = repair(question, msgspec.json.decode(completion.text, type=LoosePlan))
    except msgspec.MsgspecError:
        return simple_plan(question)
    for task in reversed(plan.tasks):  # from the end: the numbers before a split do not move
        if task.tool is Tool.DOCUMENTS and len(plan.tasks) > 1:
            plan = splice(plan, task, unfold(REFERENCE.sub(r"ITEM-\1", task.question)))
    return plan


def unfolded_plan(question: str) -> Plan | None:
    """Return the look-ups of a nested question, in order; None where it has no such shape."""
    return chain_plan(unfold(question))


def chain_plan(lookups: Sequence[str]) -> Plan | None:
    """Return the plan of look-ups that build on one another; None where there are none."""
    tasks = tuple(_numbered(number, Tool.DOCUMENTS, text) for number, text in enumerate(lookups, start=1))
    return Plan(tasks=tasks, origin="rules", pattern=Pattern.CHAIN) if tasks else None


def splice(plan: Plan, task: Task, lookups: Sequence[str]) -> Plan:
    """Return the plan with ``task`` replaced by look-ups, whose last one takes its place.

    In a look-up, ``{n}`` is the n-th of them and ``ITEM-n`` the result of task n of the plan.
    """
    more = len(lookups) - 1
    if more < 1 or len(plan.tasks) + more > TASKS_MAX:
        return plan
    at = task.id - 1
    inner = [
        _numbered(number + at, Tool.DOCUMENTS, _ITEM.sub(r"{\1}", _shift(lookup, at)))
        for number, lookup in enumerate(lookups, start=1)
    ]
    outer = [
        _numbered(later.id + more, later.tool, _shift(later.question, more, above=at))
        for later in plan.tasks[task.id :]
    ]
    return Plan(tasks=(*plan.tasks[:at], *inner, *outer), origin="repaired")


def _shift(question: str, by: int, *, above: int = 0) -> str:
    """The question with every reference to a task after ``above`` moved on by ``by``."""

    def moved(match: re.Match[str]) -> str:
        number = int(match.group(1))
        return f"{{{number + by if number > above else number}}}"

    return REFERENCE.sub(moved, question)


def _numbered(number: int, tool: Tool, question: str) -> Task:
    needs = tuple(sorted({int(found) for found in REFERENCE.findall(question)}))
    return Task(id=number, question=question, tool=tool, depends_on=needs)


def repair(question: str, draft: DraftPlan | LoosePlan) -> Plan:
    """Return a valid plan: duplicates merged, forward and dangling references dropped, calc checked.

    A reference may only point back, so a repaired plan is a DAG in topological order by construction.
    """
    tasks: list[Task] = []
    moved: dict[int, int] = {}
    seen: dict[str, int] = {}
    changed = False
    for position, drafted in enumerate(draft.tasks, start=1):
        text, whole = _redirect(" ".join(drafted.question.split()), moved)
        key = text.casefold()
        needs = tuple(sorted({int(number) for number in REFERENCE.findall(text)}))
        tool = (
            drafted.tool if drafted.tool is Tool.CALC else Tool.DOCUMENTS
        )  # routing chooses among the others
        useless = tool is Tool.CALC and not needs
        if key in seen or useless or not text:
            moved[position] = seen.get(key, len(tasks))
            changed = True
            continue
        changed = changed or not whole
        task = Task(id=len(tasks) + 1, question=text, tool=tool, depends_on=needs)
        tasks.append(task)
        moved[position] = seen[key] = task.id
    if not tasks:
        return simple_plan(question)
    if len(tasks) == 1:
        return Plan(tasks=(Task(id=1, question=question),), origin="model")
    return Plan(tasks=tuple(tasks), origin="repaired" if changed else "model")


def _redirect(text: str, moved: dict[int, int]) -> tuple[str, bool]:
    whole = True

    def replace(match: re.Match[str]) -> str:
        nonlocal whole
        target = moved.get(int(match.group(1)), 0)
        if target:
            return f"\0{target}\1"
        whole = False
        return ""

    # Marks in place of brackets: what is taken out of ``{2{2}}`` must not leave a reference behind.
    marked = REFERENCE.sub(replace, text.replace("\0", "").replace("\1", ""))
    bare = marked.replace("{", "").replace("}", "")
    return " ".join(bare.replace("\0", "{").replace("\1", "}").split()), whole


def validate(plan: Plan) -> Plan:
    """Return the plan unchanged, or raise ModelOutputError: for plans that come from outside."""
    known: set[int] = set()
    for task in plan.tasks:
        named = {int(number) for number in REFERENCE.findall(task.question)} | set(task.depends_on)
        if missing := named - known:
            raise ModelOutputError(
                f"task {task.id} refers to {sorted(missing)}, which no earlier task provides",
                hint="a task may only use results of tasks before it",
            )
        if task.id in known:
            raise ModelOutputError(f"task id {task.id} is used twice", hint="number the tasks from 1")
        known.add(task.id)
    return plan


def fill(question: str, results: dict[int, str]) -> str:
    """Return the question with every ``{n}`` replaced by the result of task n."""
    return REFERENCE.sub(lambda match: results.get(int(match.group(1)), match.group(0)), question)
