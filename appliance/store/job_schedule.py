"""Which job is read next, and which must wait: the queue as the process that reads it sees it."""

from __future__ import annotations

import time

from appliance.domain import IngestJob, Priority
from appliance.store.collections import utc_now
from appliance.store.jobs import JOB_SELECT, job_of
from appliance.store.sqlite import Database

_ANY_CLASS = 99


class JobSchedule:
    """Hands out jobs in the order of ``job_order.due``."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self) -> None:
        """Nothing is being read yet: what a killed process had in hand waits again."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET started_at = '' WHERE started_at <> ''"
                " AND state IN ('queued', 'paused')"
            )

    def take(self, *, largest_class: int | None = None) -> IngestJob | None:
        """The next job that may be read now, marked as being read; None: there is none of that size.

        A job waits for earlier ones of its lane, so that of two versions the later one stays on top.
        """
        row = self._database.one(
            f"{JOB_SELECT} AS j WHERE state = 'queued' AND started_at = '' AND not_before <= ?"
            " AND size_class <= ? AND NOT EXISTS (SELECT 1 FROM ingest_jobs e WHERE e.state = 'queued'"
            " AND e.collection = j.collection AND e.lane = j.lane AND e.id < j.id)"
            " ORDER BY due, id LIMIT 1",
            (time.time(), _ANY_CLASS if largest_class is None else largest_class),
        )
        if row is None:
            return None
        with self._database.transaction() as connection:
            taken = connection.execute(
                "UPDATE ingest_jobs SET started_at = ? WHERE id = ? AND state = 'queued'",
                (utc_now(), int(row["id"])),
            ).rowcount
        return job_of(row) if taken else None

    def let_go(self, job: int) -> None:
        """It is no longer being read and waits again."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE ingest_jobs SET started_at = '' WHERE id = ?", (job,))

    def later(self, job: int, reason: str, delay_s: float) -> None:
        """The machine failed it: it waits again, for ``delay_s`` at least."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET started_at = '', attempts = attempts + 1, error = ?, not_before = ?"
                " WHERE id = ? AND state = 'queued'",
                (reason, time.time() + delay_s, job),
            )

    def waiting(self) -> bool:
        """Whether any job is queued, be it for later."""
        return self._database.one("SELECT 1 FROM ingest_jobs WHERE state = 'queued' LIMIT 1") is not None

    def paused(self) -> bool:
        """Whether a person holds the whole queue."""
        return self._database.one("SELECT 1 FROM ingest_control WHERE name = 'paused'") is not None

    def express(self) -> list[str]:
        """Collections in which a small or urgent file is stored and waits for the indexes."""
        rows = self._database.query(
            "SELECT DISTINCT collection FROM ingest_jobs WHERE state = 'stored'"
            f" AND (size_class = 0 OR priority >= {Priority.HIGH:d})"
        )
        return [str(row[0]) for row in rows]

    def dropped(self, jobs: list[int]) -> list[int]:
        """Which of these, now being read, a person has paused or cancelled meanwhile."""
        marks = ", ".join("?" * len(jobs))
        rows = self._database.query(
            f"SELECT id FROM ingest_jobs WHERE id IN ({marks}) AND state <> 'queued'", jobs
        )
        return [int(row[0]) for row in rows]
