"""Uploads into the collection: one thread stores and indexes what the queue holds, one ingest at a time.

Arrives: files on disk. Leaves: job numbers at once, searchable passages later, or the reason why not.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

from appliance.domain import DocumentId, DocumentRecord, MetadataChange, Principal, Priority
from appliance.errors import AssayError, CancelledError
from appliance.ingest.erasing import ErasureReport
from appliance.ingest.ingestor import NOTHING_SAID
from appliance.wiring import Appliance

logger = logging.getLogger("assay.ingest")
RETRY_S = 60.0
"""After a failure (a full disk, say) the queue is tried again this often."""
POLL_S = 1.0
"""How often the queue is looked at for what another process changed in it."""
STOP_S = 60.0


class IngestWorker:
    """Owns the ingest thread of the server."""

    def __init__(self, appliance: Appliance) -> None:
        self._appliance = appliance
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._unchecked: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="assay-ingest", daemon=True)
        self.checked = threading.Event()
        """Set once the indexes of every collection have been compared with SQLite."""
        self.error = ""
        """Why the last attempt stopped; empty: it did not."""

    def start(self) -> None:
        """Check the indexes, finish what an earlier process left, then wait for files."""
        self._unchecked = {each.name for each in self._appliance.repositories.collections.list()}
        self._wake.set()
        self._thread.start()

    def stop(self) -> None:
        """Stop after the batch in hand; the rest stays in the queue."""
        self._stopping.set()
        self._wake.set()
        self._thread.join(STOP_S)

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def submit(
        self,
        files: Sequence[Path],
        collection: str,
        priority: Priority = Priority.NORMAL,
        change: MetadataChange = NOTHING_SAID,
    ) -> list[int]:
        """The job numbers; the files themselves are no longer needed when this returns."""
        known = {each.name for each in self._appliance.repositories.collections.list()}
        jobs = self._appliance.ingestor.enqueue(files, collection, priority=priority, change=change)
        if collection not in known:
            with self._lock:
                self._unchecked.add(collection)
        self._wake.set()
        return jobs

    def delete(self, document: DocumentId) -> None:
        """Forget a document; its passages leave the indexes now or with the running ingest."""
        self._appliance.ingestor.delete(document, self._appliance.scope(Principal()))
        self._wake.set()

    def describe(self, document: DocumentId, change: MetadataChange) -> DocumentRecord:
        """The document with its new metadata; the indexes learn of it with the next ingest, at once if idle.

        Permissions hold from now on in every read, whatever the indexes still say.
        """
        documents = self._appliance.repositories.documents
        scope = self._appliance.scope(Principal())
        described, learn = documents.describe(document, change, scope)
        if learn:
            self._wake.set()
        return described

    def erase(self, document: DocumentId) -> ErasureReport:
        """Every trace of it. Raises NotFoundError, BusyError (a question that uses it is being answered)."""
        scope = self._appliance.scope(Principal())
        self._appliance.repositories.documents.get(document, scope)
        return self._appliance.ingestor.erase(document, scope, unless_used=True)

    def _run(self) -> None:
        while not self._stopping.is_set():
            woken = self._wake.wait(RETRY_S if self.error else POLL_S)
            self._wake.clear()
            if self._stopping.is_set():
                return
            if not woken and not self.error and not self._appliance.repositories.schedule.waiting():
                continue
            try:
                self._check()
                self.checked.set()
                self._appliance.ingestor.resume(cancelled=self._must_stop)
                self.error = ""
            except CancelledError:
                self._wake.set()
            except AssayError as error:
                self.error = str(error)
                self._appliance.warn(f"ingest: {error}")
            except Exception as error:
                self.error = f"internal error ({type(error).__name__}), see the server's log"
                logger.exception("ingest failed")

    def _check(self) -> None:
        while self._unchecked:
            with self._lock:
                collection = min(self._unchecked)
            self._appliance.ready(collection)
            with self._lock:
                self._unchecked.discard(collection)

    def _must_stop(self) -> bool:
        # A new collection's first check would wait for the whole ingest, and its searches with it.
        return self._stopping.is_set() or bool(self._unchecked)
