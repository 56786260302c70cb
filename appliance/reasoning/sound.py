"""A plan made sound by code, whoever made it: no cycle, nothing dangling, nothing twice, not too much.

Arrives: any plan. Leaves: one that can be carried out in its order, with a note for whatever was changed.
"""

from __future__ import annotations

import re

import msgspec

from appliance.domain import Plan, Task, Tool
from appliance.reasoning.shapes import REFERENCE

TASKS_MAX = 6
_WORDS = re.compile(r"\{\d+\}|[㐀-鿿]|[^\W_㐀-鿿]+")
_NAMES = re.compile(r"(?<=[\w,] )[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ]{2,}")
"""Capitalised words within a sentence."""
_FIGURES = re.compile(r"\d+(?:\.\d+)?")
_EMPTY_WORDS = frozenset(
    "a an the of in on at by for from to with and or is was are were be been did does do has have "
    "had what which "
    "who whom whose when where why how much many it its this that there please tell me about 的 了 "
    "是 在 和 与 吗 "
    "什 么 哪 谁 何 时 里 个 些 有 多 少 几 呢".split()
)


def sound(plan: Plan, question: str, *, limit: int = TASKS_MAX) -> Plan:
    """The plan repaired, its tasks renumbered from 1 in an order in which they can be done.

    A plan of which one look-up is left is the question itself. ``notes`` tell every change in words.
    """
    notes = list(plan.notes)
    tasks = _unique_ids(plan.tasks, notes)
    if plan.origin == "model":
        tasks = _without_inventions(tasks, question, notes)
    tasks = _ordered(_attached(tasks, notes), notes)
    held = frozenset(plan.combine.of if plan.combine else ())
    tasks = _shorter(_without_doubles(tasks, held, notes), limit, notes)
    moved = {task.id: number for number, task in enumerate(tasks, start=1)}
    numbered = tuple(_moved(task, moved) for task in tasks)
    combine = plan.combine
    if combine and any(number not in moved for number in combine.of):
        combine = None
    elif combine:
        combine = msgspec.structs.replace(combine, of=tuple(moved[number] for number in combine.of))
    lone = len(numbered) == 1 and numbered[0].tool is Tool.DOCUMENTS and len(plan.tasks) > 1
    if not numbered or lone or (len(numbered) > 1 and not _speaks_of(numbered, question)):
        notes.append(
            "one look-up is left: the question itself" if lone else "the plan did not fit the question"
        )
        return Plan(tasks=(Task(id=1, question=question),), origin="simple", notes=tuple(notes))
    changed = len(notes) > len(plan.notes) and plan.origin == "model"
    origin = "repaired" if changed else plan.origin
    return msgspec.structs.replace(plan, tasks=numbered, combine=combine, origin=origin, notes=tuple(notes))


def sound_given(plan: Plan, question: str, *, limit: int) -> Plan:
    """A person's plan repaired; as it is where the repair would leave less than two of its tasks.

    Who wrote it knows what it has to do with the question: words that it shares with that are no test.
    """
    made = sound(plan, question, limit=limit)
    return plan if made.origin == "simple" else made


def _unique_ids(tasks: tuple[Task, ...], notes: list[str]) -> list[Task]:
    known: dict[int, Task] = {}
    for task in tasks:
        if not task.question.strip():
            notes.append(f"task {task.id} asked nothing")
        elif task.id in known:
            notes.append(f"task id {task.id} was used twice")
        else:
            known[task.id] = task
    return list(known.values())


def _without_inventions(tasks: list[Task], question: str, notes: list[str]) -> list[Task]:
    """Without names that the question does not know, and figures that nobody gave.

    The names are those of the examples that the model was shown; the figures stand beside a single result.
    """
    asked = question.casefold()
    kept: list[Task] = []
    for task in tasks:
        bare = REFERENCE.sub(" ", task.question)
        if task.tool is Tool.CALC:
            alone = len(set(REFERENCE.findall(task.question))) == 1
            strange = [number for number in _FIGURES.findall(bare) if alone and number not in asked]
        else:
            strange = [name for name in _NAMES.findall(bare) if name.casefold() not in asked]
        if strange:
            notes.append(f"task {task.id} brought in {strange[0]}, of which the question does not speak")
        else:
            kept.append(task)
    return kept


def _attached(tasks: list[Task], notes: list[str]) -> list[Task]:
    """Without references to tasks that are not there or to themselves."""
    ids = {task.id for task in tasks}
    kept: list[Task] = []
    for task in tasks:
        named = {int(found) for found in REFERENCE.findall(task.question)} | set(task.depends_on)
        if lost := {number for number in named if number not in ids or number == task.id}:
            notes.append(f"task {task.id} referred to {sorted(lost)}, which gives it nothing")
            task = _without(task, lost)
        needs = {int(found) for found in REFERENCE.findall(task.question)} | (set(task.depends_on) - lost)
        if task.tool is Tool.CALC and not needs:
            notes.append(f"task {task.id} computed from nothing")
            continue
        if re.search(r"\w", REFERENCE.sub("", task.question)) or needs:
            kept.append(msgspec.structs.replace(task, depends_on=tuple(sorted(needs))))
    return kept if len(kept) == len(tasks) else _attached(kept, notes)


def _ordered(tasks: list[Task], notes: list[str]) -> list[Task]:
    """In an order in which they can be done; of a cycle the first task goes without what it waits for."""
    left, done = list(tasks), list[Task]()
    while left:
        ready = next((task for task in left if {one.id for one in done} >= set(task.depends_on)), None)
        if ready is None:
            ready = left[0]
            waits = set(ready.depends_on) - {one.id for one in done}
            notes.append(f"task {ready.id} waited in a circle")
            left[0] = ready = _without(ready, waits)
        left.remove(ready)
        done.append(ready)
    return done


def _without_doubles(tasks: list[Task], held: frozenset[int], notes: list[str]) -> list[Task]:
    """Doubles merged; a look-up that another one asks in full, and that nothing builds on, left out."""
    same: dict[object, int] = {}
    moved: dict[int, int] = {}
    kept: list[Task] = []
    for task in tasks:
        task = _moved(task, moved, keep_id=True)
        words = _content(task.question)
        key = (task.tool, tuple(sorted(words)) or task.question, task.versions)
        if key in same and task.tool is not Tool.CALC:
            moved[task.id] = same[key]
            notes.append(f"task {task.id} asked what task {same[key]} asks")
            continue
        same[key] = task.id
        kept.append(task)
    needed = {need for task in kept for need in task.depends_on} | held
    slim: list[Task] = []
    for task in kept:
        words = _content(task.question)
        inside = any(words < _content(other.question) for other in kept if other is not task)
        if inside and task.id not in needed and task.tool is Tool.DOCUMENTS:
            notes.append(f"task {task.id} is part of another one")
            continue
        slim.append(task)
    return slim


def _shorter(tasks: list[Task], limit: int, notes: list[str]) -> list[Task]:
    """At most ``limit``: the first ones, whose results the later ones would have needed."""
    if len(tasks) <= limit:
        return tasks
    notes.append(f"{len(tasks)} tasks were planned, the first {limit} are kept")
    return tasks[:limit]


def _speaks_of(tasks: tuple[Task, ...], question: str) -> bool:
    """Whether the plan has anything of the question: not one of its words is nonsense."""
    asked = _content(question)
    return not asked or bool(asked & {word for task in tasks for word in _content(task.question)})


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORDS.findall(text.casefold()) if word not in _EMPTY_WORDS)


def _without(task: Task, numbers: set[int]) -> Task:
    text = REFERENCE.sub(
        lambda found: "" if int(found.group(1)) in numbers else found.group(0), task.question
    )
    return msgspec.structs.replace(
        task,
        question=" ".join(text.split()),
        depends_on=tuple(n for n in task.depends_on if n not in numbers),
    )


def _moved(task: Task, moved: dict[int, int], *, keep_id: bool = False) -> Task:
    text = REFERENCE.sub(
        lambda found: f"{{{moved.get(int(found.group(1)), int(found.group(1)))}}}", task.question
    )
    needs = tuple(sorted({moved.get(number, number) for number in task.depends_on}))
    number = task.id if keep_id else moved[task.id]
    return msgspec.structs.replace(task, id=number, question=text, depends_on=needs)
