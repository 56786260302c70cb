"""Filters on stored documents and passages: which documents have a matching passage, which candidates match.

Arrives: conditions and a scope. Leaves: ids, whatever the conditions say only of what the asker may read.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.domain import Comparison, Condition, DocumentId, FilterField, Filters, PassageId, Scope
from appliance.store.filter_sql import AUTHORITY, CLASSIFICATION, OWNER, PUBLISHED, Clause, clause_of
from appliance.store.sqlite import Database, Value
from appliance.store.visibility import json_text, readable

_USUAL = {FilterField.SECTION_TYPE: "body", FilterField.KIND: "paragraph"}
"""The value that most passages have: the indexes of these columns leave it out."""
_PRESENT = {
    FilterField.EDITION: "v.edition",
    FilterField.LANGUAGE: "d.language",
    FilterField.AUTHORITY: AUTHORITY,
    FilterField.CLASSIFICATION: CLASSIFICATION,
    FilterField.OWNER: OWNER,
    FilterField.FORMAT: "v.format",
}
_ENDS = {
    FilterField.PUBLISHED: f"min({PUBLISHED}), max({PUBLISHED})",
    FilterField.EFFECTIVE: "min(v.effective_from), max(v.effective_from)",
}
_CURRENT = "versions v ON v.document_id = d.id AND v.version = d.current_version"
_SHOWN = 8


class Selector:
    """Implements ``ports.PassageFilter``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def matching_documents(self, filters: Filters, scope: Scope, limit: int) -> tuple[DocumentId, ...] | None:
        """The readable documents with a current passage that meets all conditions; None: more than ``limit``.

        Raises UserError for a condition that no filter can have.
        """
        query = self.documents_query(filters, scope, limit)
        rows = self._database.query(query.sql, query.parameters)
        return None if len(rows) > limit else tuple(DocumentId(row[0]) for row in rows)

    def matches(self, passages: Sequence[PassageId], filters: Filters, scope: Scope) -> set[PassageId]:
        """Those of the passages that are readable and meet all conditions. Raises UserError likewise."""
        if not passages:
            return set()
        where = _all([clause_of(each) for each in filters], scope)
        rows = self._database.query(
            "SELECT p.id FROM passages p JOIN documents d ON d.id = p.document_id"
            " JOIN versions v ON v.document_id = p.document_id AND v.version = p.version"
            f" WHERE p.id IN (SELECT value FROM json_each(?)) AND {where.sql}",
            (json_text([int(number) for number in passages]), *where.parameters),
        )
        return {PassageId(row[0]) for row in rows}

    def present(self, field: str, scope: Scope) -> tuple[str, ...]:
        """What the readable documents have there: oldest and newest date, or the most frequent values."""
        may = readable(scope)
        if (ends := next((each for name, each in _ENDS.items() if name == field), None)) is not None:
            row = self._database.one(
                f"SELECT {ends} FROM documents d JOIN {_CURRENT} WHERE {may.sql}", may.parameters
            )
            return tuple(dict.fromkeys(str(day) for day in row if day)) if row else ()
        source = f"documents d JOIN {_CURRENT}"
        column = next((sql for name, sql in _PRESENT.items() if name == field), None)
        if field in (FilterField.SECTION_TYPE, FilterField.KIND):
            source = "documents d JOIN passages p ON p.document_id = d.id AND p.current = 1"
            column = "p.section_type" if field == FilterField.SECTION_TYPE else "p.kind"
        if field == FilterField.TAG:
            source, column = "documents d JOIN json_each(d.metadata, '$.tags') t", "t.value"
        if column is None:
            return ()
        rows = self._database.query(
            f"SELECT {column} AS value FROM {source} WHERE {may.sql} AND value <> ''"
            f" GROUP BY value ORDER BY count(*) DESC, value LIMIT {_SHOWN}",
            may.parameters,
        )
        return tuple(str(row[0]) for row in rows)

    def documents_query(self, filters: Filters, scope: Scope, limit: int) -> Clause:
        """The statement behind ``matching_documents``, for the query planner's report too.

        SQLite keeps no statistics here, so the shortest way in is chosen by what the conditions are.
        """
        clauses = [clause_of(each) for each in filters]
        of_passage = [each for each in clauses if each.of_passage]
        where = [each for each in clauses if not each.of_passage]
        named = next((each for each in filters if _names(each)), None)
        through = next((each for each in filters if _by_index(each)), None)
        dated = any(_narrows_dates(each) for each in filters)
        start = Clause(sql=f"documents d JOIN {_CURRENT}", parameters=())
        if named is not None:
            start = _from(_named(named))
        elif dated and (through is None or self._few(filters, limit)):
            start = Clause(sql=f"versions v CROSS JOIN documents d ON {_JOIN}", parameters=())
        elif through is not None:
            start, of_passage = _from(_passages(of_passage, scope, through)), []
        if of_passage:
            where.append(_has_passage(of_passage))
        rest = _all(where, scope)
        return Clause(
            sql=f"SELECT d.id FROM {start.sql} WHERE {rest.sql} LIMIT ?",
            parameters=(*start.parameters, *rest.parameters, limit + 1),
        )

    def _few(self, filters: Filters, limit: int) -> bool:
        """Whether the dates alone leave at most ``limit`` versions: then they are the shortest way."""
        dates = _and([clause_of(each) for each in filters if _narrows_dates(each)])
        rows = self._database.query(
            f"SELECT 1 FROM versions v WHERE {dates.sql} LIMIT ?", (*dates.parameters, limit + 1)
        )
        return len(rows) <= limit


_JOIN = "d.id = v.document_id AND d.current_version = v.version"


def _by_index(condition: Condition) -> bool:
    usual = _USUAL.get(FilterField(condition.field))
    return usual is not None and condition.comparison is Comparison.IS and usual not in condition.values


def _narrows_dates(condition: Condition) -> bool:
    return condition.field == FilterField.PUBLISHED and condition.comparison is not Comparison.NOT


def _names(condition: Condition) -> bool:
    return condition.field == FilterField.DOCUMENT and condition.comparison is Comparison.IS


def _from(ids: Clause) -> Clause:
    """Documents by their ids first, whatever else is known of them."""
    return Clause(
        sql=f"({ids.sql}) c CROSS JOIN documents d ON d.id = c.document_id JOIN {_CURRENT}",
        parameters=ids.parameters,
    )


def _named(condition: Condition) -> Clause:
    """Documents of these names, each kind of name by its own index; other collections' too."""
    wanted = json_text(condition.values)
    each = [
        f"SELECT x.id AS document_id FROM documents x WHERE x.{column} IN (SELECT value FROM json_each(?))"
        for column in ("id", "record_id", "declared_id")
    ]
    return Clause(sql=" UNION ".join(each), parameters=(wanted,) * len(each))


def _passages(clauses: Sequence[Clause], scope: Scope, through: Condition) -> Clause:
    """The documents of current passages that meet the clauses, by the partial index of ``through``."""
    # A partial index serves only a statement that repeats its condition word by word.
    usual = f"p.{through.field} <> '{_USUAL[FilterField(through.field)]}'"
    where = _and(clauses)
    sql = (
        f"SELECT DISTINCT p.document_id FROM passages p INDEXED BY passages_{through.field}"
        f" WHERE p.current = 1 AND {usual} AND {where.sql}"
    )
    if scope.collection is None:
        return Clause(sql=sql, parameters=where.parameters)
    return Clause(sql=f"{sql} AND p.collection = ?", parameters=(*where.parameters, scope.collection))


def _has_passage(clauses: Sequence[Clause]) -> Clause:
    """That one current passage meets all of the clauses."""
    where = _and(clauses)
    sql = "EXISTS (SELECT 1 FROM passages p WHERE p.document_id = d.id AND p.current = 1"
    return Clause(sql=f"{sql} AND {where.sql})", parameters=where.parameters)


def _all(clauses: Sequence[Clause], scope: Scope) -> Clause:
    may = readable(scope)
    return _and([Clause(sql=may.sql, parameters=may.parameters), *clauses])


def _and(clauses: Sequence[Clause]) -> Clause:
    parameters: list[Value] = [value for each in clauses for value in each.parameters]
    return Clause(sql=" AND ".join(each.sql for each in clauses), parameters=tuple(parameters))
