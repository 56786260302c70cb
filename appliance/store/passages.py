"""Passages for readers: by id and by fingerprint, never without the asker's permissions."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence

import msgspec

from appliance.domain import DocumentId, Fingerprint, Passage, PassageId, Scope
from appliance.errors import GoneError, NotFoundError, UserError
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text, readable

PASSAGE_SELECT = """
    SELECT p.id, p.fingerprint, p.document_id, d.record_id, p.collection, v.title, p.section_path, p.text,
           p.language, p.token_count, p.kind, p.section_type, p.version, p.current, l.page_first, l.page_last,
           coalesce(v.published_set, v.published) AS published, v.effective_from, v.effective_to,
           json_extract(d.metadata, '$.authority') AS authority, v.label, d.groups, d.denied
    FROM passages p
    JOIN documents d ON d.id = p.document_id
    JOIN versions v ON v.document_id = p.document_id AND v.version = p.version
    JOIN placements l ON l.passage_id = p.id AND l.version = p.version
"""
"""A passage as the last version that has it shows it: that version's title, date and pages."""
_HASH_PREFIX = re.compile(r"[0-9a-f]{8,64}(~\d+)?")


class Passages:
    """Implements ``ports.PassageReader``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def passages(self, ids: Sequence[PassageId], scope: Scope) -> list[Passage]:
        """The readable ones, in the order asked; others are left out."""
        if not ids:
            return []
        may = readable(scope)
        rows = self._database.query(
            f"{PASSAGE_SELECT} WHERE p.id IN (SELECT value FROM json_each(?)) AND {may.sql}",
            (json_text([int(number) for number in ids]), *may.parameters),
        )
        found = {PassageId(row["id"]): passage_of(row) for row in rows}
        return [found[number] for number in ids if number in found]

    def by_fingerprint(self, fingerprint: Fingerprint, scope: Scope) -> Passage:
        """Also of older versions; a prefix (8 hex digits or more) of the hash will do if only one has it.

        Raises NotFoundError when unknown or not readable, GoneError when its document was deleted since,
        UserError when the prefix is not unique.
        """
        may = readable(scope)
        rows = self._database.query(
            f"{PASSAGE_SELECT} WHERE p.fingerprint = ? AND {may.sql}", (fingerprint, *may.parameters)
        )
        if not rows and _HASH_PREFIX.fullmatch(fingerprint):
            rows = self._by_prefix(fingerprint, scope)
        if not rows:
            raise self._unknown(fingerprint, scope)
        if len(rows) > 1:
            raise UserError(
                f"{len(rows)} passages begin with {fingerprint!r}", hint="give the whole fingerprint"
            )
        return passage_of(rows[0])

    def of_document(self, document: DocumentId, version: int, scope: Scope) -> list[Passage]:
        """The passages of one version in reading order, each as its last version shows it."""
        may = readable(scope)
        rows = self._database.query(
            f"{PASSAGE_SELECT} JOIN placements o ON o.passage_id = p.id AND o.version = ?"
            f" WHERE p.document_id = ? AND {may.sql} ORDER BY o.ordinal",
            (version, document, *may.parameters),
        )
        return [passage_of(row) for row in rows]

    def neighbours(self, ids: Sequence[PassageId], scope: Scope) -> list[PassageId]:
        """The readable passages just before and after these in their versions, in the order asked."""
        may = readable(scope)
        rows = self._database.query(
            "SELECT a.passage_id AS beside, b.passage_id AS id FROM placements a"
            " JOIN placements b ON b.document_id = a.document_id AND b.version = a.version"
            " AND abs(b.ordinal - a.ordinal) = 1"
            " JOIN passages p ON p.id = b.passage_id AND p.current JOIN documents d ON d.id = p.document_id"
            " WHERE a.passage_id IN (SELECT value FROM json_each(?)) AND "
            f"{may.sql} ORDER BY a.version DESC, b.ordinal",
            (json_text([int(number) for number in ids]), *may.parameters),
        )
        beside = [(ids.index(PassageId(row["beside"])), PassageId(row["id"])) for row in rows]
        return list(dict.fromkeys(number for _, number in sorted(beside, key=lambda one: one[0])))

    def preceding(self, ids: Sequence[PassageId], scope: Scope) -> dict[PassageId, PassageId]:
        """By passage, the readable one just before it in its version; none for a version's first."""
        may = readable(scope)
        rows = self._database.query(
            "SELECT a.passage_id AS after, b.passage_id AS id FROM placements a"
            " JOIN placements b ON b.document_id = a.document_id AND b.version = a.version"
            " AND b.ordinal = a.ordinal - 1"
            " JOIN passages p ON p.id = b.passage_id AND p.current JOIN documents d ON d.id = p.document_id"
            f" WHERE a.passage_id IN (SELECT value FROM json_each(?)) AND {may.sql} ORDER BY a.version",
            (json_text([int(number) for number in ids]), *may.parameters),
        )
        return {PassageId(row["after"]): PassageId(row["id"]) for row in rows}

    def _unknown(self, fingerprint: Fingerprint, scope: Scope) -> NotFoundError:
        """What became of its document, for those who could read that; for others it never was."""
        may = readable(scope)
        gone = self._database.one(
            f"SELECT d.how, d.erased_at FROM erased_documents d WHERE d.id = ? AND {may.sql}",
            (fingerprint.partition("#")[0], *may.parameters),
        )
        if gone is None:
            return NotFoundError(f"no passage {fingerprint!r}", hint="copy the fingerprint from a citation")
        how, day = str(gone["how"]), str(gone["erased_at"])[:10]
        if how == "erased":
            return GoneError(
                f"the document of {fingerprint!r} was erased on {day}", hint="nothing of it is kept"
            )
        return GoneError(
            f"no passage {fingerprint!r} any more: its document was deleted on {day}",
            hint="ingest the document again, and the citation resolves again",
        )

    def _by_prefix(self, prefix: str, scope: Scope) -> list[sqlite3.Row]:
        may = readable(scope)
        head, tilde, number = prefix.partition("~")
        rows = self._database.query(
            f"{PASSAGE_SELECT} WHERE p.head_sha256 >= ? AND p.head_sha256 < ? AND {may.sql} LIMIT 1000",
            (head, head + "g", *may.parameters),
        )
        if tilde:
            rows = [row for row in rows if str(row["fingerprint"]).endswith(f"~{number}")]
        return rows


def passage_of(row: sqlite3.Row) -> Passage:
    """A row of ``PASSAGE_SELECT`` as a passage."""
    fields = dict(row)
    fields["current"] = bool(fields["current"])
    for name in ("groups", "denied"):
        fields[name] = msgspec.json.decode(fields[name])
    return msgspec.convert(fields, Passage)
