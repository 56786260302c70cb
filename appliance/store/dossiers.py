"""All there is to know of a document beside its text: what was read, what was doubtful, versions, age."""

from __future__ import annotations

import datetime
from collections import Counter

import msgspec

from appliance.domain import (
    BlockKind,
    DocumentId,
    DocumentRecord,
    Freshness,
    Scope,
    Struct,
    VersionRecord,
    VersionReport,
    freshness,
)
from appliance.errors import NotFoundError
from appliance.store.documents import Documents
from appliance.store.sqlite import Database


class Dossier(Struct, frozen=True, kw_only=True):
    """One document."""

    document: DocumentRecord
    freshness: Freshness
    report: VersionReport
    """Of the current version."""
    versions: tuple[VersionRecord, ...]


def dossier_of(database: Database, documents: Documents, document: DocumentRecord, scope: Scope) -> Dossier:
    """The dossier as of today (UTC). Raises NotFoundError."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return Dossier(
        document=document,
        freshness=freshness(document, today),
        report=parse_report(database, documents, document.id, document.version, scope),
        versions=tuple(documents.versions(document.id, scope)),
    )


def parse_report(
    database: Database, documents: Documents, document: DocumentId, version: int, scope: Scope
) -> VersionReport:
    """The report of one version. Raises NotFoundError when it is unknown or not readable."""
    sections = documents.sections(document, version, scope)
    row = database.one(
        "SELECT title, title_from, authors, authors_from, edition, edition_from, published AS published_read,"
        " published_from, pages, warnings FROM versions WHERE document_id = ? AND version = ?",
        (document, version),
    )
    if row is None:
        raise NotFoundError(
            f"document {document!r} has no version {version}", hint="assay documents versions lists them"
        )
    tables = [block for section in sections for block in section.blocks if block.kind is BlockKind.TABLE]
    decoded = {name: msgspec.json.decode(row[name], type=tuple[str, ...]) for name in ("authors", "warnings")}
    return msgspec.convert(
        {
            **dict(row),
            **decoded,
            "sections": dict(Counter(section.type.value for section in sections)),
            "tables": len(tables),
            "tables_without_header": sum(
                table.table is not None and table.table.header_rows == 0 for table in tables
            ),
        },
        VersionReport,
    )
