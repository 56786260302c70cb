"""Was the sub-question answered, and if not: is there another way to look for it? Pure functions.

Arrives: the state after reading. Leaves: the findings that stand, and the tries that go round again.
"""

from __future__ import annotations

import msgspec

from appliance.domain import Finding, Tool
from appliance.reasoning.proceed import exhausted
from appliance.reasoning.state import Gathered, Outcome, State, Tactic, Try

TACTICS = (Tactic.ASKED, Tactic.DEEPER, Tactic.REWORDED)
"""In the order in which they are tried: the cheaper and the more precise first."""
DRY_RETRIEVALS = 2
"""So many retrievals of a task in a row that bring nothing new, and it is given up."""


def assessed(state: State) -> tuple[tuple[Finding, ...], tuple[Try, ...]]:
    """Return the findings that settle their task, and the next tries of the other tasks."""
    outcomes = {(one.attempt, one.task_id, one.number): one for one in state["outcomes"]}
    settled: list[Finding] = []
    again: list[Try] = []
    limit = exhausted(state)
    for one in state["hand"]:
        outcome = outcomes[one.key]
        following = (
            None if limit else next_try(one, outcome, state["gathered"], state["limits"].tries_per_task)
        )
        if following is None:
            settled.append(outcome.finding)
        else:
            again.append(following)
    return tuple(settled), tuple(again)


def next_try(one: Try, outcome: Outcome, gathered: tuple[Gathered, ...], most: int) -> Try | None:
    """Return how to look again; None where the task is answered, cannot be, or nothing new is to be had."""
    number = one.number + 1
    if outcome.finding.found or one.task.tool is not Tool.DOCUMENTS or number >= min(most, len(TACTICS)):
        return None
    own = [each for each in gathered if (each.attempt, each.task_id) == (one.attempt, one.task.id)]
    if len(own) >= DRY_RETRIEVALS and not any(each.fresh for each in own[-DRY_RETRIEVALS:]):
        return None
    return msgspec.structs.replace(one, number=number, tactic=TACTICS[number], passages=())
