"""The rows of one new version of a document: written inside the transaction of ``Documents.add``."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from appliance.domain import EVERYONE, DocumentId, Fingerprint, PassageDraft, PassageId
from appliance.store.collections import utc_now
from appliance.store.describing import describe
from appliance.store.sqlite import Value
from appliance.store.title_keys import title_key
from appliance.store.versioning import NewDocument, Placement, StoredPassage, head_sha256, place
from appliance.store.visibility import json_text


class VersionWriter:
    """Writes document, version, sections, passages and placements, in this order."""

    def __init__(self, connection: sqlite3.Connection, document: DocumentId, version: int) -> None:
        self._connection = connection
        self._document = document
        self._version = version

    def write_document(self, new: NewDocument) -> None:
        """Insert the document or point it to the new version."""
        parsed = new.parsed
        self._connection.execute(
            "INSERT INTO documents(id, collection, record_id, title, language, published, source, groups,"
            " current_version, title_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(id) DO UPDATE SET"
            " title = excluded.title, title_key = excluded.title_key, language = excluded.language,"
            " published = excluded.published, source = excluded.source,"
            " current_version = excluded.current_version",
            (
                self._document,
                new.collection,
                new.record_id,
                parsed.title,
                parsed.language,
                parsed.published,
                new.source,
                json_text((EVERYONE,)),
                self._version,
                title_key(parsed.title),
            ),
        )

    def write_version(self, new: NewDocument) -> None:
        """Insert the version and its sections, then what is said of it."""
        parsed = new.parsed
        values: dict[str, Value] = {
            "document_id": self._document,
            "version": self._version,
            "content_sha256": new.content_sha256,
            "blob_sha256": new.blob_sha256,
            "bytes": new.bytes,
            "format": parsed.format,
            "title": parsed.title,
            "title_from": parsed.title_from,
            "language": parsed.language,
            "published": parsed.published,
            "published_from": parsed.published_from,
            "authors": json_text(parsed.authors),
            "authors_from": parsed.authors_from,
            "edition": parsed.edition,
            "edition_from": parsed.edition_from,
            "pages": parsed.pages,
            "label": parsed.label,
            "meta": json_text(parsed.meta),
            "warnings": json_text(parsed.warnings),
            "source_record": new.record_id,
            "ingested_at": utc_now(),
        }
        self._connection.execute(
            f"INSERT INTO versions({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
            tuple(values.values()),
        )
        self._connection.executemany(
            "INSERT INTO sections(document_id, version, ordinal, title, level, trail, blocks, type)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    self._document,
                    self._version,
                    ordinal,
                    section.title,
                    section.level,
                    json_text(section.trail),
                    json_text(section.blocks),
                    section.type,
                )
                for ordinal, section in enumerate(parsed.sections)
            ],
        )
        describe(self._connection, self._document, self._version, new.change)

    def write_passages(self, drafts: Sequence[PassageDraft], language: str) -> int:
        """Insert the new passages, carry the old ones over; how many were carried."""
        rows = self._connection.execute(
            "SELECT id, fingerprint, text_sha256 FROM passages WHERE document_id = ?", (self._document,)
        )
        stored = [
            StoredPassage(id=PassageId(row[0]), fingerprint=Fingerprint(row[1]), text_sha256=row[2])
            for row in rows
        ]
        placements = place(self._document, drafts, stored)
        for ordinal, placement in enumerate(placements):
            passage = self._carry(placement, language) or self._insert(placement, language)
            self._connection.execute(
                "INSERT INTO placements VALUES (?, ?, ?, ?, ?, ?)",
                (
                    self._document,
                    self._version,
                    ordinal,
                    passage,
                    placement.draft.page_first,
                    placement.draft.page_last,
                ),
            )
        return sum(placement.passage_id is not None for placement in placements)

    def retire_others(self) -> int:
        """Passages that the new version no longer has stay citable, but are not current."""
        return self._connection.execute(
            "UPDATE passages SET current = 0 WHERE document_id = ? AND current = 1 AND version <> ?",
            (self._document, self._version),
        ).rowcount

    def _carry(self, placement: Placement, language: str) -> int | None:
        if placement.passage_id is None:
            return None
        # Indexes hold the title, date and language too: where these changed since the version that they saw,
        # PRESENT (1) and WRITING (2) become STALE (3). ``describe`` did so where permissions changed.
        self._connection.execute(
            "UPDATE passages SET version = ?1, current = 1, language = ?2, token_count = ?3,"
            " section_type = ?5, indexed = CASE WHEN indexed = 0 THEN 0"
            " WHEN indexed = 1 AND (SELECT count(DISTINCT json_array(v.title, v.label, v.language,"
            "  coalesce(v.published_set, v.published))) FROM versions v"
            "  WHERE v.document_id = passages.document_id AND v.version IN (passages.version, ?1)) = 1 THEN 1"
            " ELSE 3 END WHERE id = ?4",
            (
                self._version,
                language,
                placement.draft.token_count,
                placement.passage_id,
                placement.draft.section_type,
            ),
        )
        return placement.passage_id

    def _insert(self, placement: Placement, language: str) -> int:
        draft = placement.draft
        cursor = self._connection.execute(
            "INSERT INTO passages(fingerprint, document_id, collection, version, section_path, text,"
            " text_sha256, token_count, language, kind, section_type, current, indexed, head_sha256)"
            " SELECT ?, id, collection, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, ? FROM documents WHERE id = ?",
            (
                placement.fingerprint,
                self._version,
                draft.section_path,
                draft.text,
                placement.text_sha256,
                draft.token_count,
                language,
                draft.kind,
                draft.section_type,
                head_sha256(placement.fingerprint),
                self._document,
            ),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid
