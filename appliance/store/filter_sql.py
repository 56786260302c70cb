"""One condition of a filter as a piece of SQL: values are parameters, never text of the statement.

Arrives: a Condition. Leaves: a Clause over ``d`` (documents), ``v`` (their version) and ``p`` (passages).
``!=`` is the exact complement of ``=``: what has no such value is left in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from appliance.domain import RANKED, Comparison, Condition, FilterField, days_of
from appliance.errors import UserError
from appliance.store.folding import fold
from appliance.store.sqlite import Value
from appliance.store.visibility import json_text

PUBLISHED = "coalesce(v.published_set, v.published)"
_LATEST = f"substr({PUBLISHED} || substr('-12-31', length({PUBLISHED}) - 3), 1, 10)"
"""The last day it can be: 2023 → 2023-12-31, 2023-02 → 2023-02-31."""
_ANY = "(SELECT value FROM json_each(?))"
_SIGNS = frozenset(("=", ">=", "<=", ">", "<"))


class Clause(msgspec.Struct, frozen=True, kw_only=True):
    """Part of a WHERE clause with its parameters."""

    sql: str
    parameters: tuple[Value, ...]
    of_passage: bool = False
    """It speaks of ``p``: whether a document has such a passage is another question."""


def clause_of(condition: Condition) -> Clause:
    """The condition in SQL. Raises UserError: a field, a comparison or a value that filters do not have."""
    try:
        field = FilterField(condition.field)
        positive = Comparison.IS if condition.comparison is Comparison.NOT else condition.comparison
        each = [_WRITERS[field](positive, values) for values in _alternatives(field, positive, condition)]
    except (KeyError, ValueError) as error:
        raise UserError(
            f"the condition {condition} cannot be applied", hint="see the fields of --filter"
        ) from error
    sql = " OR ".join(f"({part.sql})" for part in each)
    if condition.comparison is Comparison.NOT:
        sql = f"NOT ifnull(({sql}), 0)"
    return Clause(
        sql=f"({sql})",
        parameters=tuple(value for part in each for value in part.parameters),
        of_passage=field in _OF_PASSAGE,
    )


_OF_PASSAGE = frozenset(
    (FilterField.SECTION, FilterField.SECTION_TYPE, FilterField.KIND, FilterField.LANGUAGE)
)
Values = Sequence[str]


def _alternatives(field: FilterField, comparison: Comparison, condition: Condition) -> list[Values]:
    """All values at once where one ``IN`` takes them, else one after the other."""
    if not condition.values:
        raise ValueError("no value")
    if field in _LISTED and comparison is Comparison.IS:
        return [condition.values]
    return [(value,) for value in condition.values]


def _published(comparison: Comparison, values: Values) -> Clause:
    days = days_of(values[0])
    # A date of the store may be a month or a year: it fits where all its days do.
    first = days.first.removesuffix("-01").removesuffix("-01")
    last = f"{days.last[:8]}31" if days_of(days.last[:7]).last == days.last else days.last
    from_first, to_last = f"{PUBLISHED} >= ?", f"{PUBLISHED} <= ? AND {_LATEST} <= ?"
    match comparison:
        case Comparison.IS:
            return Clause(sql=f"{from_first} AND {to_last}", parameters=(first, last, last))
        case Comparison.LEAST:
            return Clause(sql=from_first, parameters=(first,))
        case Comparison.MOST:
            return Clause(sql=to_last, parameters=(last, last))
        case Comparison.ABOVE:
            return Clause(sql=f"{PUBLISHED} > ?", parameters=(last,))
        case Comparison.BELOW:
            return Clause(sql=f"{PUBLISHED} < ? AND {_LATEST} < ?", parameters=(days.first, days.first))
        case _:
            raise ValueError(comparison)


def _effective(comparison: Comparison, values: Values) -> Clause:
    """In force on one of the days; a document of which neither end is known is never."""
    days = days_of(values[0])
    begun = {Comparison.IS: "<=", Comparison.MOST: "<=", Comparison.BELOW: "<"}.get(comparison)
    lasts = {Comparison.IS: ">=", Comparison.LEAST: ">=", Comparison.ABOVE: ">"}.get(comparison)
    pieces, parameters = ["coalesce(v.effective_from, v.effective_to) IS NOT NULL"], list[Value]()
    if begun:
        pieces.append(f"(v.effective_from IS NULL OR v.effective_from {begun} ?)")
        parameters.append(days.first if comparison is Comparison.BELOW else days.last)
    if lasts:
        pieces.append(f"(v.effective_to IS NULL OR v.effective_to {lasts} ?)")
        parameters.append(days.last if comparison is Comparison.ABOVE else days.first)
    if not parameters:
        raise ValueError(comparison)
    return Clause(sql=" AND ".join(pieces), parameters=tuple(parameters))


def _version(comparison: Comparison, values: Values) -> Clause:
    if comparison not in _SIGNS:
        raise ValueError(comparison)
    return Clause(sql=f"v.version {comparison} ?", parameters=(int(values[0]),))


def _document(comparison: Comparison, values: Values) -> Clause:
    if comparison is Comparison.CONTAINS:
        return _contains("d.record_id", values[0])
    wanted = json_text(values)
    return Clause(
        sql=f"d.id IN {_ANY} OR d.record_id IN {_ANY} OR d.declared_id IN {_ANY}",
        parameters=(wanted, wanted, wanted),
    )


def _section(comparison: Comparison, values: Values) -> Clause:
    if comparison is Comparison.CONTAINS:
        return _contains("p.section_path", values[0])
    # A heading of the trail, or some that follow each other.
    trail = f" > {fold(values[0])} > "
    return Clause(sql="instr(' > ' || folded(p.section_path) || ' > ', ?) > 0", parameters=(trail,))


def _tag(comparison: Comparison, values: Values) -> Clause:
    test = "instr(folded(t.value), ?) > 0" if comparison is Comparison.CONTAINS else "folded(t.value) = ?"
    sql = f"EXISTS (SELECT 1 FROM json_each(d.metadata, '$.tags') t WHERE {test})"
    return Clause(sql=sql, parameters=(fold(values[0]),))


def _text(column: str) -> Callable[[Comparison, Values], Clause]:
    def write(comparison: Comparison, values: Values) -> Clause:
        if comparison is Comparison.CONTAINS:
            return _contains(column, values[0])
        if comparison is not Comparison.IS:
            raise ValueError(comparison)
        return Clause(sql=f"folded({column}) = ?", parameters=(fold(values[0]),))

    return write


def _listed(column: str, ranked: tuple[str, ...] = ()) -> Callable[[Comparison, Values], Clause]:
    def write(comparison: Comparison, values: Values) -> Clause:
        chosen: Values = values
        if comparison is not Comparison.IS:
            place = ranked.index(values[0])
            chosen = {
                Comparison.LEAST: ranked[place:],
                Comparison.ABOVE: ranked[place + 1 :],
                Comparison.MOST: ranked[: place + 1],
                Comparison.BELOW: ranked[:place],
            }[comparison]
        return Clause(sql=f"{column} IN {_ANY}", parameters=(json_text(chosen),))

    return write


def _contains(column: str, value: str) -> Clause:
    return Clause(sql=f"instr(folded({column}), ?) > 0", parameters=(fold(value),))


AUTHORITY, CLASSIFICATION, OWNER = (
    f"json_extract(d.metadata, '$.{name}')" for name in ("authority", "classification", "owner")
)
_WRITERS: dict[FilterField, Callable[[Comparison, Values], Clause]] = {
    FilterField.PUBLISHED: _published,
    FilterField.EFFECTIVE: _effective,
    FilterField.VERSION: _version,
    FilterField.EDITION: _text("v.edition"),
    FilterField.DOCUMENT: _document,
    FilterField.TITLE: _text("v.title"),
    FilterField.SECTION: _section,
    FilterField.SECTION_TYPE: _listed("p.section_type"),
    FilterField.KIND: _listed("p.kind"),
    FilterField.LANGUAGE: _listed("p.language"),
    FilterField.AUTHORITY: _listed(AUTHORITY, RANKED[FilterField.AUTHORITY]),
    FilterField.CLASSIFICATION: _listed(CLASSIFICATION, RANKED[FilterField.CLASSIFICATION]),
    FilterField.OWNER: _text(OWNER),
    FilterField.TAG: _tag,
    FilterField.FORMAT: _listed("v.format"),
}
_LISTED = frozenset(
    (
        FilterField.DOCUMENT,
        FilterField.SECTION_TYPE,
        FilterField.KIND,
        FilterField.LANGUAGE,
        FilterField.AUTHORITY,
        FilterField.CLASSIFICATION,
        FilterField.FORMAT,
    )
)
