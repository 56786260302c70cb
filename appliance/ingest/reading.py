"""Jobs into what the store takes: parse, judge, cut. Runs in several threads at once and writes nothing.

Arrives: a job. Leaves: one Prepared per transaction; or the error that says why there is none.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from appliance.domain import IngestJob, MetadataChange, ParsedDocument, ParseReport, Struct
from appliance.errors import RefusedFileError
from appliance.ingest.judging import judge, report_of
from appliance.ingest.readers import Found, Readers, ReadRecord, Stopped
from appliance.ingest.repositories import Repositories
from appliance.ingest.unpacking import Inside, Unpacking
from appliance.store.jobs import JobProgress, NewMember
from appliance.store.versioning import NewDocument

RECORDS_PER_TRANSACTION = 200


class _Coming(Struct, frozen=True, kw_only=True):
    """A file or record that is not parsed yet (``store.recognising.Comes``)."""

    collection: str
    record_id: str
    content_sha256: str
    change: MetadataChange


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """What one transaction stores of a job."""

    job: IngestJob
    documents: tuple[NewDocument, ...] = ()
    refusals: tuple[tuple[str, str], ...] = ()
    """(record, reason)."""
    members: tuple[NewMember, ...] = ()
    """What came out of a container, for jobs of its own."""
    records_read: int = 0
    skipped: int = 0
    report: ParseReport | None = None
    last: bool = True
    """The job ends with it."""


class Reading:
    """Reads one job at a time in each thread that asks."""

    def __init__(self, repositories: Repositories, readers: Readers) -> None:
        self._repositories = repositories
        self._readers = readers
        self._unpacking = Unpacking(repositories, readers)

    def steps(self, job: IngestJob, stopped: Stopped) -> Iterator[Prepared]:
        """In order; ``stopped`` is asked while a file is parsed.

        Raises RefusedFileError, DamagedError, NotFoundError (the original is gone), CancelledError (stopped),
        BackendError (the machine's fault: trying again may help).
        """
        if self._readers.is_jsonl(job.source):
            yield from self._records(job)
        else:
            yield self._file(job, stopped)

    def _file(self, job: IngestJob, stopped: Stopped) -> Prepared:
        here = self._repositories
        change = here.jobs.change(job.id)
        coming = _Coming(
            collection=job.collection,
            record_id=job.record_id,
            content_sha256=job.blob_sha256,
            change=change,
        )
        if here.documents.known(coming):
            return Prepared(job=job, skipped=1)
        started = time.perf_counter()
        path = here.blobs.path(job.blob_sha256)
        found = self._readers.read_file(path, job.source, stopped)
        new = self._judged(job, path, found, change)
        inside = self._unpacking.inside(job, path, found, stopped) if found.has_members else Inside()
        seconds = {"parse": round(time.perf_counter() - started, 4)}
        report = report_of(found.document, seconds) if found.document else ParseReport(seconds=seconds)
        return Prepared(
            job=job,
            documents=(new,) if new else (),
            members=inside.members,
            refusals=inside.left,
            report=report,
        )

    def _judged(self, job: IngestJob, path: Path, found: Found, change: MetadataChange) -> NewDocument | None:
        """The document; None for an archive, and for a mail that is nothing but what it carries."""
        if found.document is None:
            return None
        try:
            judge(found.document, job.source)
        except RefusedFileError:
            if found.has_members:
                return None
            raise
        return self._new_document(
            job,
            found.document,
            record_id=job.record_id,
            sha256=job.blob_sha256,
            size=path.stat().st_size,
            change=change,
        )

    def _records(self, job: IngestJob) -> Iterator[Prepared]:
        path = self._repositories.blobs.path(job.blob_sha256)
        records = self._readers.records(path, job.source, job.records_read)
        spent_s = 0.0
        while True:
            started = time.perf_counter()
            batch = list(islice(records, RECORDS_PER_TRANSACTION))
            if not batch:
                break
            step = self._batch(job, batch)
            spent_s += time.perf_counter() - started
            report = ParseReport(format="jsonl", seconds={"parse": round(spent_s, 4)})
            yield msgspec.structs.replace(step, report=report)
        yield Prepared(job=job)

    def _batch(self, job: IngestJob, batch: list[ReadRecord]) -> Prepared:
        documents: list[NewDocument] = []
        refusals: list[tuple[str, str]] = []
        change = self._repositories.jobs.change(job.id)
        for record in batch:
            if record.parsed is None:
                refusals.append((f"{job.source}#{record.number}", record.refused))
                continue
            coming = _Coming(
                collection=job.collection,
                record_id=record.id,
                content_sha256=record.content_sha256,
                change=change,
            )
            if not self._repositories.documents.known(coming):
                new = self._new_document(
                    job,
                    record.parsed,
                    record_id=record.id,
                    sha256=record.content_sha256,
                    size=record.bytes,
                    change=change,
                )
                documents.append(new)
        return Prepared(
            job=job,
            documents=tuple(documents),
            refusals=tuple(refusals),
            records_read=len(batch),
            skipped=len(batch) - len(documents) - len(refusals),
            last=False,
        )

    def _new_document(
        self,
        job: IngestJob,
        parsed: ParsedDocument,
        *,
        record_id: str,
        sha256: str,
        size: int,
        change: MetadataChange,
    ) -> NewDocument:
        return NewDocument(
            collection=job.collection,
            record_id=record_id,
            source=job.source,
            parsed=parsed,
            drafts=tuple(self._readers.cut(parsed)),
            content_sha256=sha256,
            blob_sha256=job.blob_sha256,
            bytes=size,
            change=change,
        )


def progress_of(prepared: Prepared, stored: int, passages: int, already: int) -> JobProgress:
    """The figures that a committed step adds to its job; ``already``: found to be there only then."""
    return JobProgress(
        records_read=prepared.records_read,
        documents=stored,
        passages=passages,
        skipped=prepared.skipped + already,
    )
