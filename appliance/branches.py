"""Two runs held against each other: where they part, what each planned, found, claims, and what it cost.

Arrives: two stored runs, mostly a run and its fork. Leaves: one value, the JSON of ``assay runs diff --json``
and of ``GET /api/questions/{a}/compare/{b}``.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.domain import Fingerprint, RunId, RunStatus
from appliance.store.history import History, StoredStep
from appliance.store.runs import RunRecord
from appliance.story import Cost, cost_of
from appliance.views import AnswerView, StepView, View, answer_view
from appliance.wiring import Appliance


class Side(View, frozen=True, kw_only=True):
    """One run as a whole."""

    run_id: RunId
    question: str
    status: RunStatus
    answer: str
    tasks: tuple[str, ...]
    """The questions of its last plan."""
    steps: int
    cost: Cost
    """All of it, the shared beginning included."""


class TaskDifference(View, frozen=True, kw_only=True):
    """A sub-question that both asked: what each found."""

    question: str
    same: bool
    a_answer: str
    b_answer: str
    both_passages: tuple[Fingerprint, ...] = ()
    only_a_passages: tuple[Fingerprint, ...] = ()
    only_b_passages: tuple[Fingerprint, ...] = ()


class Branches(View, frozen=True, kw_only=True):
    """The comparison."""

    a: Side
    b: Side
    relation: str
    """``a is a fork of b``, ``b is a fork of a``, ``both are forks of RUN``, ``the same`` …"""
    last_common_step: int | None
    """Up to here both have the same stored steps, shown by their digests; null: no step in common."""
    tasks: tuple[TaskDifference, ...]
    only_a_tasks: tuple[str, ...]
    only_b_tasks: tuple[str, ...]
    both_claims: tuple[str, ...]
    only_a_claims: tuple[str, ...]
    only_b_claims: tuple[str, ...]


def branches_of(appliance: Appliance, a: RunRecord, b: RunRecord) -> Branches:
    """The two runs compared."""
    history = History(appliance.database)
    first, second = history.steps(a.id), history.steps(b.id)
    left, right = (answer_view(run, appliance.events.after(run.id)) for run in (a, b))
    mine, others = _by_question(left.steps), _by_question(right.steps)
    shared = [key for key in mine if key in others]
    claims_a, claims_b = ([claim.text for claim in view.claims] for view in (left, right))
    return Branches(
        a=_side(left, first),
        b=_side(right, second),
        relation=_relation(a, b),
        last_common_step=_last_common(first, second),
        tasks=tuple(_task(mine[key], others[key]) for key in shared),
        only_a_tasks=tuple(step.question for key, step in mine.items() if key not in others),
        only_b_tasks=tuple(step.question for key, step in others.items() if key not in mine),
        both_claims=tuple(text for text in claims_a if text in claims_b),
        only_a_claims=tuple(text for text in claims_a if text not in claims_b),
        only_b_claims=tuple(text for text in claims_b if text not in claims_a),
    )


def _side(view: AnswerView, steps: Sequence[StoredStep]) -> Side:
    newest = max((step.attempt for step in view.steps), default=1)
    return Side(
        run_id=view.run_id,
        question=view.question,
        status=view.status,
        answer=view.answer,
        tasks=tuple(step.question for step in view.steps if step.attempt == newest),
        steps=len(steps),
        cost=cost_of(steps[-1]) if steps else Cost(),
    )


def _relation(a: RunRecord, b: RunRecord) -> str:
    if a.id == b.id:
        return "the same"
    if a.parent == b.id:
        return "a is a fork of b"
    if b.parent == a.id:
        return "b is a fork of a"
    if a.parent is not None and a.parent == b.parent:
        return f"both are forks of {a.parent}"
    return "not related"


def _last_common(first: Sequence[StoredStep], second: Sequence[StoredStep]) -> int | None:
    common: int | None = None
    for one, other in zip(first, second, strict=False):
        if one.digest != other.digest:
            break
        common = one.number
    return common


def _by_question(steps: Sequence[StepView]) -> dict[str, StepView]:
    """The last that asked it: an earlier plan's steps are replaced."""
    return {" ".join(step.question.casefold().split()): step for step in steps}


def _task(a: StepView, b: StepView) -> TaskDifference:
    both = tuple(mark for mark in a.passages if mark in b.passages)
    only_a = tuple(mark for mark in a.passages if mark not in b.passages)
    only_b = tuple(mark for mark in b.passages if mark not in a.passages)
    return TaskDifference(
        question=a.question,
        same=a.answer == b.answer and not only_a and not only_b,
        a_answer=a.answer,
        b_answer=b.answer,
        both_passages=both,
        only_a_passages=only_a,
        only_b_passages=only_b,
    )
