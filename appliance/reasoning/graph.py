# pyright: basic
"""The loop on one page: plan → (choose → gather → read → assess)* → conclude.

Arrives: a question in the first state. Leaves: an answer in the last one. ``choose`` takes the tasks that are
ready, ``gather`` retrieves for each, ``read`` runs once for each of them, at the same time; ``assess`` keeps
what was found and sends what was not round again with another tactic. A plan that fails gets one successor.

Each node is a pure function ``state → update`` over :class:`Steps`; LangGraph runs them and checkpoints after
every one (each ``read`` by itself), so a killed process goes on from the last finished step and pays for no
model call twice.
"""

from __future__ import annotations

from typing import Any, Protocol

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Send

from appliance.domain import Answer, Finding, Plan, Usage
from appliance.reasoning.assess import Assessment
from appliance.reasoning.proceed import ready_tries, scouting, unreached, worth_another_plan
from appliance.reasoning.state import Gathered, Outcome, State, Try, Update, planned

Graph = CompiledStateGraph[State, None, State, State]


class Steps(Protocol):
    """What the loop needs done; the composition root provides it."""

    def plan(self, question: str, attempt: int) -> tuple[Plan, Usage]:
        """Split the question; on the second attempt, the other way round."""
        ...

    def gather(self, hand: tuple[Try, ...], state: State) -> tuple[tuple[Try, ...], tuple[Gathered, ...]]:
        """Retrieve for every try in hand: the tries with what to read, and what was brought."""
        ...

    def read(self, one: Try, findings: tuple[Finding, ...]) -> tuple[Outcome, Usage]:
        """Read the passages of a try, or compute."""
        ...

    def assess(self, state: State) -> Assessment:
        """Judge what was read: what is kept, and what is worth another try."""
        ...

    def conclude(self, state: State, findings: tuple[Finding, ...]) -> tuple[Answer, Usage]:
        """Write the answer."""
        ...

    def seconds(self) -> float:
        """Seconds of work on this run so far."""
        ...


def build_graph(  # noqa: C901 - the nodes are one page
    steps: Steps, checkpointer: BaseCheckpointSaver[Any] | None = None
) -> Graph:
    """Return the compiled loop."""

    def plan(state: State) -> Update:
        made, usage = steps.plan(state["question"], state["attempt"])
        return {"plan": made, "findings": (), "usage": usage, "seconds": steps.seconds()}

    def choose(state: State) -> Update:
        hand, blocked, limit = ready_tries(state)
        return {"hand": hand, "findings": (*state["findings"], *blocked), "stopped_by": limit}

    def gather(state: State) -> Update:
        hand, brought = steps.gather((*state["hand"], *scouting(state)), state)
        return {"hand": hand, "gathered": brought, "seconds": steps.seconds()}

    def read(sent: dict[str, Any]) -> Update:
        outcome, usage = steps.read(sent["one"], sent["findings"])
        return {"outcomes": (outcome,), "usage": usage}

    def assess(state: State) -> Update:
        made = steps.assess(state)
        return {"findings": made.findings, "hand": made.again, "seconds": steps.seconds()}

    def replan(state: State) -> Update:
        kept = tuple(finding for finding in state["findings"] if finding.found)
        return {"attempt": state["attempt"] + 1, "earlier": kept}

    def conclude(state: State) -> Update:
        findings = state["findings"]
        if limit := state["stopped_by"]:
            findings = (*findings, *unreached(planned(state), findings, limit))
        answer, usage = steps.conclude(state, findings)
        return {"answer": answer, "findings": findings, "usage": usage, "seconds": steps.seconds()}

    def after_choose(state: State) -> str:
        if state["hand"]:
            return "gather"
        return "replan" if worth_another_plan(state, state["stopped_by"]) else "conclude"

    def after_gather(state: State) -> list[Send]:
        return [Send("read", {"one": one, "findings": state["findings"]}) for one in state["hand"]]

    def after_assess(state: State) -> str:
        return "gather" if state["hand"] else "choose"

    graph: Any = StateGraph(State)
    for node in (plan, choose, gather, read, assess, replan, conclude):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "plan")
    graph.add_edge("plan", "choose")
    graph.add_conditional_edges("choose", after_choose, ["gather", "replan", "conclude"])
    graph.add_conditional_edges("gather", after_gather, ["read"])
    graph.add_edge("read", "assess")
    graph.add_conditional_edges("assess", after_assess, ["gather", "choose"])
    graph.add_edge("replan", "plan")
    graph.add_edge("conclude", END)
    return graph.compile(checkpointer=checkpointer)
