"""Two versions of a document, or two documents, out of the store into a list of changes; for CLI and API.

Beside wiring, above the rooms: the store's sections and passages go to the documents room's comparison.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.documents.diff import SectionChange, Side, compare_versions
from appliance.domain import DocumentId, DocumentRecord, Scope, Struct, VersionRecord
from appliance.errors import NotFoundError, UserError
from appliance.reasoning.editions import Edition
from appliance.store.documents import Documents
from appliance.store.passages import Passages


class Compared(Struct, frozen=True, kw_only=True):
    """Two versions side by side."""

    old: Side
    new: Side
    changes: tuple[SectionChange, ...]


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

    def side_by_side(
        self, older: tuple[DocumentId, int], newer: tuple[DocumentId, int], scope: Scope
    ) -> Compared:
        """Two given versions, of one document or of two. Raises NotFoundError."""
        old, new = (
            self._side(self._documents.get(document, scope), version, scope)
            for document, version in (older, newer)
        )
        return Compared(old=old, new=new, changes=tuple(compare_versions(old, new)))

    def editions(self, documents: Sequence[DocumentId], scope: Scope) -> list[Edition]:
        """All versions of documents, in the order of the documents. One that is gone is passed over."""
        found: list[Edition] = []
        for place, document in enumerate(documents):
            try:
                known = self._documents.versions(document, scope)
            except NotFoundError:
                continue
            found += [_edition(each, place) for each in known]
        return found

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


def _edition(version: VersionRecord, place: int) -> Edition:
    return Edition(
        document=version.document_id,
        version=version.version,
        title=version.title,
        label=version.edition,
        published=version.published or "",
        effective_from=version.effective_from or "",
        place=place,
    )
