"""What tells whether another try at a sub-question is worth it, read from the state, as numbers.

Arrives: the state, a try that found nothing, and the one that the rules allow next. Leaves:
:class:`Features`, and the vector that the head of :mod:`appliance.reasoning.continue_head` is trained on.
Pure functions.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from appliance.domain import AnswerKind, Finding, PassageId, Plan, Struct
from appliance.reasoning.state import Outcome, Standing, State, Tactic, Try, planned

RELEVANCE_MOST = 12.0
"""Log-odds beyond that say nothing more."""


class Features(Struct, frozen=True, kw_only=True):
    """What is known when a try at a sub-question has found nothing. Shares are 0–1."""

    tactic: Tactic
    """Of the try that would come next."""
    relevance: float | None = None
    """The cross-encoder's log-odds of the best line read last; None where none judged it."""
    best_relevance: float | None = None
    """The same over all tries of the sub-question."""
    change: float | None = None
    """Of the relevance, from the try before to the last."""
    fresh: float = 0.0
    """Share of the last retrieval's passages that no earlier one of the run had brought."""
    agreement: float = 0.0
    """Share of the passages read last that an earlier retrieval, or the whole question's, brought too."""
    lead: float | None = None
    """Log-odds by which the best passage of the last retrieval stands above the best that was not read."""
    unread: float | None = None
    """The log-odds of that one."""
    close_lead: float | None = None
    """The same lead in cosines, which every language has."""
    closeness: float | None = None
    """The best cosine."""
    length: int = 0
    """Of the question asked, in characters."""
    hop: int = 0
    """Longest way from the sub-question back to one that needs nothing."""
    tasks: int = 1
    done: float = 0.0
    """Share of the plan's tasks that were found."""
    kind: AnswerKind = AnswerKind.OTHER
    chinese: bool = False
    refused: bool = False
    """The reader had an answer, and the checks did not let it through."""
    second_plan: bool = False
    conflicts: int = 0
    """Questions of the run with two different answers."""
    spent: float = 0.0
    """Of the limit that is nearest: seconds, tokens, retrievals."""


def features_of(state: State, one: Try, outcome: Outcome, following: Try) -> Features:
    """What is known of ``one``, which came to ``outcome``, before it goes round as ``following``."""
    mine = (one.attempt, one.task.id, one.asked)
    own = [each for each in state["gathered"] if (each.attempt, each.task_id, each.asked) == mine]
    scouted = {number for each in state["gathered"] if each.task_id == 0 for number in each.passages}
    before = {number for each in own[:-1] for number in each.passages}
    tries = [
        each
        for each in state["outcomes"]
        if (each.attempt, each.task_id, each.finding.question) == (one.attempt, one.task.id, one.asked)
    ]
    judged = [value for each in tries if (value := _known(each.relevance)) is not None]
    last = _known(outcome.relevance)
    earlier = next(
        (_known(each.relevance) for each in reversed(tries) if each.number == one.number - 1), None
    )
    plan = planned(state)
    found = {finding.task_id for finding in state["findings"] if finding.found}
    return Features(
        tactic=following.tactic,
        relevance=last,
        best_relevance=max((*judged, *(() if last is None else (last,))), default=None),
        change=None if last is None or earlier is None else last - earlier,
        fresh=share_of(own[-1].fresh / len(own[-1].passages)) if own and own[-1].passages else 0.0,
        agreement=_overlap(one, before | scouted),
        **_standing(own[-1].standing if own else Standing()),
        length=len(one.asked),
        hop=_depth(plan, one.task.id),
        tasks=len(plan.tasks),
        done=len(found.intersection(task.id for task in plan.tasks)) / max(1, len(plan.tasks)),
        kind=outcome.kind,
        chinese=outcome.language == "zh",
        refused=outcome.refused,
        second_plan=state["attempt"] > 0,
        conflicts=_conflicts((*state["earlier"], *(each.finding for each in state["outcomes"]))),
        spent=spent_share(state),
    )


def _standing(standing: Standing) -> dict[str, float | None]:
    judged, close = standing.judged, standing.close
    return {
        "lead": judged[0] - judged[1] if judged else None,
        "unread": judged[1] if judged else None,
        "close_lead": close[0] - close[1] if close else None,
        "closeness": close[0] if close else None,
    }


def spent_share(state: State) -> float:
    """Of the limit that is nearest, how much is gone: 0–1."""
    limits, usage = state["limits"], state["usage"]
    pairs = (
        (state["seconds"], limits.max_seconds),
        (usage.prompt_tokens + usage.completion_tokens, limits.max_llm_tokens),
        (len(state["gathered"]), limits.max_retrievals),
    )
    return max(share_of(gone / most) if most > 0 else 1.0 for gone, most in pairs)


def vector_of(features: Features) -> NDArray[np.float32]:
    """The numbers that the head is trained on, finite whatever came in, float32 in the order of NAMES."""
    relevance, best = _known(features.relevance), _known(features.best_relevance)
    fallen = best - relevance if best is not None and relevance is not None else 0.0
    deeper = float(features.tactic is Tactic.DEEPER)
    ranked = (
        _known(features.lead) or 0.0,
        _known(features.unread) or 0.0,
        _known(features.close_lead, 1.0) or 0.0,
        share_of(features.fresh),
        share_of(features.agreement),
    )
    numbers = (
        deeper,
        float(relevance is not None),
        relevance or 0.0,
        fallen,
        _known(features.change) or 0.0,
        float(_known(features.lead) is not None),
        *ranked,
        # What speaks for looking deeper need not speak for other words.
        *(number * deeper for number in ranked),
        _known(features.closeness, 1.0) or 0.0,
        # A Chinese character says about as much as two and a half of English.
        math.log1p(max(0, features.length) * (2.5 if features.chinese else 1.0)),
        float(min(4, max(0, features.hop))),
        float(min(5, max(1, features.tasks))),
        share_of(features.done),
        float(features.chinese),
        float(features.refused),
        float(features.second_plan),
        *(float(features.kind is kind) for kind in AnswerKind),
    )
    return np.array(numbers, dtype=np.float32)


_RANKED = ("lead", "unread", "close lead", "fresh", "agreement")
NAMES = (
    "deeper", "judged", "relevance", "fallen", "change", "ranked", *_RANKED,
    *(f"deeper: {name}" for name in _RANKED), "closeness", "length", "hop", "tasks", "done", "chinese",
    "refused", "second plan", *(f"kind {kind.value}" for kind in AnswerKind),
)  # fmt: skip
"""Of the numbers of :func:`vector_of`, in order."""


def share_of(value: float) -> float:
    """The number within 0–1; what is none is 0."""
    return max(0.0, min(1.0, value)) if math.isfinite(value) else 0.0


def _known(value: float | None, most: float = RELEVANCE_MOST) -> float | None:
    """The number within bounds; what is none is not known."""
    if value is None or not math.isfinite(value):
        return None
    return max(-most, min(most, value))


def _overlap(one: Try, others: set[PassageId]) -> float:
    return len(others.intersection(one.passages)) / len(one.passages) if one.passages else 0.0


def _depth(plan: Plan, task_id: int) -> int:
    """Tasks come after what they need, so one pass does; what a broken plan says otherwise counts as 0."""
    depths: dict[int, int] = {}
    for task in plan.tasks:
        depths[task.id] = max((depths.get(need, 0) + 1 for need in task.depends_on), default=0)
    return depths.get(task_id, 0)


def _conflicts(findings: tuple[Finding, ...]) -> int:
    answers: dict[str, set[str]] = {}
    for finding in findings:
        if finding.found:
            answers.setdefault(finding.question.casefold(), set()).add(finding.answer.strip().casefold())
    return sum(len(each) > 1 for each in answers.values())
