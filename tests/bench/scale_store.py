"""Passages straight into SQLite's tables, a thousand documents to a transaction: for measurements only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from itertools import islice

from appliance.domain import Passage
from appliance.store.sqlite import Database

ROWS = 10_000
_NOW = "2026-01-01T00:00:00+00:00"


def fill(database: Database, passages: Iterable[Passage]) -> None:
    """One version of each document, current and indexed."""
    with database.transaction() as connection:
        connection.execute("INSERT INTO collections VALUES ('scale', 'synthetic', ?)", (_NOW,))
    stream = iter(passages)
    while some := list(islice(stream, ROWS)):
        documents = {each.document_id: each for each in some}
        with database.transaction() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO documents(id, collection, record_id, title, language, source, groups,"
                " current_version) VALUES (?, 'scale', ?, ?, ?, 'made', ?, 1)",
                [(d, d, f"Report {d}", p.language, json.dumps(p.groups)) for d, p in documents.items()],
            )
            connection.executemany(
                "INSERT OR IGNORE INTO versions(document_id, version, content_sha256, blob_sha256, bytes,"
                " format, title, language, published_from, meta, warnings, ingested_at)"
                " VALUES (?, 1, ?, '', 0, 'text', ?, ?, '', '{}', '[]', ?)",
                [(d, d, f"Report {d}", p.language, _NOW) for d, p in documents.items()],
            )
            connection.executemany(
                "INSERT INTO passages(id, fingerprint, document_id, collection, version, section_path, text,"
                " text_sha256, token_count, language, kind, current, indexed, head_sha256)"
                " VALUES (?, ?, ?, 'scale', 1, '', ?, '', ?, ?, 'paragraph', 1, 1, ?)",
                [
                    (p.id, p.fingerprint, p.document_id, p.text, p.token_count, p.language, _head(p))
                    for p in some
                ],
            )
            connection.executemany(
                "INSERT INTO placements(document_id, version, ordinal, passage_id) VALUES (?, 1, ?, ?)",
                [(p.document_id, p.id, p.id) for p in some],
            )


def _head(passage: Passage) -> str:
    return hashlib.sha256(passage.text[:200].encode()).hexdigest()
