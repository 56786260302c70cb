"""A run's plan: made, routed to tools, told; and what its outcome teaches the collection.

Beside steps. Arrives: a question and the attempt. Leaves: a sound plan whose tasks have their tools. A
calculation is tried over one table first, all of it by code, before it is split into look-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from appliance.calls import Tally
from appliance.domain import (
    DomainPack,
    Finding,
    Pattern,
    Plan,
    Reading,
    Scope,
    Task,
    Tool,
    Usage,
)
from appliance.ports import LanguageModel
from appliance.prompts import Prompts
from appliance.reasoning.patterns_change import changed
from appliance.reasoning.plan import make_plan, simple_plan
from appliance.reasoning.planning import SHAPED_CHARS, PlanMemory, Sources, catalogue_of, plan_for
from appliance.reasoning.route import Outcomes, Routed, question_type, route, routed_plan
from appliance.reasoning.sound import sound
from appliance.reasoning.tools.derive import derive
from appliance.tabling import asks_table


class Learning(PlanMemory, Protocol):
    """A plan memory that learns."""

    def learn(self, question: str, plan: Plan, *, worked: bool) -> bool:
        """Count how a plan did; whether it can be kept."""
        ...


class ToolCounts(Protocol):
    """How tools fared, by kind of question; of every collection."""

    def of(self, collection: str) -> Outcomes:
        """By kind and tool: tasks that worked, tasks that did not."""
        ...

    def learn(self, collection: str, kind: str, tool: str, *, worked: bool) -> None:
        """Count one task."""
        ...


class PlanningParts(msgspec.Struct, frozen=True, kw_only=True):
    """What planning draws on beside the model; each may be missing."""

    memory: Learning | None = None
    counts: ToolCounts | None = None
    packs: Mapping[str, DomainPack] = {}
    catalogue: Callable[[Scope], Sequence[str]] = lambda _: ()
    """Collections that the asker may read, each in a few words."""
    tools: frozenset[Tool] = frozenset((Tool.DOCUMENTS, Tool.CALC))
    """Those that there are here."""


class Planner:
    """Plans of one run."""

    def __init__(
        self,
        parts: PlanningParts,
        scope: Scope,
        *,
        read: Callable[[str], Reading],
        model: LanguageModel,
        prompts: Prompts,
        split: bool = True,
    ) -> None:
        """``scope``: of the asker in the collection; ``split`` False: every question is one look-up."""
        self._parts, self._scope, self._collection = parts, scope, scope.collection or ""
        self._read, self._model, self._prompts, self._split = read, model, prompts, split

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage, dict[int, Routed]]:
        """The plan of an attempt, what it cost, and where each of its tasks goes, and why."""
        reading, tally = self._read(question), Tally()
        if not self._split:
            return simple_plan(question), tally.usage, {}
        if table := table_plan(question):
            if attempt == 0:
                return table, tally.usage, {}
            attempt -= 1
        prompts, language = self._prompts, reading.language

        def draft(examples: str) -> Plan:
            return make_plan(
                question,
                model=self._model,
                meter=tally,
                instructions=prompts.text("plan", language),
                examples=examples,
                catalogue=catalogue_of(self._parts.catalogue(self._scope), language),
            )

        sources = Sources(
            memory=self._parts.memory,
            draft=draft,
            derive=derived,
            examples=prompts.text("plan_examples", language),
        )
        plan = plan_for(reading, attempt=attempt, sources=sources)
        routes = self._routes(plan)
        return routed_plan(plan, routes), tally.usage, routes

    def _routes(self, plan: Plan) -> dict[int, Routed]:
        counts = self._parts.counts
        outcomes: Outcomes = counts.of(self._collection) if counts else {}
        routes: dict[int, Routed] = {}
        for task in plan.tasks:
            reading = self._read(task.question)
            pack = self._parts.packs.get(reading.domain)
            routes[task.id] = route(task, reading, pack=pack, outcomes=outcomes, available=self._parts.tools)
        return routes

    def learn(
        self,
        question: str,
        plan: Plan,
        findings: Iterable[Finding],
        used: Mapping[int, Tool],
        *,
        worked: bool,
    ) -> None:
        """Teach the collection how the plan and the tools of its tasks did.

        ``used``: by task, what carried it out; ``worked``: answered in full, with proven claims.
        """
        tasks = {task.id: task for task in plan.tasks}
        if self._parts.counts is not None:
            for finding in findings:
                if (tool := used.get(finding.task_id)) is None or finding.task_id not in tasks:
                    continue
                kind = question_type(self._read(finding.question), tasks[finding.task_id])
                self._parts.counts.learn(self._collection, kind.value, tool.value, worked=finding.found)
        # What rules make of a question they make of it again: only drafted plans are worth remembering.
        if self._parts.memory is not None and len(plan.tasks) > 1 and plan.origin != "rules":
            self._parts.memory.learn(question, plan, worked=worked)


def table_plan(question: str) -> Plan | None:
    """The calculation over one table that a question asks for, as one task; None where it asks for none."""
    if len(question) > SHAPED_CHARS or changed(question) or not asks_table(question):
        return None
    task = Task(id=1, question=question, tool=Tool.TABLE)
    return Plan(tasks=(task,), origin="table", pattern=Pattern.CALCULATION)


def derived(question: str) -> Plan | None:
    """The plan of a calculation that names all its operands."""
    found = derive(question)
    if found is None or not found.complete():
        return None
    looked = [lookup.asked(chinese=found.chinese) for lookup in found.lookups()]
    tasks = [Task(id=number, question=asked) for number, asked in enumerate(looked, start=1)]
    needs = tuple(task.id for task in tasks)
    last = Task(id=len(tasks) + 1, question=found.expression(), tool=Tool.CALC, depends_on=needs)
    made = Plan(tasks=(*tasks, last), origin="rules", pattern=Pattern.CALCULATION)
    plan = sound(made, question, limit=len(made.tasks))
    return plan if plan.tasks[-1].tool is Tool.CALC else None
