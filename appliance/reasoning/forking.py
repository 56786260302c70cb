"""What a fork changes of the state that it starts from: a pure function over the stored channels.

Arrives: the state after the chosen step and what a person wants otherwise. Leaves: an update, and the node
as whose work it is written, so that the graph goes on after that node.
"""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.domain import Finding, Plan, Strategy, Struct
from appliance.reasoning.state import State, Update


class ForkChange(Struct, frozen=True, kw_only=True):
    """What a fork does otherwise than its parent; nothing: the same once more from there."""

    question: str | None = None
    guidance: str | None = None
    plan: Plan | None = None
    strategy: Strategy | None = None
    max_steps: int | None = None

    @property
    def restarts(self) -> bool:
        """Whether it can start from any step, also the last: it plans or works anew from there."""
        return self.question is not None or self.plan is not None

    def said(self) -> dict[str, object]:
        """What is changed, for the event."""
        given: dict[str, object] = {
            "question": self.question,
            "guidance": self.guidance,
            "plan": None if self.plan is None else [task.question for task in self.plan.tasks],
            "strategy": None if self.strategy is None else self.strategy.value,
            "max_steps": self.max_steps,
        }
        return {name: value for name, value in given.items() if value is not None}


def update_for(state: State, change: ForkChange, last_node: str | None) -> tuple[Update, str | None]:
    """(what to write, as which node); nothing to write: the graph goes on as it stood.

    Another question is planned anew, with what was found so far at hand; another plan keeps the findings of
    the tasks that it has unchanged.
    """
    update: Update = {}
    node = last_node
    if change.max_steps is not None:
        update["limits"] = msgspec.structs.replace(state["limits"], max_steps=change.max_steps)
    if change.question is not None:
        kept = tuple(finding for finding in state["findings"] if finding.found)
        update |= {"question": change.question, "plan": None, "findings": (), **_AFRESH}
        update |= {"attempt": 0, "earlier": (*state["earlier"], *kept)}
        node = "__start__"
    if change.plan is not None:
        findings = () if change.question is not None else _still_valid(state, change.plan)
        update |= {"plan": change.plan, "findings": findings, **_AFRESH}
        node = "plan"
    return update, node if update else None


_AFRESH: dict[str, Any] = {"stopped_by": "", "answer": None, "task_id": 0, "asked": "", "passage_ids": ()}


def _still_valid(state: State, plan: Plan) -> tuple[Finding, ...]:
    """Findings of tasks that stand in both plans alike, as all do that they build on."""
    before = {task.id: task for task in state["plan"].tasks} if state["plan"] else {}
    same: set[int] = set()
    for task in plan.tasks:
        if before.get(task.id) == task and all(need in same for need in task.depends_on):
            same.add(task.id)
    return tuple(finding for finding in state["findings"] if finding.task_id in same)
