"""A person's day: what is left of it, the refusal when nothing is, and when the next one begins."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from appliance.budgets import DayBudgets, Left
from appliance.config import Budgets
from appliance.domain import Spent
from appliance.errors import OverBudgetError


class Spending:
    def __init__(self, spent: Spent) -> None:
        self.spent, self.asked = spent, list[tuple[str, str]]()

    def of(self, user: str, since: str) -> Spent:
        self.asked.append((user, since))
        return self.spent


def budgets(settings: Budgets, spent: Spent) -> tuple[DayBudgets, Spending]:
    spending = Spending(spent)
    clock = lambda: datetime(2024, 5, 6, 20, 18, 30, tzinfo=UTC)  # noqa: E731
    return DayBudgets(settings, spending, clock), spending  # type: ignore[arg-type]


def test_no_bounds_ask_nothing():
    day, spending = budgets(Budgets(), Spent(seconds=9))
    assert day.check("ann") == Left()
    assert spending.asked == []


def test_what_is_left_of_a_day():
    settings = Budgets(user_seconds_per_day=60, user_retrievals_per_day=5)
    day, spending = budgets(settings, Spent(seconds=12.5, llm_tokens=900, retrievals=4))
    assert day.check("ann") == Left(seconds=47.5, retrievals=1)
    assert spending.asked == [("ann", "2024-05-06T00:00:00.000+00:00")]
    assert day.of("ann").resets_at == "2024-05-07T00:00:00+00:00"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Budgets(user_seconds_per_day=60), "ann has spent today's budget of 60 seconds"),
        (Budgets(user_llm_tokens_per_day=1000), "budget of 1,000 model tokens"),
        (Budgets(user_retrievals_per_day=2), "budget of 2 retrievals"),
    ],
)
def test_over_budget_says_when_it_begins_anew(settings: Budgets, said: str):
    day, _ = budgets(settings, Spent(seconds=61, llm_tokens=1000, retrievals=2))
    with pytest.raises(OverBudgetError, match="2024-05-07 00:00 UTC, in 3 h 42 min") as caught:
        day.check("ann")
    assert said in caught.value.message
    assert caught.value.retry_after_s == 3 * 3600 + 41 * 60 + 30
    assert caught.value.exit_code == 2
