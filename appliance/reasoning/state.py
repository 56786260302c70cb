"""What a run knows between two steps: ids and small values; passages stay in the store."""

from __future__ import annotations

from typing import Any, TypedDict

from appliance.domain import Answer, Finding, PassageId, Plan, Struct, Usage


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds of one question. Reaching one ends in a partial answer, not in an error."""

    max_steps: int
    max_seconds: float
    max_llm_tokens: int


Update = dict[str, Any]
"""What a node changes of the state."""


class State(TypedDict):
    """The channels of the graph; every step's update is checkpointed."""

    question: str
    limits: Limits
    plan: Plan | None
    attempt: int
    """0 for the first plan; 1 after the question was split the other way round."""
    task_id: int
    """The task in hand; 0 when none is left."""
    asked: str
    """Its question with earlier results filled in."""
    passage_ids: tuple[PassageId, ...]
    findings: tuple[Finding, ...]
    earlier: tuple[Finding, ...]
    """What the first plan found before it failed."""
    stopped_by: str
    """Which limit ended the loop early; empty when none did."""
    usage: Usage
    seconds: float
    answer: Answer | None


def first_state(question: str, limits: Limits) -> State:
    """Return the state in which a run begins."""
    return State(
        question=question,
        limits=limits,
        plan=None,
        attempt=0,
        task_id=0,
        asked="",
        passage_ids=(),
        findings=(),
        earlier=(),
        stopped_by="",
        usage=Usage(),
        seconds=0.0,
        answer=None,
    )


def planned(state: State) -> Plan:
    """Return the plan of a state in which planning is done."""
    assert state["plan"] is not None, "no node but plan runs before planning"
    return state["plan"]
