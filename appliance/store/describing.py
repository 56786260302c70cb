"""Metadata into the rows of a document and one of its versions; what the indexes have to learn is marked.

Arrives: a MetadataChange. Leaves: changed rows. No text changes, so nothing is embedded again: passages whose
permissions or date changed become STALE, and go to the indexes with the vectors of the cache.
"""

from __future__ import annotations

import sqlite3

import msgspec

from appliance.domain import EVERYONE, DocumentId, Metadata, MetadataChange, changed
from appliance.errors import RefusedFileError, UserError
from appliance.store.sqlite import Value
from appliance.store.visibility import json_text

_OF_VERSION = {
    "published": "published_set",
    "effective_from": "effective_from",
    "effective_to": "effective_to",
}
"""Field of a change → column of ``versions``."""


def describe(
    connection: sqlite3.Connection, document: DocumentId, version: int, change: MetadataChange
) -> bool:
    """Whether the indexes have something to learn. Call it inside a transaction.

    Raises UserError (an end before its beginning), RefusedFileError (another document declares that id).
    """
    if not change.given():
        return False
    before = _index_fields(connection, document, version)
    _write_version(connection, document, version, change)
    _write_document(connection, document, change)
    connection.execute(
        "UPDATE documents SET published = (SELECT coalesce(v.published_set, v.published) FROM versions v"
        " WHERE v.document_id = documents.id AND v.version = documents.current_version) WHERE id = ?",
        (document,),
    )
    if _index_fields(connection, document, version) == before:
        return False
    connection.execute(
        "UPDATE passages SET indexed = 3 WHERE document_id = ? AND indexed IN (1, 2)", (document,)
    )
    return True


def metadata_of(text: str) -> Metadata:
    """The column ``documents.metadata``."""
    return msgspec.json.decode(text, type=Metadata)


def _index_fields(
    connection: sqlite3.Connection, document: DocumentId, version: int
) -> tuple[object, ...] | None:
    row = connection.execute(
        "SELECT d.groups, d.denied, coalesce(v.published_set, v.published) FROM documents d"
        " JOIN versions v ON v.document_id = d.id WHERE d.id = ? AND v.version = ?",
        (document, version),
    ).fetchone()
    return tuple(row) if row else None


def _write_version(
    connection: sqlite3.Connection, document: DocumentId, version: int, change: MetadataChange
) -> None:
    given = change.given()
    columns = {column: given[name] for name, column in _OF_VERSION.items() if name in given}
    _update(connection, "versions", columns, "document_id = ? AND version = ?", (document, version))
    row = connection.execute(
        "SELECT effective_from, effective_to FROM versions WHERE document_id = ? AND version = ?",
        (document, version),
    ).fetchone()
    if row[0] and row[1] and row[1] < row[0]:
        raise UserError(
            f"version {version} would end ({row[1]}) before it begins ({row[0]})",
            hint="set effective_from and effective_to together",
        )


def _write_document(connection: sqlite3.Connection, document: DocumentId, change: MetadataChange) -> None:
    given = change.given()
    old = connection.execute("SELECT metadata FROM documents WHERE id = ?", (document,)).fetchone()[0]
    columns: dict[str, object] = {"metadata": json_text(changed(metadata_of(old), change))}
    if isinstance(change.groups, tuple) or change.groups is None:
        columns["groups"] = json_text(sorted(set(change.groups or (EVERYONE,))))
    if isinstance(change.deny, tuple) or change.deny is None:
        columns["denied"] = json_text(sorted(set(change.deny or ())))
    if "document_id" in given:
        columns["declared_id"] = given["document_id"]
    try:
        _update(connection, "documents", columns, "id = ?", (document,))
    except sqlite3.IntegrityError as error:
        raise RefusedFileError(
            f"another document of the collection declares the id {given['document_id']!r}",
            hint="delete one of the two, or give them different ids",
        ) from error


def _update(
    connection: sqlite3.Connection,
    table: str,
    columns: dict[str, object],
    where: str,
    parameters: tuple[Value, ...],
) -> None:
    if columns:
        names = ", ".join(f"{name} = ?" for name in columns)
        connection.execute(f"UPDATE {table} SET {names} WHERE {where}", (*columns.values(), *parameters))
