"""Two versions of a document, or two documents, out of the store into a list of changes; for CLI and API.

Beside wiring, above the rooms: the store's sections and passages go to the documents room's comparison.
"""

from __future__ import annotations

from appliance.documents.diff import SectionChange, Side, compare_versions
from appliance.domain import DocumentRecord, Scope, VersionRecord
from appliance.errors import NotFoundError, UserError
from appliance.store.documents import Documents
from appliance.store.passages import Passages


class Comparer:
    """Compares what the asker may read."""

    def __init__(self, documents: Documents, passages: Passages) -> None:
        """Bind the two repositories."""
        self._documents, self._passages = documents, passages

    def compare(
        self,
        name: str,
        scope: Scope,
        *,
        other: str | None = None,
        old: int | None = None,
        new: int | None = None,
    ) -> list[SectionChange]:
        """Changes in reading order, from version ``old`` of the document to version ``new``.

        Without numbers: from the version before the current one to the current one. With ``other``, from the
        current version of the document to that of the other. Raises NotFoundError, UserError (one version).
        """
        first = self._documents.find(name, scope)
        second = self._documents.find(other, scope) if other else first
        new_version = new or second.version
        old_version = old or (first.version if other else self._before(first, new_version, scope))
        return compare_versions(self._side(first, old_version, scope), self._side(second, new_version, scope))

    def _before(self, document: DocumentRecord, version: int, scope: Scope) -> int:
        earlier = [v.version for v in self._documents.versions(document.id, scope) if v.version < version]
        if not earlier:
            raise UserError(
                f"{document.record_id!r} has only one version"
                if document.version == 1
                else f"{document.record_id!r} has no version before {version}",
                hint="ingest a newer one, or name a second document to compare with",
            )
        return earlier[-1]

    def _side(self, document: DocumentRecord, version: int, scope: Scope) -> Side:
        found = self._version(document, version, scope)
        return Side(
            title=found.title,
            sections=tuple(self._documents.sections(document.id, version, scope)),
            passages=tuple(self._passages.of_document(document.id, version, scope)),
        )

    def _version(self, document: DocumentRecord, version: int, scope: Scope) -> VersionRecord:
        known = self._documents.versions(document.id, scope)
        for each in known:
            if each.version == version:
                return each
        raise NotFoundError(
            f"{document.record_id!r} has no version {version}",
            hint=f"versions: {', '.join(str(each.version) for each in known)}",
        )
