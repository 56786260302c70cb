"""Which tasks come next, and whether the run may still afford them. Pure functions over the state."""

from __future__ import annotations

from appliance.domain import Finding, Plan, Task, Tool
from appliance.reasoning.plan import fill
from appliance.reasoning.state import Outcome, State, Tactic, Try, planned


def exhausted(state: State) -> str:
    """Return which limit is reached, in words, or an empty string."""
    most = state["limits"].max_steps
    return f"the limit of {most} steps" if _steps_taken(state) >= most else spent(state)


def _steps_taken(state: State) -> int:
    """Tasks begun. A table that gave nothing cost no model call: it is no step that the asker allows."""
    return len({(one.attempt, one.task_id) for one in state["outcomes"] if not _in_vain(one)})


def spent(state: State) -> str:
    """Return which limit forbids even another try of a task that is begun, or an empty string."""
    limits, usage = state["limits"], state["usage"]
    if state["seconds"] >= limits.max_seconds:
        return f"the limit of {limits.max_seconds:g} seconds"
    if usage.prompt_tokens + usage.completion_tokens >= limits.max_llm_tokens:
        return f"the limit of {limits.max_llm_tokens} model tokens"
    if len(state["gathered"]) >= limits.max_retrievals:
        return f"the limit of {limits.max_retrievals} retrievals"
    return ""


def ready_tries(state: State) -> tuple[tuple[Try, ...], tuple[Finding, ...], str]:
    """Return first tries of the tasks that can begin now, findings of those that never can, and the limit.

    The limit is the one that forbids to begin a task; empty where none does. A task can be begun when
    all it depends on is found, and never when one of these is not.
    """
    known = {finding.task_id: finding for finding in state["findings"]}
    blocked: dict[int, Finding] = {}
    ready: list[Task] = []
    for task in planned(state).tasks:
        if task.id in known:
            continue
        if stuck := _blocked(task, {**known, **blocked}):
            blocked[task.id] = stuck
        elif all(need in known for need in task.depends_on):
            ready.append(task)
    if not ready:
        return (), tuple(blocked.values()), ""
    if limit := exhausted(state):
        return (), tuple(blocked.values()), limit
    goals = planned(state).goals()
    free = min(state["limits"].parallel, state["limits"].max_steps - _steps_taken(state))
    tries = tuple(
        Try(
            attempt=state["attempt"],
            task=task,
            asked=asked_question(task, state["findings"]),
            bridge=task.id not in goals,
            steps_to=tuple(finding.answer for finding in state["earlier"]),
        )
        for task in ready[:free]
    )
    return tries, tuple(blocked.values()), ""


def scouting(state: State) -> tuple[Try, ...]:
    """Return a look at the whole question, once, where the plan does not ask it anyway.

    What it brings is read beside each sub-question's own passages: a hop asked badly is often found there.
    """
    question = state["question"]
    if state["gathered"] or any(one.asked == question for one in state["hand"]):
        return ()
    return (Try(attempt=0, task=Task(id=0, question=question), asked=question, tactic=Tactic.ASKED),)


def worth_another_plan(state: State, limit: str) -> bool:
    """Return whether to split the question the other way round: nothing asked for was found, once.

    One look-up that found nothing is not split: measured, the parts never found it, but made things up.
    A calculation that no table gives is no plan that failed: the two others come after it.
    """
    tables = any(_in_vain(one) for one in state["outcomes"])
    if limit or state["attempt"] > int(tables) or planned(state).origin == "simple":
        return False
    found = {finding.task_id for finding in state["findings"] if finding.found}
    return not found.intersection(planned(state).goals())


def _in_vain(one: Outcome) -> bool:
    return one.tool is Tool.TABLE and not one.finding.found


def asked_question(task: Task, findings: tuple[Finding, ...]) -> str:
    """Return the task's question with the results it depends on filled in; a calculation stays as it is."""
    if task.tool is Tool.CALC:
        return task.question
    return fill(task.question, {finding.task_id: finding.answer for finding in findings if finding.found})


def _blocked(task: Task, known: dict[int, Finding]) -> Finding | None:
    """Return a finding that says what is missing when a task's prerequisite was not found."""
    lacking = [need for need in task.depends_on if need in known and not known[need].found]
    if not lacking:
        return None
    needed = ", ".join(str(need) for need in lacking)
    return Finding(
        task_id=task.id,
        question=task.question,
        found=False,
        missing=f"{task.question} — needs the result of step {needed}, which was not found",
    )


def unreached(plan: Plan, findings: tuple[Finding, ...], limit: str) -> tuple[Finding, ...]:
    """Return a missing-finding for every task that a limit cut off."""
    done = {finding.task_id for finding in findings}
    return tuple(
        Finding(
            task_id=task.id,
            question=task.question,
            found=False,
            missing=f"{task.question} — not looked up: {limit} was reached",
        )
        for task in plan.tasks
        if task.id not in done
    )
