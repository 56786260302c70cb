"""What is said where a search found nothing, or less than was wanted: never an empty list without a reason.

Arrives: counts, conditions, and what readable documents have instead. Leaves: one line for each reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from appliance.domain import Condition, DocumentId, FilterField, PassageId, Strategy

_DATED = {
    FilterField.PUBLISHED: ("no document has a date", "documents are dated"),
    FilterField.EFFECTIVE: ("no document says when it is in force", "documents come into force"),
}
_VALUED = frozenset(
    (
        FilterField.EDITION,
        FilterField.SECTION_TYPE,
        FilterField.KIND,
        FilterField.LANGUAGE,
        FilterField.AUTHORITY,
        FilterField.CLASSIFICATION,
        FilterField.OWNER,
        FilterField.TAG,
        FilterField.FORMAT,
    )
)


def no_hits(strategy: Strategy) -> str:
    """Why a search without a filter came back empty."""
    if strategy is Strategy.LEXICAL:
        return "no passage that you may read has a word of the query: stop words and signs are not looked up"
    return "the collection has no passage that you may read"


def few_left(left: int, of: int) -> str:
    """That a broad filter left fewer passages than were wanted."""
    return f"the filter leaves {left} of the {of} nearest candidates; farther ones were not looked at"


def nothing_left(
    kept: Mapping[Condition, Collection[PassageId]],
    of: int,
    listed: tuple[DocumentId, ...] | None,
    present: Callable[[str], tuple[str, ...]],
) -> tuple[str, ...]:
    """Why no candidate is left, a line for each reason."""
    if not of and listed:
        some = (
            f"{len(listed):,} document{'' if len(listed) == 1 else 's'} meet{'s' if len(listed) == 1 else ''}"
        )
        return (f"{some} the filter, and nothing there answers the query's words",)
    alone = [condition for condition, met in kept.items() if not met]
    if listed == () and not of:
        return tuple(_with(f"no document meets {each}", each, present) for each in kept)
    reasons = [_with(f"{each} leaves 0 of {of} candidates", each, present) for each in alone]
    if not alone:
        joined = " and ".join(f"{each} ({len(met)})" for each, met in kept.items())
        reasons.append(f"{joined} leave 0 of {of} candidates together")
    if listed is None:
        reasons.append("many documents meet the filter, but none of the passages nearest to the query")
    return tuple(reasons)


def _with(reason: str, condition: Condition, present: Callable[[str], tuple[str, ...]]) -> str:
    """The reason, and what readable documents have instead."""
    field = condition.field
    nowhere, there = next(
        (words for name, words in _DATED.items() if name == field),
        (f"no document has a value for {field}", "there is"),
    )
    if field not in _VALUED and field not in _DATED:
        return reason
    values = present(field)
    if not values:
        return f"{reason}; {nowhere}"
    if field in _DATED:
        span = values[0] if len(values) == 1 else f"from {values[0]} to {values[-1]}"
        return f"{reason}; {there} {span}"
    return f"{reason}; {there} {', '.join(values)}"
