"""Queued files into SQLite: a step is one file or one batch of records, one transaction, acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from appliance.domain import IngestJob, JobState, MetadataChange, Struct
from appliance.errors import AssayError, DamagedError, NotFoundError, RefusedFileError
from appliance.ingest.readers import Readers, ReadRecord
from appliance.ingest.repositories import Repositories
from appliance.store.jobs import JobProgress
from appliance.store.versioning import NewDocument

RECORDS_PER_TRANSACTION = 200


class _File(Struct, frozen=True, kw_only=True):
    """A file or record that is not parsed yet (``store.recognising.Comes``)."""

    collection: str
    record_id: str
    content_sha256: str
    change: MetadataChange


class Storing:
    """Takes jobs from the queue in order; what a step yields is how many passages it stored."""

    def __init__(self, repositories: Repositories, readers: Readers) -> None:
        self._repositories = repositories
        self._readers = readers

    def steps(self, job: IngestJob) -> Iterator[JobProgress]:
        """Store one job. A refused file ends its job with the reason and disturbs no other."""
        try:
            if self._readers.is_jsonl(job.source):
                yield from self._store_records(job)
            else:
                yield self._store_file(job)
        except (RefusedFileError, DamagedError, NotFoundError) as error:
            self._repositories.jobs.set_state(job.id, JobState.REFUSED, str(error))
        except (AssayError, MemoryError):
            raise
        except Exception as error:
            # Our own mistake, told as such. Left in the queue, this file would stop every later ingest.
            reason = f"internal error, please report it ({type(error).__name__}: {error})"
            self._repositories.jobs.set_state(job.id, JobState.REFUSED, reason)

    def _store_file(self, job: IngestJob) -> JobProgress:
        here = self._repositories
        file = _File(
            collection=job.collection,
            record_id=job.record_id,
            content_sha256=job.blob_sha256,
            change=here.jobs.change(job.id),
        )
        if here.documents.known(file):
            return self._end(job, JobProgress(skipped=1))
        path = here.blobs.path(job.blob_sha256)
        parsed = self._readers.parse_file(path, job.source)
        new = NewDocument(
            collection=job.collection,
            record_id=job.record_id,
            source=job.source,
            parsed=parsed,
            drafts=tuple(self._readers.cut(parsed)),
            content_sha256=job.blob_sha256,
            blob_sha256=job.blob_sha256,
            bytes=path.stat().st_size,
            change=file.change,
        )
        with here.database.transaction():
            here.documents.add(new)
            return self._end(job, JobProgress(documents=1, passages=len(new.drafts)))

    def _store_records(self, job: IngestJob) -> Iterator[JobProgress]:
        here = self._repositories
        path = here.blobs.path(job.blob_sha256)
        change = here.jobs.change(job.id)
        documents = job.documents
        records = self._readers.records(path, job.source, job.records_read)
        while batch := list(islice(records, RECORDS_PER_TRANSACTION)):
            prepared = [self._prepared(job, record, change) for record in batch]
            with here.database.transaction():
                step = self._commit(job, batch, prepared)
                here.jobs.advance(job.id, step)
            documents += step.documents
            yield step
        here.jobs.set_state(job.id, JobState.STORED if documents else JobState.SKIPPED)

    def _prepared(self, job: IngestJob, record: ReadRecord, change: MetadataChange) -> NewDocument | None:
        """What to store of a record; None when it was refused or is there already."""
        if record.parsed is None:
            return None
        file = _File(
            collection=job.collection,
            record_id=record.id,
            content_sha256=record.content_sha256,
            change=change,
        )
        if self._repositories.documents.known(file):
            return None
        return NewDocument(
            collection=job.collection,
            record_id=record.id,
            source=job.source,
            parsed=record.parsed,
            drafts=tuple(self._readers.cut(record.parsed)),
            content_sha256=record.content_sha256,
            blob_sha256=job.blob_sha256,
            bytes=record.bytes,
            change=change,
        )

    def _commit(
        self, job: IngestJob, batch: list[ReadRecord], prepared: list[NewDocument | None]
    ) -> JobProgress:
        here = self._repositories
        documents = passages = refused = 0
        for record, new in zip(batch, prepared, strict=True):
            if record.parsed is None:
                refused += 1
                here.jobs.refuse_record(job.id, f"{job.source}#{record.number}", record.refused)
            elif new is not None:
                here.documents.add(new)
                documents += 1
                passages += len(new.drafts)
        return JobProgress(
            records_read=len(batch),
            documents=documents,
            passages=passages,
            skipped=len(batch) - documents - refused,
        )

    def _end(self, job: IngestJob, step: JobProgress) -> JobProgress:
        jobs = self._repositories.jobs
        with self._repositories.database.transaction():
            jobs.advance(job.id, step)
            jobs.set_state(job.id, JobState.SKIPPED if step.skipped else JobState.STORED)
        return step
