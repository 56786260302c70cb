"""The knowledge graph: who, what and when, each edge with the passages that prove it. Kept by collection.

Arrives: verified findings. Leaves: edges, to those who may read every one of their sources, as long as each
is in its document's current version. Erasing or deleting a document takes its edges with it (a trigger).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from appliance.domain import Finding, Fingerprint, RunId, Scope, Struct
from appliance.store.collections import utc_now
from appliance.store.sqlite import Database, Value
from appliance.store.title_keys import name_key, names
from appliance.store.visibility import json_text, readable

LOOKED_THROUGH = 2_000
"""Passages of documents that changed since; where there are more, an edge counts as overtaken."""
_SELECT = (
    "SELECT e.*, (SELECT json_group_array(s.fingerprint) FROM edge_sources s WHERE s.edge_id = e.id)"
    " AS sources FROM edges e"
)
_VISIBLE = """
    e.collection = ? AND EXISTS (SELECT 1 FROM edge_sources s WHERE s.edge_id = e.id)
    AND NOT EXISTS (SELECT 1 FROM edge_sources s WHERE s.edge_id = e.id AND NOT EXISTS (
        SELECT 1 FROM passages p JOIN documents d ON d.id = p.document_id
        WHERE p.fingerprint = s.fingerprint AND p.current = 1 AND {readable}))
"""


class NewEdge(Struct, frozen=True, kw_only=True):
    """What a run found out."""

    subject: str
    subject_key: str
    relation: str
    """A question with ``·`` for the subject."""
    relation_key: str
    object: str
    period: str
    finding: Finding
    run_id: RunId
    confidence: float
    """0–1."""
    visible_as: tuple[str, ...]
    """For whom it was found out: others may see more, and would find otherwise."""
    seq: int
    """The latest change of the collection that the run can have seen."""


class Edge(Struct, frozen=True, kw_only=True):
    """One edge, as listed."""

    id: int
    subject: str
    relation: str
    object: str
    period: str
    sources: tuple[Fingerprint, ...]
    finding: Finding
    run_id: RunId
    confidence: float
    seq: int
    learned_at: str


class EntityRow(Struct, frozen=True, kw_only=True):
    """An entity and how many edges the asker sees of it."""

    name: str
    edges: int


class Edges:
    """The repository of edges."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def latest_change(self, collection: str) -> int:
        """The number of the collection's latest change; 0 for none."""
        row = self._database.one(
            "SELECT coalesce(max(seq), 0) FROM touched WHERE collection = ?", (collection,)
        )
        return int(row[0]) if row else 0

    def add(self, collection: str, new: NewEdge, sources: Sequence[Fingerprint]) -> None:
        """Keep an edge; the same one, learned before for the same readers, gives way."""
        object_key = name_key(new.object) or new.object.casefold()
        same = (collection, new.subject_key, new.relation_key, new.period, object_key)
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM edges WHERE collection = ? AND subject_key = ? AND relation_key = ?"
                " AND period = ? AND object_key = ? AND visible_as = ?",
                (*same, json_text(new.visible_as)),
            )
            values: dict[str, Value] = {
                "collection": collection,
                "subject": new.subject,
                "subject_key": new.subject_key,
                "relation": new.relation,
                "relation_key": new.relation_key,
                "object": new.object,
                "object_key": object_key,
                "period": new.period,
                "finding": json_text(new.finding),
                "run_id": new.run_id,
                "confidence": new.confidence,
                "visible_as": json_text(new.visible_as),
                "seq": new.seq,
                "learned_at": utc_now(),
            }
            edge = connection.execute(
                f"INSERT INTO edges({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
                tuple(values.values()),
            ).lastrowid
            connection.executemany(
                "INSERT OR IGNORE INTO edge_sources VALUES (?, ?, ?)",
                [(edge, mark.partition("#")[0], mark) for mark in sources],
            )

    def asked(
        self, scope: Scope, subject_key: str, relation_key: str, period: str, visible_as: Sequence[str]
    ) -> list[Edge]:
        """Edges that answer exactly this, learned for those who see the same; the surest first."""
        return self._edges(
            scope,
            "e.subject_key = ? AND e.relation_key = ? AND e.period = ? AND e.visible_as = ?"
            " ORDER BY e.confidence DESC, e.id DESC",
            (subject_key, relation_key, period, json_text(tuple(visible_as))),
        )

    def of_entity(self, scope: Scope, entity: str, *, limit: int = 50, offset: int = 0) -> list[Edge]:
        """Edges from or to an entity, newest first."""
        key = name_key(entity) or entity.casefold()
        return self._edges(
            scope,
            "(e.subject_key = ? OR e.object_key = ?) ORDER BY e.id DESC LIMIT ? OFFSET ?",
            (key, key, limit, offset),
        )

    def entities(self, scope: Scope, *, limit: int = 50, offset: int = 0) -> list[EntityRow]:
        """Subjects with their edges, those with most first."""
        may = readable(scope)
        rows = self._database.query(
            "SELECT max(e.subject) AS name, count(*) AS edges FROM edges e"
            f" WHERE {_VISIBLE.format(readable=may.sql)}"
            " GROUP BY e.subject_key ORDER BY edges DESC, name LIMIT ? OFFSET ?",
            (scope.collection, *may.parameters, limit, offset),
        )
        return [EntityRow(name=str(row["name"]), edges=int(row["edges"])) for row in rows]

    def overtaken(self, scope: Scope, entity_key: str, seq: int) -> bool:
        """Whether a document that changed since ``seq`` may be naming the entity, to this asker."""
        may = readable(scope)
        rows = self._database.query(
            "SELECT d.title, p.text FROM touched t JOIN documents d ON d.id = t.document_id"
            " JOIN passages p ON p.document_id = d.id AND p.current = 1"
            f" WHERE t.collection = ? AND t.seq > ? AND {may.sql} LIMIT ?",
            (scope.collection, seq, *may.parameters, LOOKED_THROUGH + 1),
        )
        if len(rows) > LOOKED_THROUGH:
            return True
        return any(names(f"{row['title']}\n{row['text']}", entity_key) for row in rows)

    def forget(self, collection: str, *, entity: str | None = None, run_id: RunId | None = None) -> int:
        """Throw edges away: of a collection, of one entity in it, of one run; how many."""
        where, parameters = "collection = ?", [collection]
        if entity is not None:
            key = name_key(entity) or entity.casefold()
            where, parameters = f"{where} AND (subject_key = ? OR object_key = ?)", [*parameters, key, key]
        if run_id is not None:
            where, parameters = f"{where} AND run_id = ?", [*parameters, run_id]
        with self._database.transaction() as connection:
            return connection.execute(f"DELETE FROM edges WHERE {where}", parameters).rowcount

    def _edges(self, scope: Scope, where: str, parameters: tuple[Value, ...]) -> list[Edge]:
        may = readable(scope)
        rows = self._database.query(
            f"{_SELECT} WHERE {_VISIBLE.format(readable=may.sql)} AND {where}",
            (scope.collection, *may.parameters, *parameters),
        )
        return [_edge(row) for row in rows]


def _edge(row: sqlite3.Row) -> Edge:
    fields = {name: row[name] for name in Edge.__struct_fields__}
    fields["sources"] = msgspec.json.decode(row["sources"])
    fields["finding"] = msgspec.json.decode(row["finding"])
    return msgspec.convert(fields, Edge)
