"""Is another try at a sub-question worth its seconds? The trained half of going on or stopping.

Arrives: the state, and a try that the rules of :mod:`appliance.reasoning.assess` allow. Leaves: a
:class:`Verdict` with the probability that the try puts evidence before the reader that it has not read, and
the bar that it was held against. The head that tells it is of :mod:`appliance.reasoning.continue_head`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from appliance.domain import Struct
from appliance.errors import DamagedError
from appliance.reasoning.continue_features import NAMES, Features, share_of, vector_of
from appliance.reasoning.continue_head import FOLDER, ContinueHead, load_continue_head
from appliance.reasoning.state import Tactic

RULES = "goes on: by the rules"
"""What a verdict says where no head is asked."""
HIGHEST_BAR = 0.9
"""However little is left: what is as good as sure is tried."""


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
    def load(cls, threshold: float, *, models: Sequence[str] = (), folder: Path = FOLDER) -> Continuing:
        """That of a folder, for these encoders and cross-encoders, where they are named.

        A head that is missing, damaged or of other models is told in every verdict, not raised.
        """
        if not threshold:
            return cls(None, 0.0)
        try:
            head = load_continue_head(NAMES, folder)
        except DamagedError as error:
            return cls(None, threshold, f"{error}")
        if models and set(models) != set(head.card.models):
            return cls(None, threshold, f"the continue head knows {', '.join(head.card.models)}")
        return cls(head, threshold)

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
    spent = share_of(features.spent)
    return min(HIGHEST_BAR, threshold * (1.0 + spent) / (1.0 + max(0, features.conflicts)))
