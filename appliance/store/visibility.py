"""Decision 9: the only place where a scope becomes SQL. Every read on behalf of a person goes through it."""

from __future__ import annotations

import msgspec

from appliance.domain import Scope
from appliance.store.sqlite import Value


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a WHERE clause over the table alias ``d`` (documents) and its parameters."""

    sql: str
    parameters: tuple[Value, ...]


def readable(scope: Scope) -> Condition:
    """True for documents of the scope's collection that share a group with the asker and do not deny them.

    A deny of one of the asker's groups, or of the asker as ``user:NAME``, wins over every group allowed.
    """
    clauses = [
        "EXISTS (SELECT 1 FROM json_each(d.groups) g JOIN json_each(?) s ON g.value = s.value)",
        "NOT EXISTS (SELECT 1 FROM json_each(d.denied) n JOIN json_each(?) s ON n.value = s.value)",
    ]
    parameters: list[Value] = [json_text(scope.groups), json_text(scope.denied_as())]
    if scope.collection is not None:
        clauses.append("d.collection = ?")
        parameters.append(scope.collection)
    if scope.documents:
        clauses.append("d.id IN (SELECT value FROM json_each(?))")
        parameters.append(json_text(scope.documents))
    return Condition(sql=" AND ".join(clauses), parameters=tuple(parameters))


def json_text(value: object) -> str:
    """Compact JSON, as SQLite's ``json_each`` and our columns take it."""
    return msgspec.json.encode(value).decode()
