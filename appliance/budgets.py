"""What a person may still spend today: the configured day's budget less what the stored runs have cost.

Beside research. Arrives: a user. Leaves: what is left, or an OverBudgetError that says when the next day
begins. Days are those of UTC. A budget that ends while a question is worked on ends in a partial answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec

from appliance.config import Budgets
from appliance.domain import Spent
from appliance.errors import OverBudgetError
from appliance.store.spending import Spending

Clock = Callable[[], datetime]


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """What is left of a day; None: no bound."""

    seconds: float | None = None
    llm_tokens: int | None = None
    retrievals: int | None = None


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """A person's day."""

    spent: Spent
    left: Left
    resets_at: str
    """UTC, ISO 8601."""


def now_utc() -> datetime:
    """The moment."""
    return datetime.now(UTC)


class DayBudgets:
    """Reads spending against the configuration."""

    def __init__(self, settings: Budgets, spending: Spending, clock: Clock = now_utc) -> None:
        """``clock``: another one for tests."""
        self._settings, self._spending, self._clock = settings, spending, clock

    def of(self, user: str) -> Budget:
        """What the person has spent today and what is left."""
        begun, next_day = self._day()
        spent = self._spending.of(user, begun.isoformat(timespec="milliseconds"))
        most = self._settings
        left = Left(
            seconds=_rest(most.user_seconds_per_day, spent.seconds),
            llm_tokens=_whole(_rest(most.user_llm_tokens_per_day, spent.llm_tokens)),
            retrievals=_whole(_rest(most.user_retrievals_per_day, spent.retrievals)),
        )
        return Budget(spent=spent, left=left, resets_at=next_day.isoformat(timespec="seconds"))

    def check(self, user: str) -> Left:
        """What is left today. Raises OverBudgetError when any of it is nothing."""
        remaining = self.left(user)
        names = ("seconds", "model tokens", "retrievals")
        amounts = msgspec.structs.astuple(remaining)
        for bound, left, name in zip(self._bounds(), amounts, names, strict=True):
            if left is not None and left <= 0:
                raise self._over(user, f"{bound:,} {name}")
        return remaining

    def left(self, user: str) -> Left:
        """What is left today, also where it is nothing."""
        return self.of(user).left if any(self._bounds()) else Left()

    def _bounds(self) -> tuple[int, int, int]:
        most = self._settings
        return most.user_seconds_per_day, most.user_llm_tokens_per_day, most.user_retrievals_per_day

    def _over(self, user: str, bound: str) -> OverBudgetError:
        now, (_, next_day) = self._clock(), self._day()
        wait = max(1, math.ceil((next_day - now).total_seconds()))
        hours, minutes = divmod(math.ceil(wait / 60), 60)
        return OverBudgetError(
            f"{user} has spent today's budget of {bound}",
            hint=f"it begins anew at {next_day:%Y-%m-%d %H:%M} UTC, in {hours} h {minutes:02d} min",
            retry_after_s=wait,
        )

    def _day(self) -> tuple[datetime, datetime]:
        begun = self._clock().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return begun, begun + timedelta(days=1)


def _rest(most: int, spent: float) -> float | None:
    return max(0.0, most - spent) if most else None


def _whole(rest: float | None) -> int | None:
    return None if rest is None else int(rest)
