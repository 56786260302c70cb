"""What a fork changes of the state that it starts from: a pure function over the stored channels.

Arrives: the state after the chosen step and what a person wants otherwise. Leaves: an update, and the node
as whose work it is written, so that the graph goes on after that node.
"""

from __future__ import annotations

from typing import Any

import msgspec

from appliance.domain import Finding, Plan, Strategy, Struct
from appliance.reasoning.state import Limits, State, Update


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


def update_for(
    state: State, change: ForkChange, last_node: str | None, limits: Limits
) -> tuple[Update, str | None]:
    """(what to write, as which node), so that the graph goes on after that node.

    A branch has a question's whole budget of its own: ``limits`` count from here. Another question is
    planned anew, with what was found so far at hand; another plan keeps the findings of unchanged tasks.
    """
    update: Update = {"limits": _from_here(limits, state)}
    if change.question is not None:
        kept = tuple(finding for finding in state["findings"] if finding.found)
        nothing = {_OVERWRITE: ()}
        update |= {"question": change.question, "plan": None, "findings": (), **_AFRESH}
        update |= {"attempt": 0, "earlier": (*state["earlier"], *kept)}
        update |= {"gathered": nothing, "outcomes": nothing}
    if change.plan is not None:
        findings = () if change.question is not None else _still_valid(state, change.plan)
        # Numbered as a plan of its own: what the other plan's tasks gathered is not taken for this one's.
        attempt = 0 if change.question is not None else state["attempt"] + 1
        update |= {"plan": change.plan, "findings": findings, "attempt": attempt, **_AFRESH}
    if change.plan is not None:
        return update, "plan"
    return update, "__start__" if change.question is not None else last_node


_OVERWRITE = "__overwrite__"
"""LangGraph's mark for a value that replaces what a reducer would add to."""
_AFRESH: dict[str, Any] = {"stopped_by": "", "answer": None, "hand": ()}


def _from_here(limits: Limits, state: State) -> Limits:
    usage = state["usage"]
    tasks = {(one.attempt, one.task_id) for one in state["outcomes"]}
    return msgspec.structs.replace(
        limits,
        max_steps=limits.max_steps + len(tasks),
        max_seconds=limits.max_seconds + state["seconds"],
        max_llm_tokens=limits.max_llm_tokens + usage.prompt_tokens + usage.completion_tokens,
        max_retrievals=limits.max_retrievals + len(state["gathered"]),
    )


def _still_valid(state: State, plan: Plan) -> tuple[Finding, ...]:
    """Findings of tasks that stand in both plans alike, as all do that they build on."""
    before = {task.id: task for task in state["plan"].tasks} if state["plan"] else {}
    same: set[int] = set()
    for task in plan.tasks:
        if before.get(task.id) == task and all(need in same for need in task.depends_on):
            same.add(task.id)
    return tuple(finding for finding in state["findings"] if finding.task_id in same)
