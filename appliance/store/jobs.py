"""The durable queue of ingest: one row per file. A job that is STORED is acknowledged."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence

import msgspec

from appliance.domain import DocumentId, IngestJob, JobState, MetadataChange, Priority
from appliance.store.collections import utc_now
from appliance.store.job_order import due, size_class
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text

JOB_SELECT = (
    "SELECT id, collection, source, record_id, state, blob_sha256, documents, passages, records_read, error,"
    " priority, bytes, attempts, enqueued_at, started_at, finished_at FROM ingest_jobs"
)
WORKED_ON = "('queued', 'stored')"


class NewJob(msgspec.Struct, frozen=True, kw_only=True):
    """A file about to be queued; with ``error`` it is refused at once."""

    collection: str
    source: str
    record_id: str
    change: MetadataChange = MetadataChange()
    blob_sha256: str = ""
    error: str = ""
    bytes: int = 0
    priority: Priority = Priority.NORMAL
    root: str = ""
    """The folder that was named, absolute; empty for a file that was named itself."""
    lane: str = ""
    """Jobs of one lane are read in order; empty: the record id is the lane."""


class NewMember(msgspec.Struct, frozen=True, kw_only=True):
    """A file out of an archive, about to be queued below the archive's own job."""

    source: str
    record_id: str
    blob_sha256: str
    bytes: int
    lane: str = ""
    """As a NewJob's."""


class JobProgress(msgspec.Struct, frozen=True, kw_only=True):
    """What one step adds to a job's figures."""

    records_read: int = 0
    documents: int = 0
    passages: int = 0
    skipped: int = 0


class Jobs:
    """The repository of ingest jobs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def enqueue(self, jobs: Sequence[NewJob]) -> list[int]:
        """Their numbers, in order; all of them are queued, durably, or none is.

        A file that an interrupted ingest left in the queue keeps its number and its progress.
        """
        ids: list[int] = []
        now_s = time.time()
        with self._database.transaction() as connection:
            for job in jobs:
                waiting = connection.execute(
                    "UPDATE ingest_jobs SET priority = max(priority, ?1), due = min(due, ?2) WHERE id ="
                    " (SELECT max(id) FROM ingest_jobs WHERE collection = ?3 AND record_id = ?4)"
                    " AND state IN ('queued', 'paused') AND blob_sha256 = ?5 RETURNING id",
                    (job.priority, _due(job, now_s), job.collection, job.record_id, job.blob_sha256),
                ).fetchone()
                if waiting is not None and not job.error:
                    connection.execute(
                        "UPDATE ingest_jobs SET metadata = ? WHERE id = ?",
                        (json_text(job.change), waiting[0]),
                    )
                    ids.append(int(waiting[0]))
                else:
                    ids.append(_insert(connection, job, now_s))
        return ids

    def enqueue_members(self, parent: int, members: Sequence[NewMember]) -> None:
        """Queue what came out of an archive; call it in the transaction that finishes the archive's job.

        Members inherit collection, priority and what was said of the archive, but for its declared id. Killed
        before that transaction, the archive waits as a whole; after it, every member waits, once.
        """
        now_s = time.time()
        with self._database.transaction() as connection:
            row = connection.execute("SELECT priority FROM ingest_jobs WHERE id = ?", (parent,)).fetchone()
            priority = row[0] if row else Priority.NORMAL
            connection.executemany(
                "INSERT INTO ingest_jobs(collection, source, record_id, groups, metadata, priority, state,"
                " blob_sha256, enqueued_at, bytes, size_class, lane, due, parent)"
                " SELECT collection, ?, ?, '[]', json_remove(metadata, '$.document_id'), priority, 'queued',"
                " ?, ?, ?, ?, ?, ?, id"
                " FROM ingest_jobs WHERE id = ?",
                [_member_row(new, parent, priority, now_s) for new in members],
            )

    def tree_blobs(self, job: int) -> list[str]:
        """Contents of all files queued so far out of the outermost archive that this job came out of."""
        rows = self._database.query(
            "WITH RECURSIVE up(id, parent) AS (SELECT id, parent FROM ingest_jobs WHERE id = ?"
            "  UNION ALL SELECT j.id, j.parent FROM ingest_jobs j JOIN up ON j.id = up.parent),"
            " down(id) AS (SELECT id FROM up WHERE parent IS NULL"
            "  UNION ALL SELECT j.id FROM ingest_jobs j JOIN down ON j.parent = down.id)"
            " SELECT blob_sha256 FROM ingest_jobs WHERE parent IS NOT NULL AND id IN (SELECT id FROM down)",
            (job,),
        )
        return [str(row[0]) for row in rows]

    def depth(self, job: int) -> int:
        """In how many archives a job's file lay: 0 for one that was named itself."""
        rows = self._database.query(
            "WITH RECURSIVE up(parent) AS (SELECT parent FROM ingest_jobs WHERE id = ?"
            " UNION ALL SELECT j.parent FROM ingest_jobs j JOIN up ON j.id = up.parent)"
            " SELECT count(parent) FROM up",
            (job,),
        )
        return int(rows[0][0])

    def get(self, job: int) -> IngestJob | None:
        """One job."""
        row = self._database.one(f"{JOB_SELECT} WHERE id = ?", (job,))
        return job_of(row) if row else None

    def list(self, *, limit: int = 100) -> list[IngestJob]:
        """The newest jobs first."""
        rows = self._database.query(f"{JOB_SELECT} ORDER BY id DESC LIMIT ?", (limit,))
        return [job_of(row) for row in rows]

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
        """Move a job on; nothing of it is being read any more."""
        ended = utc_now() if state not in (JobState.QUEUED, JobState.PAUSED, JobState.STORED) else ""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET state = ?, error = ?, started_at = '', finished_at = ? WHERE id = ?",
                (state, error, ended, job),
            )

    def is_queued(self, job: int) -> bool:
        """Whether the job is still wanted: nobody has cancelled or paused it."""
        row = self._database.one("SELECT state = 'queued' FROM ingest_jobs WHERE id = ?", (job,))
        return bool(row and row[0])

    def refuse_record(self, job: int, item: str, reason: str) -> None:
        """Keep why one record of a file was not taken, while the others go on."""
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO ingest_refusals VALUES (?, ?, ?)", (job, item, reason))

    def complete(self, collection: str) -> None:
        """Its stored jobs are done, if the collection's indexes hold everything."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET state = 'done', finished_at = ?1"
                " WHERE collection = ?2 AND state = 'stored' AND NOT EXISTS"
                " (SELECT 1 FROM passages WHERE collection = ?2 AND current = 1 AND indexed <> 1)",
                (utc_now(), collection),
            )

    def complete_documents(self, collection: str, documents: Sequence[DocumentId]) -> None:
        """Stored jobs that brought these documents are done, where the indexes hold what is current."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET state = 'done', finished_at = ?1"
                " WHERE collection = ?2 AND state = 'stored' AND record_id IN (SELECT v.source_record"
                "  FROM documents d JOIN versions v ON v.document_id = d.id AND v.version = d.current_version"
                "  WHERE d.id IN (SELECT value FROM json_each(?3))"
                " AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.document_id = d.id"
                " AND p.indexed <> p.current))",
                (utc_now(), collection, json_text(documents)),
            )

    def waiting_blobs(self) -> set[str]:
        """Originals that jobs still have to read."""
        rows = self._database.query(
            "SELECT DISTINCT blob_sha256 FROM ingest_jobs WHERE state IN ('queued', 'paused')"
        )
        return {str(row[0]) for row in rows}

    def open_ids(self) -> list[int]:
        """Jobs that are queued or stored but not done."""
        rows = self._database.query(f"SELECT id FROM ingest_jobs WHERE state IN {WORKED_ON} ORDER BY id")
        return [int(row[0]) for row in rows]

    def open_collections(self) -> list[str]:
        """Collections with a job that is queued or stored but not done."""
        rows = self._database.query(
            f"SELECT DISTINCT collection FROM ingest_jobs WHERE state IN {WORKED_ON} ORDER BY 1"
        )
        return [str(row[0]) for row in rows]


def _insert(connection: sqlite3.Connection, job: NewJob, now_s: float) -> int:
    row = connection.execute(
        "INSERT INTO ingest_jobs(collection, source, record_id, groups, metadata, state, blob_sha256, error,"
        " enqueued_at, priority, bytes, size_class, lane, due, root, finished_at)"
        " VALUES (?, ?, ?, '[]', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            job.collection,
            job.source,
            job.record_id,
            json_text(job.change),
            JobState.REFUSED if job.error else JobState.QUEUED,
            job.blob_sha256,
            job.error,
            utc_now(),
            job.priority,
            job.bytes,
            size_class(job.source, job.bytes),
            job.lane or job.record_id,
            _due(job, now_s),
            job.root,
            utc_now() if job.error else "",
        ),
    ).fetchone()
    return int(row[0])


def _member_row(new: NewMember, parent: int, priority: int, now_s: float) -> tuple[object, ...]:
    rank = size_class(new.source, new.bytes)
    return (
        new.source,
        new.record_id,
        new.blob_sha256,
        utc_now(),
        new.bytes,
        rank,
        new.lane or new.record_id,
        due(now_s, rank, priority),
        parent,
    )


def _due(job: NewJob, now_s: float) -> float:
    return due(now_s, size_class(job.source, job.bytes), job.priority)


def job_of(row: sqlite3.Row) -> IngestJob:
    """A row of ``JOB_SELECT`` as a job."""
    return msgspec.convert(dict(row), IngestJob)
