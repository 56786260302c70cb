"""The filter language: ``published>=2023 and section_type in (risk, change-log)``, 发布≥2023且类型=表格.

Arrives: a caller's text. Leaves: :data:`Filters`, all of which hold, or a UserError that names the position
and what is known there. :func:`filter_text` writes them so that they read back the same.

    filter    := condition (("and" | "&" | "且") condition)*       or, for one field, joined by "or"
    condition := field comparison value ("|" value)* | field ["not"] "in" "(" value ("," value)* ")"
"""

from __future__ import annotations

from datetime import date, timedelta

from appliance.domain import Comparison, Condition, FilterField, Filters, days_of
from appliance.errors import UserError
from appliance.retrieval.filter_parser import EXAMPLE, Parser

MAX_CHARS = 2_000


def parse_filter(text: str) -> Filters:
    """All conditions of the text. Raises UserError: what is wrong, where (from 1), and what is known."""
    if not text.strip():
        raise UserError("the filter is empty", hint=EXAMPLE)
    if len(text) > MAX_CHARS:
        raise UserError(
            f"the filter has {len(text):,} characters, more than {MAX_CHARS:,}", hint="shorten it"
        )
    filters = Parser(text).filters()
    if clash := contradiction(filters):
        raise UserError(f"filter: {clash} cannot both hold", hint="nothing is published before and after")
    return filters


def filter_text(filters: Filters) -> str:
    """The conditions as text that :func:`parse_filter` reads back; empty for none."""
    return " and ".join(map(str, filters))


def contradiction(filters: Filters) -> str:
    """Two conditions on the day of publication that no day satisfies; empty where there are none."""
    spans = [(*_span(each), each) for each in filters if each.field == FilterField.PUBLISHED]
    first = max(spans, key=lambda span: span[0], default=None)
    last = min(spans, key=lambda span: span[1], default=None)
    return f"{first[2]} and {last[2]}" if first and last and first[0] > last[1] else ""


def _span(condition: Condition) -> tuple[date, date]:
    """The first and the last day on which the condition can hold."""
    days = [days_of(value) for value in condition.values]
    first = min(date.fromisoformat(each.first) for each in days)
    last = max(date.fromisoformat(each.last) for each in days)
    match condition.comparison:
        case Comparison.IS:
            return first, last
        case Comparison.LEAST:
            return first, date.max
        case Comparison.ABOVE:
            return last + timedelta(days=1), date.max
        case Comparison.MOST:
            return date.min, last
        case Comparison.BELOW:
            return date.min, first - timedelta(days=1)
        case _:
            return date.min, date.max
