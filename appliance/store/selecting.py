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
        """The statement behind ``matching_documents``, for the query planner's report too."""
        of_document = [clause_of(each) for each in filters if not clause_of(each).of_passage]
        of_passage = [clause_of(each) for each in filters if clause_of(each).of_passage]
        through = [each for each in filters if _by_index(each)]
        published = any(_narrows_dates(each) for each in filters)
        if any(each.field == FilterField.DOCUMENT for each in filters):
            published, through = False, []
        if published and (not through or self._few(filters, limit)):
            source = f"versions v CROSS JOIN documents d ON {_JOIN}"
        elif through:
            inner = _passages(of_passage, scope, through)
            where = _all(of_document, scope)
            return Clause(
                sql=f"SELECT d.id FROM ({inner.sql}) c CROSS JOIN documents d ON d.id = c.document_id"
                f" JOIN {_CURRENT} WHERE {where.sql} LIMIT ?",
                parameters=(*inner.parameters, *where.parameters, limit + 1),
            )
        else:
            source = f"documents d JOIN {_CURRENT}"
        clauses = list(of_document)
        if of_passage:
            inner = _and(of_passage)
            clauses.append(
                Clause(
                    sql="EXISTS (SELECT 1 FROM passages p WHERE p.document_id = d.id AND p.current = 1"
                    f" AND {inner.sql})",
                    parameters=inner.parameters,
                )
            )
        where = _all(clauses, scope)
        return Clause(
            sql=f"SELECT d.id FROM {source} WHERE {where.sql} LIMIT ?",
            parameters=(*where.parameters, limit + 1),
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


def _passages(clauses: Sequence[Clause], scope: Scope, through: Sequence[Condition]) -> Clause:
    """The documents of passages that meet the clauses, by one of the partial indexes."""
    # The planner takes a partial index only where the statement repeats its condition word by word.
    partial = [f"p.{each.field} <> '{_USUAL[FilterField(each.field)]}'" for each in through]
    where = _and(clauses)
    pieces, parameters = [*dict.fromkeys(partial), where.sql], where.parameters
    if scope.collection is not None:
        pieces.append("p.collection = ?")
        parameters = (*parameters, scope.collection)
    sql = f"SELECT DISTINCT p.document_id FROM passages p WHERE p.current = 1 AND {' AND '.join(pieces)}"
    return Clause(sql=sql, parameters=parameters)


def _all(clauses: Sequence[Clause], scope: Scope) -> Clause:
    may = readable(scope)
    return _and([Clause(sql=may.sql, parameters=may.parameters), *clauses])


def _and(clauses: Sequence[Clause]) -> Clause:
    parameters: list[Value] = [value for each in clauses for value in each.parameters]
    return Clause(sql=" AND ".join(each.sql for each in clauses), parameters=tuple(parameters))
