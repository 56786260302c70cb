"""The ingest queue as people see and steer it, from any process: what they decide is in SQLite at once.

The process that reads the queue looks there several times a second, so it heeds them within one.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from appliance.domain import IngestJob, JobState, ParseReport
from appliance.errors import NotFoundError, UserError
from appliance.store.collections import utc_now
from appliance.store.job_order import due, size_class
from appliance.store.job_reports import JobReports
from appliance.store.jobs import JOB_SELECT, job_of
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text

DEAD = (JobState.REFUSED, JobState.FAILED)
"""The dead letters: what was not taken, with the reason."""
_RECENT = 40
"""So many of the newest jobs tell how fast files are read."""


class JobDetail(msgspec.Struct, frozen=True, kw_only=True):
    """One job with all that is known of it."""

    job: IngestJob
    report: ParseReport
    refusals: tuple[tuple[str, str], ...]
    """(record, reason) of the records of a file that were not taken."""


class QueueStatus(msgspec.Struct, frozen=True, kw_only=True):
    """How far the whole queue is."""

    paused: bool
    states: dict[str, int]
    """How many jobs are in each state that any is in."""
    reading: tuple[IngestJob, ...]
    """What is being read now."""
    waiting_files: int
    waiting_bytes: int
    waiting_passages: int
    """Stored, and still to be embedded and indexed."""
    documents: int
    passages: int
    pages: int
    """Of all jobs so far."""
    read_eta_s: float | None
    """Until every queued file is stored, judged by the newest jobs; null: nothing to judge by."""
    index_eta_s: float | None
    """Until what is stored by now can be searched."""


class JobControl:
    """Reads and decisions of people. Needs no hold on the data folder."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._reports = JobReports(database)

    # ------------------------------------------------------------ looking
    def page(
        self, states: Sequence[JobState] = (), *, limit: int = 100, offset: int = 0
    ) -> tuple[list[IngestJob], int]:
        """(jobs in these states, newest first; how many there are). No states: all."""
        chosen = json_text(states or list(JobState))
        where = "WHERE state IN (SELECT value FROM json_each(?))"
        rows = self._database.query(
            f"{JOB_SELECT} {where} ORDER BY id DESC LIMIT ? OFFSET ?", (chosen, limit, offset)
        )
        count = self._database.one(f"SELECT count(*) FROM ingest_jobs {where}", (chosen,))
        return [job_of(row) for row in rows], int(count[0]) if count else 0

    def show(self, job: int) -> JobDetail:
        """Raises NotFoundError."""
        refusals = self._database.query(
            "SELECT item, reason FROM ingest_refusals WHERE job_id = ? ORDER BY item", (job,)
        )
        return JobDetail(
            job=self._get(job),
            report=self._reports.of(job),
            refusals=tuple((str(item), str(reason)) for item, reason in refusals),
        )

    def status(self) -> QueueStatus:
        """How far the queue is."""
        states = self._database.query("SELECT state, count(*) FROM ingest_jobs GROUP BY 1 ORDER BY 1")
        sums = self._database.query(
            "SELECT coalesce(sum(state = 'queued'), 0) AS waiting_files,"
            " coalesce(sum(bytes) FILTER (WHERE state = 'queued'), 0) AS waiting_bytes,"
            " coalesce(sum(documents), 0) AS documents, coalesce(sum(passages), 0) AS passages,"
            " coalesce(sum(json_extract(report, '$.pages')), 0) AS pages FROM ingest_jobs"
        )[0]
        pending = self._database.query("SELECT count(*) FROM passages WHERE current = 1 AND indexed <> 1")[0][
            0
        ]
        reading = self._database.query(
            f"{JOB_SELECT} WHERE state = 'queued' AND started_at <> '' ORDER BY id"
        )
        read_s_per_byte, index_s_per_passage = self._speed()
        workers = max(1, len(reading))
        return QueueStatus(
            paused=self.paused(),
            states={str(state): int(count) for state, count in states},
            reading=tuple(job_of(row) for row in reading),
            waiting_passages=int(pending),
            read_eta_s=_eta(sums["waiting_bytes"] / workers, read_s_per_byte),
            index_eta_s=_eta(pending, index_s_per_passage),
            **dict(sums),
        )

    def paused(self) -> bool:
        """Whether the whole queue is held."""
        return self._database.one("SELECT 1 FROM ingest_control WHERE name = 'paused'") is not None

    # ------------------------------------------------------------ deciding
    def pause_all(self) -> None:
        """Nothing more is read, embedded or indexed until ``resume_all``; what is in hand is finished."""
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO ingest_control VALUES ('paused', ?)", (utc_now(),))

    def resume_all(self) -> None:
        """Go on."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM ingest_control WHERE name = 'paused'")

    def pause(self, job: int) -> IngestJob:
        """Hold one job back. Raises NotFoundError, UserError (it is stored or has ended)."""
        return self._move(job, (JobState.QUEUED,), JobState.PAUSED, "only a queued job can be paused")

    def resume(self, job: int) -> IngestJob:
        """Queue a paused job again. Raises NotFoundError, UserError."""
        self._not_outdated(job)
        return self._move(job, (JobState.PAUSED,), JobState.QUEUED, "only a paused job goes on")

    def cancel(self, job: int) -> IngestJob:
        """Take a job out of the queue. Raises NotFoundError, UserError (it is stored or has ended)."""
        hint = "what is stored leaves with: assay documents delete"
        return self._move(job, (JobState.QUEUED, JobState.PAUSED), JobState.CANCELLED, hint)

    def retry(self, job: int) -> IngestJob:
        """Queue a job that was refused, failed or cancelled once more. Raises NotFoundError, UserError."""
        found = self._get(job)
        self._not_outdated(job)
        if not found.blob_sha256:
            raise UserError(
                f"job {job} has no copy of {found.source}: it could not be read",
                hint="mend it and ingest it again",
            )
        return self._move(
            job, (*DEAD, JobState.CANCELLED), JobState.QUEUED, "only a job that was not taken is tried again"
        )

    def _move(self, job: int, before: Sequence[JobState], after: JobState, hint: str) -> IngestJob:
        with self._database.transaction() as connection:
            found = self._get(job)
            if found.state not in before:
                raise UserError(f"job {job} is {found.state}", hint=hint)
            ended = utc_now() if after is JobState.CANCELLED else ""
            connection.execute(
                "UPDATE ingest_jobs SET state = ?, error = '', attempts = 0, not_before = 0, finished_at = ?,"
                " due = ? WHERE id = ?",
                (after, ended, _due(found), job),
            )
        return self._get(job)

    def _not_outdated(self, job: int) -> None:
        """An older file must not become the newest version of its document."""
        row = self._database.one(
            "SELECT max(n.id) FROM ingest_jobs n JOIN ingest_jobs j ON j.id = ?"
            " AND n.collection = j.collection AND n.record_id = j.record_id AND n.id > j.id"
            " WHERE n.state NOT IN ('refused', 'cancelled')",
            (job,),
        )
        if row and row[0] is not None:
            raise UserError(f"job {row[0]} is newer and of the same document", hint="ingest the file again")

    def _get(self, job: int) -> IngestJob:
        row = self._database.one(f"{JOB_SELECT} WHERE id = ?", (job,))
        if row is None:
            raise NotFoundError(f"no ingest job {job}", hint="assay jobs list shows them")
        return job_of(row)

    def _speed(self) -> tuple[float, float]:
        """(seconds of reading per byte, seconds of embedding and indexing per passage); 0: not known."""
        row = self._database.query(
            "SELECT coalesce(sum(parse_s), 0), coalesce(sum(bytes), 0), coalesce(sum(index_s), 0),"
            " coalesce(sum(passages) FILTER (WHERE index_s > 0), 0) FROM"
            " (SELECT bytes, passages, json_extract(report, '$.seconds.parse') AS parse_s,"
            "  json_extract(report, '$.seconds.embed') + json_extract(report, '$.seconds.index') AS index_s"
            "  FROM ingest_jobs WHERE state IN ('stored', 'done') AND passages > 0 ORDER BY id DESC LIMIT ?)",
            (_RECENT,),
        )[0]
        parse_s, size, index_s, passages = (float(value) for value in row)
        return parse_s / size if size else 0.0, index_s / passages if passages else 0.0


def _due(job: IngestJob) -> float:
    return due(time.time(), size_class(job.source, job.bytes), job.priority)


def _eta(work: float, seconds_each: float) -> float | None:
    if not work:
        return 0.0
    return round(work * seconds_each, 1) if seconds_each else None


@contextmanager
def queue_of(data_folder: Path) -> Generator[JobControl]:
    """The queue of a data folder, also while another process works on it.

    Raises NotFoundError when there is none, DamagedError.
    """
    file = data_folder / "assay.db"
    if not file.is_file():
        raise NotFoundError(f"there is no queue in {data_folder}", hint="assay ingest makes it; check --data")
    database = Database(file)
    try:
        yield JobControl(database)
    finally:
        database.close()
