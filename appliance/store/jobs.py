"""The durable queue of ingest: one row per file. A job that is STORED is acknowledged."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from appliance.domain import IngestJob, JobState, MetadataChange
from appliance.store.collections import utc_now
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text

_SELECT = (
    "SELECT id, collection, source, record_id, state, blob_sha256, documents, passages, records_read, error"
    " FROM ingest_jobs"
)


class NewJob(msgspec.Struct, frozen=True, kw_only=True):
    """A file about to be queued; with ``error`` it is refused at once."""

    collection: str
    source: str
    record_id: str
    change: MetadataChange = MetadataChange()
    blob_sha256: str = ""
    error: str = ""


class JobProgress(msgspec.Struct, frozen=True, kw_only=True):
    """What one step adds to a job's figures."""

    records_read: int = 0
    documents: int = 0
    passages: int = 0
    skipped: int = 0


class JobTotals(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over some jobs, and what they refused."""

    files: int
    documents: int
    passages: int
    skipped: int
    refused: tuple[tuple[str, str], ...]


class Jobs:
    """The repository of ingest jobs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def enqueue(self, jobs: Sequence[NewJob]) -> list[int]:
        """Their numbers, in order; all of them are queued, durably, or none is.

        A file that an interrupted ingest left in the queue keeps its number and its progress.
        """
        ids: list[int] = []
        with self._database.transaction() as connection:
            for job in jobs:
                waiting = connection.execute(
                    "SELECT id FROM ingest_jobs WHERE state = 'queued' AND collection = ? AND record_id = ?"
                    " AND blob_sha256 = ?",
                    (job.collection, job.record_id, job.blob_sha256),
                ).fetchone()
                if waiting and not job.error:
                    connection.execute(
                        "UPDATE ingest_jobs SET metadata = ? WHERE id = ?",
                        (json_text(job.change), waiting[0]),
                    )
                    ids.append(int(waiting[0]))
                    continue
                state = JobState.REFUSED if job.error else JobState.QUEUED
                row = connection.execute(
                    "INSERT INTO ingest_jobs(collection, source, record_id, groups, state, blob_sha256,"
                    " error, enqueued_at, metadata) VALUES (?, ?, ?, '[]', ?, ?, ?, ?, ?) RETURNING id",
                    (
                        job.collection,
                        job.source,
                        job.record_id,
                        state,
                        job.blob_sha256,
                        job.error,
                        utc_now(),
                        json_text(job.change),
                    ),
                ).fetchone()
                ids.append(int(row[0]))
        return ids

    def next_queued(self) -> IngestJob | None:
        """The oldest job that is not stored yet."""
        row = self._database.one(f"{_SELECT} WHERE state = 'queued' ORDER BY id LIMIT 1")
        return _job(row) if row else None

    def get(self, job: int) -> IngestJob | None:
        """One job."""
        row = self._database.one(f"{_SELECT} WHERE id = ?", (job,))
        return _job(row) if row else None

    def list(self, *, limit: int = 100) -> list[IngestJob]:
        """The newest jobs first."""
        return [_job(row) for row in self._database.query(f"{_SELECT} ORDER BY id DESC LIMIT ?", (limit,))]

    def change(self, job: int) -> MetadataChange:
        """What is said of the documents that the job brings."""
        row = self._database.one("SELECT metadata FROM ingest_jobs WHERE id = ?", (job,))
        return msgspec.json.decode(row[0], type=MetadataChange) if row else MetadataChange()

    def advance(self, job: int, step: JobProgress) -> None:
        """Add a step's figures; call it in the transaction that stores what they count."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET records_read = records_read + ?, documents = documents + ?,"
                " passages = passages + ?, skipped = skipped + ? WHERE id = ?",
                (step.records_read, step.documents, step.passages, step.skipped, job),
            )

    def set_state(self, job: int, state: JobState, error: str = "") -> None:
        """Move a job on."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET state = ?, error = ? WHERE id = ?", (state, error, job)
            )

    def refuse_record(self, job: int, item: str, reason: str) -> None:
        """Keep why one record of a file was not taken, while the others go on."""
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO ingest_refusals VALUES (?, ?, ?)", (job, item, reason))

    def complete(self, collection: str) -> None:
        """The collection's indexes hold everything: its stored jobs are done."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET state = 'done' WHERE collection = ? AND state = 'stored'",
                (collection,),
            )

    def waiting_blobs(self) -> set[str]:
        """Originals that jobs still have to read."""
        rows = self._database.query("SELECT DISTINCT blob_sha256 FROM ingest_jobs WHERE state = 'queued'")
        return {str(row[0]) for row in rows}

    def open_ids(self) -> list[int]:
        """Jobs that are queued or stored but not done."""
        rows = self._database.query(
            "SELECT id FROM ingest_jobs WHERE state IN ('queued', 'stored') ORDER BY id"
        )
        return [int(row[0]) for row in rows]

    def open_collections(self) -> list[str]:
        """Collections with a job that is queued or stored but not done."""
        rows = self._database.query(
            "SELECT DISTINCT collection FROM ingest_jobs WHERE state IN ('queued', 'stored') ORDER BY 1"
        )
        return [str(row[0]) for row in rows]

    def totals(self, ids: Sequence[int]) -> JobTotals:
        """What these jobs came to. ``skipped`` counts identical files and records."""
        chosen = json_text(list(ids))
        among = "IN (SELECT value FROM json_each(?))"
        row = self._database.query(
            "SELECT count(*) AS files, coalesce(sum(documents), 0) AS documents,"
            " coalesce(sum(passages), 0) AS passages, coalesce(sum(skipped), 0) AS skipped"
            f" FROM ingest_jobs WHERE id {among}",
            (chosen,),
        )[0]
        refused = self._database.query(
            f"SELECT source, error, id, '' AS item FROM ingest_jobs WHERE state = 'refused' AND id {among}"
            " UNION ALL SELECT r.item, r.reason, r.job_id, r.item FROM ingest_refusals r"
            f" WHERE r.job_id {among} ORDER BY 3, 4",
            (chosen, chosen),
        )
        return JobTotals(**dict(row), refused=tuple((str(r[0]), str(r[1])) for r in refused))


def _job(row: sqlite3.Row) -> IngestJob:
    return msgspec.convert(dict(row), IngestJob)
