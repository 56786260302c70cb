"""What a question wants computed: the operation, the look-ups it needs, the rounding.

Arrives here from the patterns of both languages. Leaves for the planner (look-ups and a calc task) and
for the table reader (metrics × periods).
"""

from __future__ import annotations

from enum import StrEnum

from appliance.domain import Struct
from appliance.reasoning.tools.periods import Period


class Operation(StrEnum):
    """Kinds of calculation that questions ask for."""

    CHANGE = "change"
    """The later figure less the earlier."""
    GROWTH = "growth"
    """The change in percent of the earlier figure."""
    CAGR = "cagr"
    MEAN = "mean"
    SUM = "sum"
    DIFFERENCE = "difference"
    """One metric less another."""
    RATIO = "ratio"
    SHARE = "share"
    """One metric in percent of another."""


class Lookup(Struct, frozen=True, kw_only=True):
    """One figure to look up."""

    metric: str
    period: Period | None = None

    def asked(self, *, chinese: bool = False) -> str:
        """The look-up as a question."""
        if chinese:
            return f"{_zh(self.period)}{self.metric}是多少？"
        when = f" in {self.period}" if self.period else ""
        return f"What was {self.metric}{when}?"


def _zh(period: Period | None) -> str:
    if period is None:
        return ""
    if period.part[:1] in ("Q", "H"):
        name = f"第{'一二三四'[int(period.part[1]) - 1]}季度" if period.part[0] == "Q" else ""
        half = {"H1": "上半年", "H2": "下半年"}.get(period.part, "")
        return f"{period.year}年{name or half}" if period.year else name or half
    return f"{period}的" if period.part else f"{period.year}年的"


class Derivation(Struct, frozen=True, kw_only=True):
    """A calculation named but not yet done."""

    operation: Operation
    metrics: tuple[str, ...]
    """One for changes and means, two or more for sums, differences, ratios and shares of several."""
    periods: tuple[Period, ...] = ()
    """As named; for changes the earlier first."""
    every_period: bool = False
    """No period is named and all that the source gives are meant (an average over the years shown)."""
    decimals: int | None = None
    chinese: bool = False

    def lookups(self) -> tuple[Lookup, ...]:
        """The figures to look up, in the order that :meth:`expression` numbers them from 1."""
        when: tuple[Period | None, ...] = self.periods or (None,)
        return tuple(Lookup(metric=metric, period=period) for metric in self.metrics for period in when)

    def complete(self) -> bool:
        """Whether the look-ups suffice for the operation: a planner can use it as it is."""
        count = len(self.lookups())
        if self.operation in (Operation.SUM, Operation.MEAN):
            return count >= 2
        return count == 2

    def expression(self, first: int = 1) -> str:
        """The calculation over ``{first}``, ``{first+1}`` …, for :func:`appliance.reasoning.calc.compute`."""
        names = [f"{{{number}}}" for number in range(first, first + len(self.lookups()))]
        one, other = names[0], names[-1]
        match self.operation:
            case Operation.CHANGE:
                text = f"{other} - {one}"
            case Operation.GROWTH:
                text = f"({other} - {one}) / {one} * 100"
            case Operation.CAGR:
                text = f"cagr({one}, {other}, {self.years()})"
            case Operation.MEAN:
                text = f"mean({', '.join(names)})"
            case Operation.SUM:
                text = " + ".join(names)
            case Operation.DIFFERENCE:
                text = f"{one} - {other}"
            case Operation.RATIO:
                text = f"ratio({one}, {other})"
            case Operation.SHARE:
                text = f"{one} / {other} * 100"
        return text if self.decimals is None else f"round({text}, {self.decimals})"

    def years(self) -> int:
        """Years from the first to the last period."""
        return abs(self.periods[-1].year - self.periods[0].year) if self.periods else 0
