"""Which task comes next, and whether the run may still afford it. Pure functions over the state."""

from __future__ import annotations

from appliance.domain import Finding, Plan, Task, Usage
from appliance.reasoning.plan import fill
from appliance.reasoning.state import Limits, State, planned


def exhausted(limits: Limits, *, steps: int, seconds: float, usage: Usage) -> str:
    """Return which limit is reached, in words, or an empty string."""
    if steps >= limits.max_steps:
        return f"the limit of {limits.max_steps} steps"
    if seconds >= limits.max_seconds:
        return f"the limit of {limits.max_seconds:g} seconds"
    if usage.prompt_tokens + usage.completion_tokens >= limits.max_llm_tokens:
        return f"the limit of {limits.max_llm_tokens} model tokens"
    return ""


def next_task(state: State) -> tuple[Task | None, str]:
    """Return the first task without a finding, or None; and the limit that forbids it, if one does."""
    done = {finding.task_id for finding in state["findings"]}
    waiting = [task for task in planned(state).tasks if task.id not in done]
    if not waiting:
        return None, ""
    reached = exhausted(
        state["limits"],
        steps=len(done),
        seconds=state["seconds"],
        usage=state["usage"],
    )
    return (None, reached) if reached else (waiting[0], "")


def worth_another_plan(state: State, limit: str) -> bool:
    """Return whether to split the question the other way round: nothing asked for was found, once.

    One look-up that found nothing is not split: measured, the parts never found it, but made things up.
    """
    if limit or state["attempt"] > 0 or planned(state).origin == "simple":
        return False
    found = {finding.task_id for finding in state["findings"] if finding.found}
    return not found.intersection(planned(state).goals())


def asked_question(task: Task, findings: tuple[Finding, ...]) -> str:
    """Return the task's question with the results it depends on filled in."""
    return fill(task.question, {finding.task_id: finding.answer for finding in findings if finding.found})


def blocked(task: Task, findings: tuple[Finding, ...]) -> Finding | None:
    """Return a finding that says what is missing when a task's prerequisite was not found."""
    found = {finding.task_id for finding in findings if finding.found}
    lacking = [need for need in task.depends_on if need not in found]
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
