"""Working memory of one run: what it knows so far, how sure it is, what is left. Pure, folded from findings.

Arrives: the plan and its findings. Leaves: a :class:`WorkingMemory` for drafts, for the story of a run and
for deciding what to do next. It is made anew from the state, never stored beside it, so it cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import exp
from typing import TypeVar

from appliance.domain import Entity, Finding, Fingerprint, Plan, Struct, Task, citations_of
from appliance.reasoning.state import Outcome

T = TypeVar("T")
SURE = 1.0


class Conclusion(Struct, frozen=True, kw_only=True):
    """One sub-question that is answered."""

    task_id: int
    question: str
    answer: str
    confidence: float
    """0–1. That of the weakest sub-question it builds on, if that is less."""
    sources: tuple[Fingerprint, ...]


class WorkingMemory(Struct, frozen=True, kw_only=True):
    """What a run knows."""

    entities: tuple[str, ...] = ()
    """Names met in questions and results, in the order in which they were met, each once."""
    conclusions: tuple[Conclusion, ...] = ()
    missing: tuple[str, ...] = ()
    """What was looked for and not found."""
    pending: tuple[Task, ...] = ()
    """Sub-questions without a finding that can still be reached."""
    out_of_reach: tuple[int, ...] = ()
    """Tasks that build on something that was not found."""

    @property
    def confidence(self) -> float:
        """Of the weakest conclusion; 0 where there is none."""
        return min((one.confidence for one in self.conclusions), default=0.0)


def memory_of(
    plan: Plan,
    findings: Sequence[Finding],
    *,
    confidences: Mapping[int, float] | None = None,
    names_in: Callable[[str], Sequence[Entity]] = lambda _: (),
) -> WorkingMemory:
    """The memory after these findings.

    ``confidences`` by task, 1 where none is given; ``names_in`` reads the names of a question.
    """
    memory = WorkingMemory()
    needs = {task.id: task.depends_on for task in plan.tasks}
    for finding in findings:
        own = (confidences or {}).get(finding.task_id, SURE)
        memory = remembered(memory, finding, own, needs.get(finding.task_id, ()), names_in)
    done = {finding.task_id for finding in findings}
    lost = _out_of_reach(plan, findings)
    pending = tuple(task for task in plan.tasks if task.id not in done and task.id not in lost)
    return WorkingMemory(
        entities=memory.entities,
        conclusions=memory.conclusions,
        missing=memory.missing,
        pending=pending,
        out_of_reach=tuple(sorted(lost - done)),
    )


def remembered(
    memory: WorkingMemory,
    finding: Finding,
    confidence: float,
    needs: Sequence[int],
    names_in: Callable[[str], Sequence[Entity]],
) -> WorkingMemory:
    """The memory with one more finding."""
    named = [entity.text for entity in names_in(finding.question)]
    if not finding.found:
        return WorkingMemory(
            entities=_once((*memory.entities, *named)),
            conclusions=memory.conclusions,
            missing=_once((*memory.missing, finding.missing or finding.question)),
        )
    below = [one.confidence for one in memory.conclusions if one.task_id in needs]
    sources = citations_of(finding.claims)
    made = Conclusion(
        task_id=finding.task_id,
        question=finding.question,
        answer=finding.answer,
        confidence=min([max(0.0, min(1.0, confidence)), *below]),
        sources=sources,
    )
    results = [entity.text for entity in names_in(finding.answer)]
    return WorkingMemory(
        entities=_once((*memory.entities, *named, *results)),
        conclusions=(*memory.conclusions, made),
        missing=memory.missing,
    )


def _out_of_reach(plan: Plan, findings: Sequence[Finding]) -> set[int]:
    lost = {finding.task_id for finding in findings if not finding.found}
    for _ in plan.tasks:
        lost |= {task.id for task in plan.tasks if lost & set(task.depends_on)}
    return lost


def _once(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))


def confidence(outcome: Outcome | None) -> float:
    """How sure a finding is, 0–1: the cross-encoder's word for its best line; 1 where none judged it."""
    if outcome is None or outcome.relevance is None:
        return SURE
    return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, outcome.relevance))))


def confidences(outcomes: Iterable[Outcome], attempt: int) -> dict[int, float]:
    """How sure the findings of a plan are, by task: as their newest reading has it."""
    return {one.task_id: confidence(one) for one in outcomes if one.attempt == attempt}
