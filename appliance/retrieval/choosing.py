"""Between the funnel and the strategy selector: recalled lists in, weights out.

The funnel calls it once a search, after recall; it looks the question's terms up in the lexical index and
asks the memory of past questions, where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from appliance.domain import Experience, Reading, Scored, Weights
from appliance.ports import LexicalIndex
from appliance.retrieval.recall import Route
from appliance.retrieval.strategy import StrategySelector
from appliance.retrieval.strategy_signals import features, specificity_of

Remember = Callable[[Reading], Experience]


class Choosing:
    """A :data:`~appliance.retrieval.parts.Choose` for one collection."""

    def __init__(
        self, selector: StrategySelector, lexical: LexicalIndex, remember: Remember | None = None
    ) -> None:
        """``remember`` tells how like questions fared; without it nothing is remembered."""
        self._selector, self._lexical = selector, lexical
        self._remember: Remember = remember or (lambda reading: Experience())
        self.degraded = selector.degraded

    def __call__(
        self, reading: Reading, lists: Mapping[Route, Sequence[Scored]], configured: Weights
    ) -> Weights:
        """The weights for this question, from the lists of the question itself (rewrite 0)."""
        (idfs,) = self._lexical.specificity([reading.text])
        signals = features(
            reading,
            specificity_of(idfs, self._lexical.count()),
            lists.get(Route(name="dense", rewrite=0), ()),
            lists.get(Route(name="lexical", rewrite=0), ()),
            self._remember(reading),
        )
        return self._selector.choose(signals, configured)
