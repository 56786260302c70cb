"""What was read into SQLite: one transaction a step, acknowledged when it is committed. One thread only."""

from __future__ import annotations

import errno
import logging
import time

from appliance.domain import DocumentId, IngestJob, JobState
from appliance.errors import (
    AssayError,
    BackendError,
    BusyError,
    DamagedError,
    NotFoundError,
    RefusedFileError,
    StorageFullError,
)
from appliance.ingest.reading import Prepared, progress_of
from appliance.ingest.repositories import Repositories
from appliance.store.jobs import JobProgress

logger = logging.getLogger("assay.ingest")
ATTEMPTS = 4
"""So often the machine may fail a job before it is put aside."""
BACKOFF_S = 2.0
"""Before the second attempt; three times as long before each one after it."""
_MACHINE = (errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.EINTR, errno.EIO)


class Storing:
    """Commits steps and ends jobs."""

    def __init__(self, repositories: Repositories) -> None:
        self._repositories = repositories

    def commit(self, prepared: Prepared) -> JobProgress | None:
        """The figures of a stored step; None: a person paused or cancelled the job, nothing is stored."""
        here, job = self._repositories, prepared.job
        started = time.perf_counter()
        with here.database.transaction():
            if not here.jobs.is_queued(job.id):
                return None
            passages = already = 0
            stored: list[DocumentId] = []
            for new in prepared.documents:
                added = here.documents.add(new)
                already += added.skipped
                stored.append(added.document_id)
                passages += 0 if added.skipped else len(new.drafts)
            for item, reason in prepared.refusals:
                here.jobs.refuse_record(job.id, item, reason)
            here.jobs.enqueue_members(job.id, prepared.members)
            step = progress_of(prepared, len(prepared.documents) - already, passages, already)
            here.jobs.advance(job.id, step)
            if prepared.report is not None:
                here.reports.put(job.id, prepared.report)
            if prepared.last:
                self._end(prepared)
                here.jobs.complete_documents(job.collection, stored)
            here.reports.spent(job.id, "store", round(time.perf_counter() - started, 4))
        return step

    def _end(self, prepared: Prepared) -> None:
        jobs = self._repositories.jobs
        done = jobs.get(prepared.job.id)
        took = done is not None and (done.documents > 0 or bool(prepared.members))
        jobs.set_state(prepared.job.id, JobState.STORED if took else JobState.SKIPPED)

    def fail(self, job: IngestJob, error: BaseException) -> None:
        """End the job with the reason, or put it back for later when the machine was at fault.

        Raises what stops the whole ingest: a full disk, a locked database, an interrupt.
        """
        jobs, schedule = self._repositories.jobs, self._repositories.schedule
        if not jobs.is_queued(job.id):
            schedule.let_go(job.id)
        elif isinstance(error, RefusedFileError | DamagedError | NotFoundError):
            jobs.set_state(job.id, JobState.REFUSED, str(error))
        elif _is_the_machines(error):
            if job.attempts + 1 >= ATTEMPTS:
                reason = f"{error} (tried {ATTEMPTS} times)"
                jobs.set_state(job.id, JobState.FAILED, reason)
            else:
                schedule.later(job.id, str(error), BACKOFF_S * 3**job.attempts)
        elif isinstance(error, AssayError) or not isinstance(error, Exception):
            raise error
        else:
            # Our own mistake, told as such. Left in the queue, this file would stop every later ingest.
            logger.error("ingest of %s failed", job.source, exc_info=error)
            reason = f"internal error, please report it ({type(error).__name__}: {error})"
            jobs.set_state(job.id, JobState.REFUSED, reason)


def _is_the_machines(error: BaseException) -> bool:
    """Whether the same file may well be taken another time."""
    if isinstance(error, OSError):
        return error.errno in _MACHINE
    if isinstance(error, BackendError):
        return error.retryable and not isinstance(error, StorageFullError | BusyError)
    return isinstance(error, MemoryError)
