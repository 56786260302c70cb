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
        doubted = _doubted(state, standing, settled)
        if doubted is not None and standing[doubted].others:
            settled.append(_next_name(doubted, planned(state), standing))
        elif doubted is not None:
            again = [_read_again(state, standing[doubted])]
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
    _put(outcome.finding, plan, standing)
    return (outcome.finding,)


def _put(finding: Finding, plan: Plan, standing: dict[int, Finding]) -> None:
    standing[finding.task_id] = finding
    built = {finding.task_id}
    for task in plan.tasks:
        if built.intersection(task.depends_on):
            built.add(task.id)
            standing.pop(task.id, None)


def _next_name(task_id: int, plan: Plan, standing: dict[int, Finding]) -> Finding:
    """Put the next of the names that the passage listed in the place of the first: no model is asked."""
    before = standing[task_id]
    finding = msgspec.structs.replace(before, answer=before.others[0], others=before.others[1:])
    _put(finding, plan, standing)
    return finding


def _doubted(state: State, standing: dict[int, Finding], settled: Iterable[Finding]) -> int | None:
    """The task whose answer the first of the failed tasks was asked with, if there is another one to be had.

    That is the next of the names listed beside it or, once, what is read without the passage that gave it.
    """
    tasks = {task.id: task for task in planned(state).tasks}
    lost = next((one for one in settled if not one.found and tasks[one.task_id].tool is Tool.DOCUMENTS), None)
    if lost is None or state["limits"].tries_per_task < 2:
        return None
    needs = [need for need in tasks[lost.task_id].depends_on if tasks[need].tool is Tool.DOCUMENTS]
    return next((need for need in needs if standing[need].others or not _doubted_before(state, need)), None)


def _doubted_before(state: State, task_id: int) -> bool:
    mine = (state["attempt"], task_id)
    return any(
        (each.attempt, each.task_id) == mine and each.number >= len(TACTICS) for each in state["outcomes"]
    )


def _read_again(state: State, known: Finding) -> Try:
    """A try that reads again without the passage that gave the first answer: names are ambiguous."""
    return Try(
        attempt=state["attempt"],
        task=next(task for task in planned(state).tasks if task.id == known.task_id),
        asked=known.question,
        number=len(TACTICS),
        tactic=Tactic.ANOTHER,
        bridge=True,
        excluded=citations_of(known.claims),
    )
