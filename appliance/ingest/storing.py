"""Queued files into SQLite: a step is one file or one batch of records, one transaction, acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from appliance.domain import IngestJob, JobState, ParsedDocument
from appliance.errors import AssayError, DamagedError, NotFoundError, RefusedFileError
from appliance.ingest.readers import Readers, ReadRecord
from appliance.ingest.repositories import Repositories
from appliance.ingest.unpacking import Unpacking
from appliance.store.jobs import JobProgress
from appliance.store.versioning import NewDocument

RECORDS_PER_TRANSACTION = 200


class Storing:
    """Takes jobs from the queue in order; what a step yields is how many passages it stored."""

    def __init__(self, repositories: Repositories, readers: Readers) -> None:
        self._repositories = repositories
        self._readers = readers
        self._unpacking = Unpacking(repositories, readers)

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
        if here.documents.has_content(job.collection, job.record_id, job.blob_sha256):
            return self._end(job, JobProgress(skipped=1))
        path = here.blobs.path(job.blob_sha256)
        reading = self._readers.read_file(path, job.source)
        inside = self._unpacking.found(job, path, reading) if reading.has_members else None
        new = self._new_document(job, path, reading.document) if reading.document else None
        passages = len(new.drafts) if new else 0
        with here.database.transaction():
            if new is not None:
                here.documents.add(new)
            if inside is not None:
                self._unpacking.enqueue(job, inside)
            return self._end(job, JobProgress(documents=int(new is not None), passages=passages))

    def _new_document(self, job: IngestJob, path: Path, parsed: ParsedDocument) -> NewDocument:
        return NewDocument(
            collection=job.collection,
            record_id=job.record_id,
            source=job.source,
            parsed=parsed,
            drafts=tuple(self._readers.cut(parsed)),
            content_sha256=job.blob_sha256,
            blob_sha256=job.blob_sha256,
            bytes=path.stat().st_size,
            groups=self._repositories.jobs.groups(job.id),
        )

    def _store_records(self, job: IngestJob) -> Iterator[JobProgress]:
        here = self._repositories
        path = here.blobs.path(job.blob_sha256)
        groups = here.jobs.groups(job.id)
        documents = job.documents
        records = self._readers.records(path, job.source, job.records_read)
        while batch := list(islice(records, RECORDS_PER_TRANSACTION)):
            prepared = [self._prepared(job, record, groups) for record in batch]
            with here.database.transaction():
                step = self._commit(job, batch, prepared)
                here.jobs.advance(job.id, step)
            documents += step.documents
            yield step
        here.jobs.set_state(job.id, JobState.STORED if documents else JobState.SKIPPED)

    def _prepared(self, job: IngestJob, record: ReadRecord, groups: tuple[str, ...]) -> NewDocument | None:
        """What to store of a record; None when it was refused or is there already."""
        documents = self._repositories.documents
        if record.parsed is None or documents.has_content(job.collection, record.id, record.content_sha256):
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
            groups=groups,
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
