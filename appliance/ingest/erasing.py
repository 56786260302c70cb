"""Deleting and erasing: a document out of everything that holds a part of it, with an account of what went.

``delete`` leaves nothing that can be retrieved. ``erase`` leaves no trace in the data folder: it also clears
caches, what runs quoted, and the free space inside the database files. Killed half-way, it is done again with
the same command: the rows that name the document go last.
"""

from __future__ import annotations

from collections.abc import Sequence

from appliance.domain import DocumentId, RunId, Scope, Struct
from appliance.errors import BackendError, BusyError
from appliance.ingest.indexes import Indexes
from appliance.ingest.indexing import Indexer
from appliance.ingest.repositories import Repositories
from appliance.store.cache_counts import Kind
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.erasure import Erasure, Traces
from appliance.store.tiers import Tiers


class Removed(Struct, frozen=True, kw_only=True):
    """What went from one place."""

    where: str
    what: str
    count: int


class Remaining(Struct, frozen=True, kw_only=True):
    """What is still there, and why."""

    what: str
    why: str


class ErasureReport(Struct, frozen=True, kw_only=True):
    """The account of one erasure. It names the document by its id only."""

    document_id: DocumentId
    collection: str
    removed: tuple[Removed, ...]
    remains: tuple[Remaining, ...]
    runs: tuple[RunId, ...]
    """Runs whose quotations were blanked."""


class Eraser:
    """``erase`` works while no ingest does: ``Ingestor`` holds its lock around it."""

    def __init__(
        self,
        repositories: Repositories,
        indexes: Indexes,
        indexer: Indexer,
        cache: EmbeddingCache,
        results: Tiers | None = None,
    ) -> None:
        self._repositories = repositories
        self._indexes = indexes
        self._indexer = indexer
        self._cache, self._results = cache, results
        self._rows = Erasure(repositories.database)

    def delete(self, document: DocumentId, scope: Scope) -> int:
        """Out of the store, the original too if nothing else needs it; how many passages went.

        The indexes forget it with ``Ingestor.settle``. Raises NotFoundError.
        """
        blobs = self._rows.traces(document).blobs
        gone = len(self._repositories.documents.delete(document, scope))
        self._remove_originals(document, blobs)
        return gone

    def erase(self, document: DocumentId, scope: Scope, *, unless_used: bool = False) -> ErasureReport:
        """Every trace. Raises NotFoundError, BusyError (a running question uses it)."""
        record = self._repositories.documents.get(document, scope)
        traces = self._rows.traces(document)
        if unless_used and (running := self._rows.running(traces.runs)):
            raise BusyError(
                f"{len(running)} running question(s) use {document}: {', '.join(running[:3])}",
                hint="wait for their end or cancel them, then erase the document",
            )
        remains = [*self._shared(document, traces), *self._beyond(traces)]
        vectors = self._rows.retire(document)
        self._indexer.remove_leaving(record.collection)
        self._indexes.lexical(record.collection).merge()
        removed = [
            Removed(where="dense index", what="vectors", count=vectors),
            Removed(where="lexical index", what="postings, journal and older generations", count=1),
            Removed(where="cache", what="embeddings", count=self._cache.forget(traces.indexed_texts)),
            Removed(where="cache", what="kept results", count=self._forget_results(record.collection)),
            Removed(where="originals", what="files", count=self._remove_originals(document, traces.blobs)),
        ]
        rows = self._rows.erase(document, traces)
        self._indexer.remove_leaving(record.collection)
        removed += [
            Removed(where="database", what="versions", count=traces.versions),
            Removed(where="database", what="sections", count=traces.sections),
            Removed(where="database", what="passages", count=traces.passages),
            *(Removed(where="database", what=what, count=count) for what, count in rows.items()),
        ]
        remains += self._clear_free_space()
        return ErasureReport(
            document_id=document,
            collection=record.collection,
            removed=tuple(removed),
            remains=tuple(remains),
            runs=traces.runs,
        )

    def _forget_results(self, collection: str) -> int:
        """All of the collection, and what was read from questions: a later one names an earlier result."""
        if self._results is None:
            return 0
        gone = self._results.forget(collection=collection)
        return gone + sum(self._results.forget(kind=kind) for kind in (Kind.READING, Kind.REWRITE))

    def _shared(self, document: DocumentId, traces: Traces) -> list[Remaining]:
        shared: list[Remaining] = []
        for blob in traces.blobs:
            if others := self._rows.holders(blob, document):
                shown = ", ".join(others[:3]) + (" …" if len(others) > 3 else "")
                shared.append(
                    Remaining(
                        what=f"the original {blob[:12]}…",
                        why=f"it also holds {len(others)} other document(s): {shown}; erase those too, or"
                        " take the record out of the file and ingest it again",
                    )
                )
        return shared

    def _beyond(self, traces: Traces) -> list[Remaining]:
        remains = [
            Remaining(
                what="copies outside the data folder",
                why="backups, exports and the file that was ingested are not in its reach",
            )
        ]
        if traces.runs:
            remains.append(
                Remaining(
                    what=f"the questions of {len(traces.runs)} run(s)",
                    why="they are the words of those who asked; quotations and steps are blanked",
                )
            )
        return remains

    def _remove_originals(self, document: DocumentId, blobs: Sequence[str]) -> int:
        """Originals that no other document and no waiting job needs."""
        needed = self._repositories.jobs.waiting_blobs()
        alone = [blob for blob in blobs if not self._rows.holders(blob, document) and blob not in needed]
        for blob in alone:
            self._repositories.blobs.remove(blob)
        return len(alone)

    def _clear_free_space(self) -> list[Remaining]:
        """Overwrite what SQLite keeps of deleted rows; what could not be, and why."""
        failed: list[Remaining] = []
        for what, compact in (
            ("free pages of the database", self._repositories.database.compact),
            ("free pages of the vector file", self._indexes.compact),
            ("free pages of the cache", self._cache.compact),
            ("free pages of kept results", self._results.compact if self._results else _nothing),
        ):
            try:
                compact()
            except BackendError as error:
                failed.append(Remaining(what=what, why=f"{error.message}; erase again later"))
        return failed


def _nothing() -> None:
    """Where there is nothing to compact."""
