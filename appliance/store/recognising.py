"""Which document a file is a version of, and whether its content is there already."""

from __future__ import annotations

from typing import Protocol

from appliance.domain import DocumentId, MetadataChange, document_id
from appliance.errors import RefusedFileError
from appliance.store.sqlite import Database


class Comes(Protocol):
    """What is known of a file or record before it is parsed; ``NewDocument`` is one."""

    @property
    def collection(self) -> str:
        """Where it goes."""
        ...

    @property
    def record_id(self) -> str:
        """By which name it comes."""
        ...

    @property
    def content_sha256(self) -> str:
        """What it holds."""
        ...

    @property
    def change(self) -> MetadataChange:
        """What is said of it."""
        ...


def identify(database: Database, file: Comes) -> DocumentId:
    """The document that the file is a version of: by its declared id, else by where it comes from.

    Raises RefusedFileError when the file was taken in as another document before it declared its id.
    """
    own = document_id(file.collection, file.record_id)
    exists = database.one("SELECT 1 FROM documents WHERE id = ?", (own,)) is not None
    declared = file.change.document_id
    if isinstance(declared, str):
        row = database.one(
            "SELECT id, title FROM documents WHERE collection = ? AND declared_id = ?",
            (file.collection, declared),
        )
        if row and exists and row["id"] != own:
            raise RefusedFileError(
                f"{file.record_id} declares the id {declared!r} of {row['id']}, but is here already as {own}",
                hint=f"run `assay documents delete {own}`, then ingest the file again",
            )
        return DocumentId(row["id"]) if row else own
    if exists:
        return own
    brought = database.one(
        "SELECT v.document_id FROM versions v JOIN documents d ON d.id = v.document_id"
        " WHERE v.source_record = ? AND d.collection = ? ORDER BY v.ingested_at DESC LIMIT 1",
        (file.record_id, file.collection),
    )
    return DocumentId(brought[0]) if brought else own


def version_with(database: Database, document: DocumentId, file: Comes) -> int | None:
    """The version that has the file's content: the current one, or the latest that this file brought.

    The second, because files that declare one id would otherwise replace each other at every ingest.
    """
    row = database.one(
        "SELECT max(v.version) FROM versions v JOIN documents d ON d.id = v.document_id WHERE d.id = ?1"
        " AND v.content_sha256 = ?2 AND v.version IN (d.current_version, (SELECT max(o.version)"
        " FROM versions o WHERE o.document_id = ?1 AND o.source_record = ?3))",
        (document, file.content_sha256, file.record_id),
    )
    return int(row[0]) if row and row[0] is not None else None
