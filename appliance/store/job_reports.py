"""What came of ingest jobs: the parse report of each, and sums over some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from appliance.domain import DocumentId, ParseReport
from appliance.store.jobs import WORKED_ON
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text

_ADD = (
    "UPDATE ingest_jobs SET report = json_set(CASE WHEN json_type(report, '$.seconds') IS NULL"
    " THEN json_set(report, '$.seconds', json('{}')) ELSE report END, ?1,"
    " round(coalesce(json_extract(report, ?1), 0) + ?2, 4))"
)


class JobTotals(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over some jobs, and what they refused."""

    files: int
    documents: int
    passages: int
    skipped: int
    waiting: int
    cancelled: int
    pages: int
    stage_seconds: dict[str, float]
    refused: tuple[tuple[str, str], ...]


class JobReports:
    """The repository of reports."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, job: int, report: ParseReport) -> None:
        """Keep what was made of the file; seconds of stages that it does not name stay."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE ingest_jobs SET report = json_patch(report, ?) WHERE id = ?", (json_text(report), job)
            )

    def of(self, job: int) -> ParseReport:
        """What was made of the file so far; an empty report when it was not read."""
        row = self._database.one("SELECT report FROM ingest_jobs WHERE id = ?", (job,))
        return msgspec.json.decode(row[0], type=ParseReport) if row else ParseReport()

    def spent(self, job: int, stage: str, seconds: float) -> None:
        """Add time to one job's report."""
        with self._database.transaction() as connection:
            connection.execute(f"{_ADD} WHERE id = ?3", (f"$.seconds.{stage}", seconds, job))

    def spent_on(self, collection: str, stage: str, seconds: Mapping[DocumentId, float]) -> None:
        """Add time to the reports of the jobs that brought these documents."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "SELECT d.source, sum(s.value) FROM json_each(?) s JOIN documents d ON d.id = s.key"
                " GROUP BY 1",
                (json_text(seconds),),
            ).fetchall()
            connection.executemany(
                f"{_ADD} WHERE collection = ?3 AND source = ?4 AND state IN {WORKED_ON}",
                [(f"$.seconds.{stage}", spent_s, collection, source) for source, spent_s in rows],
            )

    def totals(self, ids: Sequence[int]) -> JobTotals:
        """What these jobs, and the files out of their archives, came to.

        ``skipped`` counts identical files and records.
        """
        chosen = json_text(list(ids))
        among = (
            "IN (WITH RECURSIVE below(id) AS (SELECT value FROM json_each(?)"
            " UNION SELECT j.id FROM ingest_jobs j JOIN below ON j.parent = below.id) SELECT id FROM below)"
        )
        row = self._database.query(
            "SELECT count(*) AS files, coalesce(sum(documents), 0) AS documents,"
            " coalesce(sum(passages), 0) AS passages, coalesce(sum(skipped), 0) AS skipped,"
            " coalesce(sum(state IN ('queued', 'paused')), 0) AS waiting,"
            " coalesce(sum(state = 'cancelled'), 0) AS cancelled,"
            " coalesce(sum(json_extract(report, '$.pages')), 0) AS pages"
            f" FROM ingest_jobs WHERE id {among}",
            (chosen,),
        )[0]
        refused = self._database.query(
            f"SELECT source, error, id, '' AS item FROM ingest_jobs WHERE id {among}"
            " AND state IN ('refused', 'failed')"
            " UNION ALL SELECT r.item, r.reason, r.job_id, r.item FROM ingest_refusals r"
            f" WHERE r.job_id {among} ORDER BY 3, 4",
            (chosen, chosen),
        )
        stages = self._database.query(
            "SELECT s.key, round(sum(s.value), 3) FROM ingest_jobs j, json_each(j.report, '$.seconds') s"
            f" WHERE j.id {among} GROUP BY 1",
            (chosen,),
        )
        return JobTotals(
            **dict(row),
            stage_seconds={str(name): float(spent) for name, spent in stages},
            refused=tuple((str(r[0]), str(r[1])) for r in refused),
        )
