"""Is another try at a sub-question worth its seconds? The trained half of going on or stopping.

Arrives: the state, and a try that the rules of :mod:`appliance.reasoning.assess` allow. Leaves: a
:class:`Verdict` with the probability that the try puts evidence before the reader that it has not read, and the
bar that it was held against. Pure functions; the head behind them is of :mod:`appliance.reasoning.continue_head`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from appliance.domain import AnswerKind, Finding, Plan, Struct
from appliance.errors import DamagedError
from appliance.reasoning.continue_head import FOLDER, ContinueHead, load_continue_head
from appliance.reasoning.state import Outcome, State, Tactic, Try, planned

RULES = "goes on: by the rules"
"""What a verdict says where no head is asked."""
HIGHEST_BAR = 0.9
"""However little is left: what is as good as sure is tried."""
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
    """Share of the passages read last that the retrieval before, or that of the whole question, brought too."""
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


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether one sub-question is looked for again."""

    task_id: int
    tactic: Tactic
    """Of the try that it is about."""
    goes_on: bool = True
    probability: float | None = None
    """None: no head was asked."""
    bar: float = 0.0
    reason: str = RULES


Judge = Callable[[Features], Verdict]
"""Features to a verdict; the task's id is put in by who asks."""


def by_rules(features: Features) -> Verdict:
    """Go on: the rules allowed it."""
    return Verdict(task_id=0, tactic=features.tactic)


class Continuing:
    """Holds probabilities against a bar; without a head the rules alone decide, and it says so."""

    def __init__(self, head: ContinueHead | None, threshold: float, degraded: str = "") -> None:
        """``threshold``: of :func:`bar_of`; 0 asks no head. ``degraded``: why there is none."""
        self._head, self._threshold, self.degraded = head, threshold, degraded

    @classmethod
    def load(cls, threshold: float, folder: Path = FOLDER) -> Continuing:
        """That of a folder; a head that is missing or damaged is told in every verdict, not raised."""
        if not threshold:
            return cls(None, 0.0)
        try:
            return cls(load_continue_head(NAMES, folder), threshold)
        except DamagedError as error:
            return cls(None, threshold, f"{error}")

    def verdict(self, features: Features) -> Verdict:
        """Goes on where the probability reaches the bar, or no head is there to tell."""
        if self._head is None:
            return Verdict(
                task_id=0,
                tactic=features.tactic,
                reason=f"{RULES} ({self.degraded})" if self.degraded else RULES,
            )
        probability = self._head.probability(vector_of(features))
        bar = bar_of(features, self._threshold)
        on = probability >= bar
        words = f"goes on: {probability:.2f}" if on else f"stops: {probability:.2f} below {bar:.2f}"
        return Verdict(
            task_id=0,
            tactic=features.tactic,
            goes_on=on,
            probability=round(probability, 4),
            bar=round(bar, 4),
            reason=words,
        )


def bar_of(features: Features, threshold: float) -> float:
    """The probability from which a try is worth it.

    What evidence a try brings does not depend on what was spent, but what it costs does: the bar is twice as
    high at the end of the budget as at its beginning. Where findings contradict one another, more evidence is
    worth more: each such question divides it.
    """
    spent = _share(features.spent)
    return min(HIGHEST_BAR, threshold * (1.0 + spent) / (1.0 + max(0, features.conflicts)))


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
        fresh=_share(own[-1].fresh / len(own[-1].passages)) if own and own[-1].passages else 0.0,
        agreement=_overlap(one, before | scouted),
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


def spent_share(state: State) -> float:
    """Of the limit that is nearest, how much is gone: 0–1."""
    limits, usage = state["limits"], state["usage"]
    pairs = (
        (state["seconds"], limits.max_seconds),
        (usage.prompt_tokens + usage.completion_tokens, limits.max_llm_tokens),
        (len(state["gathered"]), limits.max_retrievals),
    )
    return max(_share(gone / most) if most > 0 else 1.0 for gone, most in pairs)


def vector_of(features: Features) -> NDArray[np.float32]:
    """The numbers that the head is trained on, finite whatever came in; :data:`NAMES` says which is which."""
    relevance, best = _known(features.relevance), _known(features.best_relevance)
    change = _known(features.change)
    deeper = features.tactic is Tactic.DEEPER
    shared = (
        1.0 if relevance is not None else 0.0,
        relevance or 0.0,
        abs(relevance or 0.0),
        (best or 0.0) - (relevance or 0.0) if best is not None and relevance is not None else 0.0,
        change or 0.0,
        _share(features.fresh),
        _share(features.agreement),
        float(min(4, max(0, features.hop))),
        float(min(5, max(1, features.tasks))),
        _share(features.done),
        float(features.chinese),
        float(features.refused),
        float(features.second_plan),
        *(float(features.kind is kind) for kind in AnswerKind),
    )
    # Each tactic has its own weights: what speaks for looking deeper does not for other words.
    numbers = (*shared, float(deeper), *(number if deeper else 0.0 for number in shared))
    return np.array(numbers, dtype=np.float32)


_SHARED = (
    "judged", "relevance", "certainty", "fallen", "change", "fresh", "agreement", "hop", "tasks", "done",
    "chinese", "refused", "second plan", *(f"kind {kind.value}" for kind in AnswerKind),
)  # fmt: skip
NAMES = (*_SHARED, "deeper", *(f"deeper: {name}" for name in _SHARED))
"""Of the numbers of :func:`vector_of`, in order."""


def _known(value: float | None) -> float | None:
    """Log-odds within bounds; what is no number is not known."""
    if value is None or not math.isfinite(value):
        return None
    return max(-RELEVANCE_MOST, min(RELEVANCE_MOST, value))


def _share(value: float) -> float:
    return max(0.0, min(1.0, value)) if math.isfinite(value) else 0.0


def _overlap(one: Try, others: set[int]) -> float:
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
