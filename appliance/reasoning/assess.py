"""Was the sub-question answered, and if not: is there another way to look for it? Pure functions.

Arrives: the state after reading. Leaves: the findings that stand, and the tries that go round again.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from appliance.domain import Finding, Plan, Struct, Tool, citations_of
from appliance.reasoning.continue_features import features_of
from appliance.reasoning.continuing import Judge, Verdict, by_rules
from appliance.reasoning.proceed import spent
from appliance.reasoning.state import Gathered, Outcome, State, Tactic, Try, planned

TACTICS = (Tactic.ASKED, Tactic.DEEPER, Tactic.REWORDED)
"""In the order in which they are tried: the cheaper and the more precise first."""
DRY_RETRIEVALS = 2
"""So many retrievals of a task in a row that bring nothing new, and it is given up."""


class Assessment(Struct, frozen=True, kw_only=True):
    """What reading came to."""

    findings: tuple[Finding, ...]
    """All that stand now."""
    settled: tuple[Finding, ...]
    """Those of them that are new."""
    again: tuple[Try, ...]
    verdicts: tuple[Verdict, ...] = ()
    """On the tries that the rules allowed."""


def assessed(state: State, judge: Judge = by_rules) -> Assessment:
    """Return the findings that stand, and the next tries.

    A task that was not found goes round with its next tactic where ``judge`` holds that worth it. One that
    was given up on an earlier result sends that result's task round for another answer, once: names are
    ambiguous.
    """
    outcomes = {(one.attempt, one.task_id, one.number): one for one in state["outcomes"]}
    standing = {finding.task_id: finding for finding in state["findings"]}
    settled: list[Finding] = []
    again: list[Try] = []
    verdicts: list[Verdict] = []
    limit = spent(state)
    for one in state["hand"]:
        outcome = outcomes[one.key]
        if one.tactic is Tactic.ANOTHER:
            settled += _another(one, outcome, planned(state), standing)
            continue
        most = state["limits"].tries_per_task
        following = None if limit else next_try(one, outcome, state["gathered"], most)
        if following is not None:
            verdict = judge(features_of(state, one, outcome, following))
            verdicts.append(msgspec.structs.replace(verdict, task_id=one.task.id))
            following = following if verdict.goes_on else None
        if following is None:
            standing[one.task.id] = outcome.finding
            settled.append(outcome.finding)
        else:
            again.append(following)
    if not again and not limit:
        again = list(_doubted(state, standing, settled))
    return Assessment(
        findings=tuple(standing.values()),
        settled=tuple(settled),
        again=tuple(again),
        verdicts=tuple(verdicts),
    )


def next_try(one: Try, outcome: Outcome, gathered: tuple[Gathered, ...], most: int) -> Try | None:
    """Return how to look again; None where the task is answered, cannot be, or nothing new is to be had."""
    number = one.number + 1
    looked_up = one.task.tool in (Tool.DOCUMENTS, Tool.DIFF, Tool.EXTERNAL)
    if outcome.finding.found or not looked_up or number >= min(most, len(TACTICS)):
        return None
    mine = (one.attempt, one.task.id, one.asked)
    own = [each for each in gathered if (each.attempt, each.task_id, each.asked) == mine]
    if len(own) >= DRY_RETRIEVALS and not any(each.fresh for each in own[-DRY_RETRIEVALS:]):
        return None
    return msgspec.structs.replace(one, number=number, tactic=TACTICS[number], passages=())


def _another(one: Try, outcome: Outcome, plan: Plan, standing: dict[int, Finding]) -> Iterable[Finding]:
    """Put another answer in the place of the first, and forget what was built on that."""
    before = standing[one.task.id]
    if not outcome.finding.found or outcome.finding.answer.casefold() == before.answer.casefold():
        return ()
    standing[one.task.id] = outcome.finding
    built = {one.task.id}
    for task in plan.tasks:
        if built.intersection(task.depends_on):
            built.add(task.id)
            standing.pop(task.id, None)
    return (outcome.finding,)


def _doubted(state: State, standing: dict[int, Finding], settled: Iterable[Finding]) -> Iterable[Try]:
    """The task whose answer the first of the failed tasks was asked with, if it was not doubted before."""
    tasks = {task.id: task for task in planned(state).tasks}
    lost = next((one for one in settled if not one.found and tasks[one.task_id].tool is Tool.DOCUMENTS), None)
    if lost is None or state["limits"].tries_per_task < 2:
        return
    for need in tasks[lost.task_id].depends_on:
        tries = [
            each for each in state["outcomes"] if (each.attempt, each.task_id) == (state["attempt"], need)
        ]
        known = standing[need]
        if any(each.number >= len(TACTICS) for each in tries) or tasks[need].tool is not Tool.DOCUMENTS:
            continue
        yield Try(
            attempt=state["attempt"],
            task=tasks[need],
            asked=known.question,
            number=len(TACTICS),
            tactic=Tactic.ANOTHER,
            bridge=True,
            excluded=citations_of(known.claims),
        )
        return
