"""Tables and triggers of migration ``m013_memory``: what caches and the knowledge graph stand on.

``epochs.token`` is another one after every change of documents, versions, permissions or indexes of a
collection. It is drawn, not counted, so that a restored backup cannot come to a token again that stood for
something else. ``access_marks`` has every group and deny that the collection ever named: other groups of an
asker change nothing of what they see. ``touched`` has the documents in the order of their latest change.
Triggers write all three, so that no writer can forget to. Released: change it by another migration.
"""

from __future__ import annotations

_TABLES = (
    "CREATE TABLE epochs(collection TEXT PRIMARY KEY REFERENCES collections(name) ON DELETE CASCADE,"
    " token TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE access_marks(collection TEXT NOT NULL REFERENCES collections(name) ON DELETE CASCADE,"
    " mark TEXT NOT NULL, PRIMARY KEY(collection, mark)) WITHOUT ROWID",
    "CREATE TABLE touched(seq INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL,"
    " document_id TEXT NOT NULL UNIQUE REFERENCES documents(id) ON DELETE CASCADE)",
    "CREATE INDEX touched_collection ON touched(collection, seq)",
    "CREATE TABLE cache_counts(kind TEXT NOT NULL, outcome TEXT NOT NULL, times INTEGER NOT NULL,"
    " PRIMARY KEY(kind, outcome)) WITHOUT ROWID",
    "CREATE TABLE edges(id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " collection TEXT NOT NULL REFERENCES collections(name) ON DELETE CASCADE,"
    " subject TEXT NOT NULL, subject_key TEXT NOT NULL, relation TEXT NOT NULL, relation_key TEXT NOT NULL,"
    " object TEXT NOT NULL, object_key TEXT NOT NULL, period TEXT NOT NULL, finding TEXT NOT NULL,"
    " run_id TEXT NOT NULL, confidence REAL NOT NULL, visible_as TEXT NOT NULL, seq INTEGER NOT NULL,"
    " learned_at TEXT NOT NULL)",
    "CREATE INDEX edges_subject ON edges(collection, subject_key, relation_key, period)",
    "CREATE INDEX edges_object ON edges(collection, object_key)",
    "CREATE INDEX edges_run ON edges(run_id)",
    "CREATE TABLE edge_sources(edge_id INTEGER NOT NULL REFERENCES edges(id) ON DELETE CASCADE,"
    " document_id TEXT NOT NULL, fingerprint TEXT NOT NULL,"
    " PRIMARY KEY(edge_id, fingerprint)) WITHOUT ROWID",
    "CREATE INDEX edge_sources_document ON edge_sources(document_id)",
)
_OLD_DATA = (
    "INSERT INTO epochs SELECT name, hex(randomblob(8)) FROM collections",
    "INSERT INTO access_marks SELECT d.collection, m.value FROM documents d, json_each(d.groups) m"
    " UNION SELECT d.collection, m.value FROM documents d, json_each(d.denied) m",
    "INSERT INTO touched(collection, document_id) SELECT collection, id FROM documents ORDER BY rowid",
)


def _told(collection: str) -> str:
    return f"UPDATE epochs SET token = hex(randomblob(8)) WHERE collection = {collection};"


def _marked(column: str) -> str:
    return (
        f"INSERT INTO access_marks SELECT DISTINCT NEW.collection, m.value FROM json_each(NEW.{column}) m"
        " WHERE NOT EXISTS (SELECT 1 FROM access_marks a WHERE a.collection = NEW.collection"
        " AND a.mark = m.value);"
    )


def _touched(document: str) -> str:
    return (
        f"DELETE FROM touched WHERE document_id = {document};"
        f" INSERT INTO touched(collection, document_id) SELECT collection, id FROM documents"
        f" WHERE id = {document};"
    )


def _on(table: str, event: str, does: str, condition: str = "", *, when: str = "AFTER") -> str:
    """The statement that makes a trigger; it is named after what it waits for."""
    name = f"{table}_{event.lower().replace(' ', '_')}_told"
    return f"CREATE TRIGGER {name} {when} {event} ON {table} {condition} BEGIN {does} END"


_OF_DOCUMENT = "(SELECT collection FROM documents WHERE id = NEW.document_id)"
_DOCUMENT_WRITTEN = _told("NEW.collection") + _marked("groups") + _marked("denied") + _touched("NEW.id")
_VERSION_WRITTEN = _told(_OF_DOCUMENT) + _touched("NEW.document_id")
_SAME_INDEX = (
    "SELECT 1 FROM index_state o WHERE o.collection = NEW.collection AND o.kind = NEW.kind"
    " AND o.generation = NEW.generation AND o.count = NEW.count AND o.checksum = NEW.checksum"
)
_TRIGGERS = (
    _on("collections", "INSERT", "INSERT INTO epochs VALUES (NEW.name, hex(randomblob(8)));"),
    _on("collections", "UPDATE", _told("NEW.name")),
    _on("documents", "INSERT", _DOCUMENT_WRITTEN),
    _on("documents", "UPDATE", _DOCUMENT_WRITTEN),
    _on(
        "documents",
        "DELETE",
        _told("OLD.collection")
        + " DELETE FROM edges WHERE id IN (SELECT edge_id FROM edge_sources WHERE document_id = OLD.id);",
    ),
    _on("versions", "INSERT", _VERSION_WRITTEN),
    _on("versions", "UPDATE", _VERSION_WRITTEN),
    # Between its beginning and its end, indexing changes what is found: both are told.
    _on("passages", "UPDATE OF indexed", _told("NEW.collection"), "WHEN NEW.indexed <> OLD.indexed"),
    _on("passages", "UPDATE OF current", _told("NEW.collection"), "WHEN NEW.current <> OLD.current"),
    _on("removed_passages", "DELETE", _told("OLD.collection")),
    _on("index_state", "INSERT", _told("NEW.collection"), f"WHEN NOT EXISTS ({_SAME_INDEX})", when="BEFORE"),
)
STATEMENTS = (*_TABLES, *_OLD_DATA, *_TRIGGERS)
