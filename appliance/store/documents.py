"""Documents and their versions. What ``add`` returns is on disk; passages keep their ids and fingerprints."""

from __future__ import annotations

import sqlite3

import msgspec

from appliance.domain import (
    DocumentId,
    DocumentRecord,
    PassageId,
    Scope,
    Section,
    VersionRecord,
    document_id,
)
from appliance.errors import NotFoundError
from appliance.store.sqlite import Database, Value
from appliance.store.version_writer import VersionWriter
from appliance.store.versioning import NewDocument
from appliance.store.visibility import json_text, readable

_LIST = """
    SELECT d.id, d.record_id, d.collection, d.title, d.language, d.current_version AS version,
           (SELECT count(*) FROM placements l WHERE l.document_id = d.id AND l.version = d.current_version)
               AS passages,
           v.format, d.published, v.ingested_at, d.source, d.groups
    FROM documents d JOIN versions v ON v.document_id = d.id AND v.version = d.current_version
"""


class Added(msgspec.Struct, frozen=True, kw_only=True):
    """What storing one document did."""

    document_id: DocumentId
    version: int
    skipped: bool = False
    """The current version has this very content."""
    passages: int = 0
    carried: int = 0
    """Of the passages, those that an earlier version had and that kept their row."""
    retired: int = 0


class Documents:
    """The repository of documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, new: NewDocument) -> Added:
        """Store a new document or a new version of one, in one transaction (joins an open one)."""
        document = document_id(new.collection, new.record_id)
        with self._database.transaction() as connection:
            before = self._content(document)
            if before is not None and before[1] == new.content_sha256:
                return Added(document_id=document, version=before[0], skipped=True)
            version = before[0] + 1 if before else 1
            writer = VersionWriter(connection, document, version)
            writer.write_document(new)
            writer.write_version(new)
            carried = writer.write_passages(new.drafts, new.parsed.language)
            retired = writer.retire_others()
        return Added(
            document_id=document, version=version, passages=len(new.drafts), carried=carried, retired=retired
        )

    def has_content(self, collection: str, record_id: str, content_sha256: str) -> bool:
        """Whether the current version of the document is this very content (ingest's own question)."""
        before = self._content(document_id(collection, record_id))
        return before is not None and before[1] == content_sha256

    def get(self, document: DocumentId, scope: Scope) -> DocumentRecord:
        """Raises NotFoundError when unknown or not readable."""
        may = readable(scope)
        row = self._database.one(f"{_LIST} WHERE d.id = ? AND {may.sql}", (document, *may.parameters))
        if row is None:
            raise NotFoundError(f"no document {document!r}", hint="assay documents list shows them")
        return _record(row)

    def find(self, name: str, scope: Scope) -> DocumentRecord:
        """By document id or record id. Raises NotFoundError."""
        may = readable(scope)
        row = self._database.one(
            f"{_LIST} WHERE (d.id = ? OR d.record_id = ?) AND {may.sql} ORDER BY d.collection LIMIT 1",
            (name, name, *may.parameters),
        )
        if row is None:
            raise NotFoundError(f"no document {name!r}", hint="assay documents list shows them")
        return _record(row)

    def list(self, scope: Scope, *, limit: int = 100, offset: int = 0) -> list[DocumentRecord]:
        """A page of the readable documents, by collection and record id."""
        may = readable(scope)
        parameters: tuple[Value, ...] = (*may.parameters, limit, offset)
        rows = self._database.query(
            f"{_LIST} WHERE {may.sql} ORDER BY d.collection, d.record_id LIMIT ? OFFSET ?", parameters
        )
        return [_record(row) for row in rows]

    def count(self, scope: Scope) -> int:
        """How many documents are readable."""
        may = readable(scope)
        row = self._database.one(f"SELECT count(*) FROM documents d WHERE {may.sql}", may.parameters)
        return int(row[0]) if row else 0

    def versions(self, document: DocumentId, scope: Scope) -> list[VersionRecord]:
        """Oldest first. Raises NotFoundError."""
        self.get(document, scope)
        rows = self._database.query(
            "SELECT v.document_id, v.version, v.content_sha256, v.blob_sha256, v.format, v.ingested_at,"
            " v.published, (SELECT count(*) FROM placements l WHERE l.document_id = v.document_id"
            " AND l.version = v.version) AS passages"
            " FROM versions v WHERE v.document_id = ? ORDER BY v.version",
            (document,),
        )
        return [msgspec.convert(dict(row), VersionRecord) for row in rows]

    def sections(self, document: DocumentId, version: int, scope: Scope) -> list[Section]:
        """The structure of one version, in reading order. Raises NotFoundError."""
        self.get(document, scope)
        rows = self._database.query(
            "SELECT title, level, trail, blocks FROM sections WHERE document_id = ? AND version = ?"
            " ORDER BY ordinal",
            (document, version),
        )
        return [_section(row) for row in rows]

    def delete(self, document: DocumentId, scope: Scope) -> list[PassageId]:
        """Forget the document with all its versions; the ids are for the indexes to drop.

        The ids are also kept as tombstones until ``IndexQueue.mark_removed``. Raises NotFoundError.
        """
        with self._database.transaction() as connection:
            self.get(document, scope)
            rows = connection.execute(
                "INSERT INTO removed_passages SELECT id, collection FROM passages WHERE document_id = ?"
                " RETURNING id",
                (document,),
            ).fetchall()
            connection.execute("DELETE FROM documents WHERE id = ?", (document,))
        return [PassageId(row[0]) for row in rows]

    def set_groups(self, document: DocumentId, groups: tuple[str, ...], scope: Scope) -> None:
        """Who may read it from now on; its passages go to the indexes again. Raises NotFoundError."""
        with self._database.transaction() as connection:
            self.get(document, scope)
            connection.execute(
                "UPDATE documents SET groups = ? WHERE id = ?", (json_text(sorted(groups)), document)
            )
            connection.execute(
                "UPDATE passages SET indexed = 3 WHERE document_id = ? AND indexed IN (1, 2)", (document,)
            )

    def _content(self, document: DocumentId) -> tuple[int, str] | None:
        row = self._database.one(
            "SELECT v.version, v.content_sha256 FROM documents d"
            " JOIN versions v ON v.document_id = d.id AND v.version = d.current_version WHERE d.id = ?",
            (document,),
        )
        return (int(row[0]), str(row[1])) if row else None


def _record(row: sqlite3.Row) -> DocumentRecord:
    return msgspec.convert({**dict(row), "groups": msgspec.json.decode(row["groups"])}, DocumentRecord)


def _section(row: sqlite3.Row) -> Section:
    decoded = {name: msgspec.json.decode(row[name]) for name in ("trail", "blocks")}
    return msgspec.convert({**dict(row), **decoded}, Section)
