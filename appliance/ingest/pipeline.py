"""Reading and storing run ahead in threads of their own while the caller's thread embeds and indexes.

The embedder is the bottleneck and lets go of Python's lock, so parsing and SQLite cost it little. One thread
stores; windows are cut by passage id, small and urgent files before others.
"""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing

from appliance.ingest.dispatch import Dispatch
from appliance.ingest.indexing import Indexer
from appliance.ingest.progress import Cancelled, IngestProgress, Stage, Tell, stop_if
from appliance.ingest.repositories import Repositories

_LOOK_AGAIN_S = 0.1
PAUSED = "the ingest queue is paused; assay jobs resume goes on"


class Pipeline:
    """Queue → store → windows into the indexes; what is left over is for ``Indexer.everything``."""

    def __init__(self, repositories: Repositories, dispatch: Dispatch, indexer: Indexer) -> None:
        self._jobs = repositories.jobs
        self._schedule = repositories.schedule
        self._dispatch = dispatch
        self._indexer = indexer

    def run(self, tell: Tell, cancelled: Cancelled) -> None:
        """Returns when every queued job is stored. Raises what either side raises, with both at rest."""
        stop = threading.Event()
        telling = threading.Lock()

        def tell_in_turn(progress: IngestProgress) -> None:
            with telling:
                tell(progress)

        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="ingest-store") as pool:
            stored = pool.submit(self._store, tell_in_turn, lambda: stop.is_set() or cancelled())
            gate = self.unless_paused(cancelled, tell_in_turn)
            try:
                while not stored.done():
                    stop_if(gate)
                    for collection in self._jobs.open_collections():
                        self._indexer.due_window(collection, tell_in_turn, gate)
                    wait([stored], timeout=_LOOK_AGAIN_S)
            except BaseException:
                stop.set()
                raise
        stored.result()

    def unless_paused(self, cancelled: Cancelled, tell: Tell) -> Cancelled:
        """``cancelled``, answered only when no person holds the queue: whoever asks waits until then."""
        looked = 0.0

        def answer() -> bool:
            nonlocal looked
            if time.monotonic() - looked > _LOOK_AGAIN_S:
                if self._schedule.paused():
                    tell(IngestProgress(stage=Stage.WARNING, collection="", message=PAUSED))
                while self._schedule.paused() and not cancelled():
                    time.sleep(_LOOK_AGAIN_S)
                looked = time.monotonic()
            return cancelled()

        return answer

    def _store(self, tell: Tell, cancelled: Cancelled) -> None:
        files: set[int] = set()
        documents = passages = 0
        with closing(self._dispatch.run(cancelled)) as steps:
            for job, step in steps:
                files.add(job.id)
                documents += step.documents
                passages += step.passages
                tell(
                    IngestProgress(
                        stage=Stage.STORE,
                        collection=job.collection,
                        message=job.source,
                        files=len(files),
                        documents=documents,
                        passages=passages,
                        indexed=self._indexer.totals.indexed,
                    )
                )
                stop_if(cancelled)
