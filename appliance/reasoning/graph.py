# pyright: basic
"""The loop on one page: plan → (choose → gather → find)* → conclude; a plan that fails gets one successor.

Arrives: a question in the first state. Leaves: an answer in the last one. Each node is a pure function
``state → update`` over :class:`Steps`; LangGraph runs them and checkpoints after every one, so a killed
process goes on from the last finished step and pays for no model call twice.
"""

from __future__ import annotations

from time import monotonic
from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from appliance.domain import Answer, Finding, PassageId, Plan, Task, Usage
from appliance.reasoning.proceed import asked_question, blocked, next_task, unreached, worth_another_plan
from appliance.reasoning.state import State, Update, planned

Graph = CompiledStateGraph[State, None, State, State]


class Steps(Protocol):
    """What the loop needs done; the composition root provides it."""

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage]:
        """Split the question; on the second attempt, the other way round."""
        ...

    def gather(self, task: Task, asked: str) -> tuple[PassageId, ...]:
        """Retrieve passages for a task."""
        ...

    def find(
        self, task: Task, asked: str, passages: tuple[PassageId, ...], findings: tuple[Finding, ...]
    ) -> tuple[Finding, Usage]:
        """Read them."""
        ...

    def conclude(
        self, question: str, plan: Plan, findings: tuple[Finding, ...], earlier: tuple[Finding, ...]
    ) -> tuple[Answer, Usage]:
        """Write the answer; ``earlier`` is what a plan that failed had found."""
        ...


def build_graph(steps: Steps, checkpointer: BaseCheckpointSaver[Any] | None = None) -> Graph:  # noqa: C901
    """Return the compiled loop."""

    def plan(state: State) -> Update:
        begun = monotonic()
        made, usage = steps.plan(state["question"], state["attempt"])
        return {"plan": made, "findings": (), **_cost(state, usage, begun)}

    def choose(state: State) -> Update:
        task, limit = next_task(state)
        if task is None:
            return {"task_id": 0, "stopped_by": limit}
        return {"task_id": task.id, "asked": asked_question(task, state["findings"]), "stopped_by": ""}

    def gather(state: State) -> Update:
        begun = monotonic()
        task = _task(state)
        stuck = blocked(task, state["findings"])
        found = () if stuck else steps.gather(task, state["asked"])
        return {"passage_ids": found, **_cost(state, Usage(), begun)}

    def find(state: State) -> Update:
        begun = monotonic()
        task = _task(state)
        stuck = blocked(task, state["findings"])
        finding, usage = (
            (stuck, Usage())
            if stuck
            else steps.find(task, state["asked"], state["passage_ids"], state["findings"])
        )
        return {"findings": (*state["findings"], finding), **_cost(state, usage, begun)}

    def replan(state: State) -> Update:
        kept = tuple(finding for finding in state["findings"] if finding.found)
        return {"attempt": state["attempt"] + 1, "earlier": kept}

    def conclude(state: State) -> Update:
        begun = monotonic()
        findings = state["findings"]
        if limit := state["stopped_by"]:
            findings = (*findings, *unreached(planned(state), findings, limit))
        answer, usage = steps.conclude(state["question"], planned(state), findings, state["earlier"])
        return {"answer": answer, "findings": findings, **_cost(state, usage, begun)}

    def after_choose(state: State) -> str:
        if state["task_id"]:
            return "gather"
        return "replan" if worth_another_plan(state, state["stopped_by"]) else "conclude"

    graph = StateGraph(State)
    for node in (plan, choose, gather, find, replan, conclude):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "plan")
    graph.add_edge("plan", "choose")
    graph.add_conditional_edges("choose", after_choose, ["gather", "replan", "conclude"])
    graph.add_edge("gather", "find")
    graph.add_edge("find", "choose")
    graph.add_edge("replan", "plan")
    graph.add_edge("conclude", END)
    return graph.compile(checkpointer=checkpointer)


def _task(state: State) -> Task:
    return next(task for task in planned(state).tasks if task.id == state["task_id"])


def _cost(state: State, usage: Usage, begun: float) -> Update:
    return {
        "usage": state["usage"].plus(usage),
        "seconds": state["seconds"] + monotonic() - begun,
    }
