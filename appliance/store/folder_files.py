"""Which documents of a collection came from a folder: what the ingest jobs know of it."""

from __future__ import annotations

import msgspec

from appliance.domain import DocumentId
from appliance.domain.documents import MEMBER_SEPARATOR
from appliance.store.job_order import RECORDS_LANE
from appliance.store.sqlite import Database

_LATEST = (
    "j.collection = ?1 AND j.root = ?2 AND j.id = (SELECT max(l.id) FROM ingest_jobs l"
    " WHERE l.collection = j.collection AND l.record_id = j.record_id"
    " AND l.state IN ('stored', 'done', 'skipped'))"
)
"""The last job that took each file of the folder."""
_INSIDE = f"(d.source > j.source || '{MEMBER_SEPARATOR}' AND d.source < j.source || '!0')"
"""Out of the job's archive: ``!0`` comes after all that begins with the separator."""


class KnownFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was taken from a folder, and whose documents are still there."""

    record_id: str
    source: str
    blob_sha256: str
    documents: tuple[DocumentId, ...]
    """One; for a file of records one for each, for an archive those of its members."""


class FolderFiles:
    """The repository of files by folder."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def known(self, collection: str, root: str) -> list[KnownFile]:
        """By record id. A record that was taken from elsewhere since belongs there, not here."""
        rows = self._database.query(
            "SELECT j.record_id, j.source, j.blob_sha256, d.id FROM ingest_jobs j JOIN documents d"
            " ON d.collection = j.collection"
            " JOIN versions v ON v.document_id = d.id AND v.version = d.current_version"
            " AND CASE WHEN j.lane = ?3 THEN d.source = j.source ELSE v.source_record = j.record_id"
            f"  OR {_INSIDE} END"
            f" WHERE {_LATEST}"
            " ORDER BY j.record_id, d.record_id",
            (collection, root, RECORDS_LANE),
        )
        files: dict[str, KnownFile] = {}
        for record_id, source, blob, document in rows:
            before = files[record_id].documents if record_id in files else ()
            files[record_id] = KnownFile(
                record_id=record_id,
                source=source,
                blob_sha256=blob,
                documents=(*before, DocumentId(document)),
            )
        return list(files.values())

    def left_archives(self, collection: str, root: str) -> list[tuple[str, DocumentId]]:
        """(record id, document) of what came out of an archive that is still there, but holds it no more."""
        rows = self._database.query(
            "SELECT d.record_id, d.id FROM ingest_jobs j JOIN documents d ON d.collection = j.collection"
            f" AND {_INSIDE}"
            f" WHERE {_LATEST}"
            " AND NOT EXISTS (SELECT 1 FROM ingest_jobs m WHERE m.collection = d.collection"
            "  AND m.source = d.source AND m.id > j.id)"
            " ORDER BY d.record_id",
            (collection, root),
        )
        return [(str(record), DocumentId(document)) for record, document in rows]
