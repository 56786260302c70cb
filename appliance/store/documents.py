"""Documents and their versions. What ``add`` returns is on disk; passages keep their ids and fingerprints."""

from __future__ import annotations

import sqlite3

import msgspec

from appliance.domain import (
    DocumentId,
    DocumentRecord,
    MetadataChange,
    PassageId,
    Scope,
    Section,
    VersionRecord,
)
from appliance.errors import NotFoundError
from appliance.store.collections import utc_now
from appliance.store.describing import describe
from appliance.store.recognising import Comes, identify, version_with
from appliance.store.sqlite import Database, Value
from appliance.store.version_writer import VersionWriter
from appliance.store.versioning import NewDocument
from appliance.store.visibility import readable

_LIST = """
    SELECT d.id, d.record_id, d.collection, d.title, d.language, d.current_version AS version,
           (SELECT count(*) FROM placements l WHERE l.document_id = d.id AND l.version = d.current_version)
               AS passages,
           v.format, d.published, v.ingested_at, d.source, d.groups, d.denied, d.declared_id,
           v.effective_from, v.effective_to, d.metadata
    FROM documents d JOIN versions v ON v.document_id = d.id AND v.version = d.current_version
"""
_JSON_COLUMNS = ("groups", "denied", "metadata")
_DUE = "json_extract(d.metadata, '$.review_by') <= ?"


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
        """Store a new document or a new version of one, in one transaction (joins an open one).

        Raises RefusedFileError: the declared id is another document's.
        """
        with self._database.transaction() as connection:
            if (there := self.known(new)) is not None:
                return there
            document = identify(self._database, new)
            version = self._newest(document) + 1
            writer = VersionWriter(connection, document, version)
            writer.write_document(new)
            writer.write_version(new)
            carried = writer.write_passages(new.drafts, new.parsed.language)
            retired = writer.retire_others()
        return Added(
            document_id=document, version=version, passages=len(new.drafts), carried=carried, retired=retired
        )

    def known(self, file: Comes) -> Added | None:
        """None for content that is new; else what is said of it is set, and nothing more is to be done.

        Raises as ``add`` does.
        """
        document = identify(self._database, file)
        version = version_with(self._database, document, file)
        if version is None:
            return None
        current = self._current(document)
        # What is said of an older file is no news of the document as it is now.
        said = file.change if version == current else file.change.of_version()
        if said.given():
            with self._database.transaction() as connection:
                describe(connection, document, version, said)
        return Added(document_id=document, version=current, skipped=True)

    def describe(
        self, document: DocumentId, change: MetadataChange, scope: Scope
    ) -> tuple[DocumentRecord, bool]:
        """Set metadata of the document and its current version; whether the indexes have to learn it.

        The record is returned also to one who may not read it from now on.

        Raises NotFoundError, UserError, RefusedFileError (the declared id is another document's).
        """
        with self._database.transaction() as connection:
            learn = describe(connection, document, self.get(document, scope).version, change)
            row = connection.execute(f"{_LIST} WHERE d.id = ?", (document,)).fetchone()
        return _record(row), learn

    def get(self, document: DocumentId, scope: Scope) -> DocumentRecord:
        """Raises NotFoundError when unknown or not readable."""
        may = readable(scope)
        row = self._database.one(f"{_LIST} WHERE d.id = ? AND {may.sql}", (document, *may.parameters))
        if row is None:
            raise NotFoundError(f"no document {document!r}", hint="assay documents list shows them")
        return _record(row)

    def find(self, name: str, scope: Scope) -> DocumentRecord:
        """By document id, declared id or record id. Raises NotFoundError."""
        may = readable(scope)
        row = self._database.one(
            f"{_LIST} WHERE (d.id = ? OR nullif(d.declared_id, '') = ? OR d.record_id = ?) AND {may.sql}"
            " ORDER BY d.id <> ?, d.collection LIMIT 1",
            (name, name, name, *may.parameters, name),
        )
        if row is None:
            raise NotFoundError(f"no document {name!r}", hint="assay documents list shows them")
        return _record(row)

    def list(
        self, scope: Scope, *, limit: int = 100, offset: int = 0, due: str | None = None
    ) -> list[DocumentRecord]:
        """A page of the readable documents, by collection and record id.

        ``due``: an ISO date; only those that should have been reviewed by then, the longest overdue first.
        """
        may, only = readable(scope), f" AND {_DUE}" if due else ""
        order = "json_extract(d.metadata, '$.review_by'), " if due else ""
        parameters: tuple[Value, ...] = (*may.parameters, *((due,) if due else ()), limit, offset)
        rows = self._database.query(
            f"{_LIST} WHERE {may.sql}{only} ORDER BY {order}d.collection, d.record_id LIMIT ? OFFSET ?",
            parameters,
        )
        return [_record(row) for row in rows]

    def count(self, scope: Scope, *, due: str | None = None) -> int:
        """How many documents are readable (and due)."""
        may, only = readable(scope), f" AND {_DUE}" if due else ""
        row = self._database.one(
            f"SELECT count(*) FROM documents d WHERE {may.sql}{only}",
            (*may.parameters, *((due,) if due else ())),
        )
        return int(row[0]) if row else 0

    def versions(self, document: DocumentId, scope: Scope) -> list[VersionRecord]:
        """Oldest first. Raises NotFoundError."""
        self.get(document, scope)
        rows = self._database.query(
            "SELECT v.document_id, v.version, v.content_sha256, v.blob_sha256, v.format, v.ingested_at,"
            " v.title, v.source_record, v.effective_from, v.effective_to, v.edition,"
            " coalesce(v.published_set, v.published) AS published,"
            " (SELECT count(*) FROM placements l WHERE l.document_id = v.document_id"
            " AND l.version = v.version) AS passages"
            " FROM versions v WHERE v.document_id = ? ORDER BY v.version",
            (document,),
        )
        return [msgspec.convert(dict(row), VersionRecord) for row in rows]

    def sections(self, document: DocumentId, version: int, scope: Scope) -> list[Section]:
        """The structure of one version, in reading order. Raises NotFoundError."""
        self.get(document, scope)
        rows = self._database.query(
            "SELECT title, level, trail, blocks, type FROM sections WHERE document_id = ? AND version = ?"
            " ORDER BY ordinal",
            (document, version),
        )
        return [_section(row) for row in rows]

    def delete(self, document: DocumentId, scope: Scope) -> list[PassageId]:
        """Forget the document with all its versions; the ids are for the indexes to drop.

        The ids are also kept as tombstones until ``IndexQueue.mark_removed``; for good it is kept when it
        went and who could read it, so that its citations say what became of it. Raises NotFoundError.
        """
        with self._database.transaction() as connection:
            self.get(document, scope)
            rows = connection.execute(
                "INSERT INTO removed_passages SELECT id, collection FROM passages WHERE document_id = ?"
                " RETURNING id",
                (document,),
            ).fetchall()
            connection.execute(
                "INSERT OR REPLACE INTO erased_documents"
                " SELECT id, collection, ?, 'deleted', groups, denied FROM documents WHERE id = ?",
                (utc_now(), document),
            )
            connection.execute("DELETE FROM documents WHERE id = ?", (document,))
        return [PassageId(row[0]) for row in rows]

    def _current(self, document: DocumentId) -> int:
        row = self._database.one("SELECT current_version FROM documents WHERE id = ?", (document,))
        return int(row[0]) if row else 0

    def _newest(self, document: DocumentId) -> int:
        row = self._database.one("SELECT max(version) FROM versions WHERE document_id = ?", (document,))
        return int(row[0] or 0) if row else 0


def _record(row: sqlite3.Row) -> DocumentRecord:
    decoded = {name: msgspec.json.decode(row[name]) for name in _JSON_COLUMNS}
    return msgspec.convert({**dict(row), **decoded}, DocumentRecord)


def _section(row: sqlite3.Row) -> Section:
    decoded = {name: msgspec.json.decode(row[name]) for name in ("trail", "blocks")}
    return msgspec.convert({**dict(row), **decoded}, Section)
