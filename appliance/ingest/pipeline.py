"""Reading and storing run ahead in one thread while the caller's thread embeds and indexes.

The embedder is the bottleneck and lets go of Python's lock, so parsing and SQLite cost it little. Passage ids
do not depend on timing: one thread stores, in the order of the queue, and windows are cut by id.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor, wait

from appliance.ingest.indexing import Indexer
from appliance.ingest.progress import Cancelled, IngestProgress, Stage, Tell, stop_if
from appliance.ingest.storing import Storing
from appliance.store.jobs import Jobs

_LOOK_AGAIN_S = 0.05


class Pipeline:
    """Queue → store → full windows into the indexes; what is left over is for ``Indexer.everything``."""

    def __init__(self, jobs: Jobs, storing: Storing, indexer: Indexer) -> None:
        self._jobs = jobs
        self._storing = storing
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
            try:
                while not stored.done():
                    for collection in self._jobs.open_collections():
                        self._indexer.full_windows(collection, tell_in_turn, cancelled)
                    wait([stored], timeout=_LOOK_AGAIN_S)
            except BaseException:
                stop.set()
                raise
        stored.result()

    def _store(self, tell: Tell, cancelled: Cancelled) -> None:
        files = documents = passages = 0
        while job := self._jobs.next_queued():
            for step in self._storing.steps(job):
                documents += step.documents
                passages += step.passages
                tell(
                    IngestProgress(
                        stage=Stage.STORE,
                        collection=job.collection,
                        message=job.source,
                        files=files,
                        documents=documents,
                        passages=passages,
                        indexed=self._indexer.totals.indexed,
                    )
                )
                stop_if(cancelled)
            files += 1
