"""Where passages stand in the versions of their document, and what they were sealed with.

Arrives: a passage or a version, and the asker's scope. Leaves: places in reading order with text and pages.
"""

from __future__ import annotations

import msgspec

from appliance.domain import DocumentId, Fingerprint, PassageId, Scope
from appliance.store.sqlite import Database, Value
from appliance.store.visibility import readable

_PLACED = """
    SELECT p.id, p.fingerprint, l.version, l.ordinal, p.section_path, p.text, p.text_sha256, l.page_first,
           l.page_last
    FROM placements l JOIN passages p ON p.id = l.passage_id JOIN documents d ON d.id = l.document_id
"""


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A passage as one version has it."""

    id: PassageId
    fingerprint: Fingerprint
    version: int
    ordinal: int
    """From 0, in reading order."""
    section_path: str
    text: str
    text_sha256: str
    """Of the text as it was stored."""
    page_first: int | None
    page_last: int | None


class Placements:
    """Reads places, never without the asker's permissions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_passage(self, passage: PassageId, scope: Scope) -> list[Placed]:
        """The passage in every version that has it, oldest first."""
        return self._placed("l.passage_id = ?", (passage,), scope, "l.version")

    def beside(self, place: Placed, document: DocumentId, most: int, scope: Scope) -> list[Placed]:
        """Up to ``most`` passages before a place and as many after it, in its version and its section."""
        return self._placed(
            "l.document_id = ? AND l.version = ? AND l.ordinal BETWEEN ? AND ? AND l.ordinal <> ?"
            " AND p.section_path = ?",
            (
                document,
                place.version,
                place.ordinal - most,
                place.ordinal + most,
                place.ordinal,
                place.section_path,
            ),
            scope,
            "l.ordinal",
        )

    def in_version(
        self, document: DocumentId, version: int, scope: Scope, *, section_path: str | None = None
    ) -> list[Placed]:
        """The passages of one version, or of one of its sections, in reading order."""
        only = "" if section_path is None else " AND p.section_path = ?"
        more: tuple[Value, ...] = () if section_path is None else (section_path,)
        return self._placed(
            f"l.document_id = ? AND l.version = ?{only}", (document, version, *more), scope, "l.ordinal"
        )

    def _placed(self, where: str, parameters: tuple[Value, ...], scope: Scope, order: str) -> list[Placed]:
        may = readable(scope)
        rows = self._database.query(
            f"{_PLACED} WHERE {where} AND {may.sql} ORDER BY {order}", (*parameters, *may.parameters)
        )
        return [msgspec.convert(dict(row), Placed) for row in rows]
