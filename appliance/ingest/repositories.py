"""The repositories that ingest works on, in one value."""

from __future__ import annotations

import msgspec

from appliance.store.blobs import Blobs
from appliance.store.collections import Collections
from appliance.store.documents import Documents
from appliance.store.index_queue import IndexQueue
from appliance.store.job_reports import JobReports
from appliance.store.job_schedule import JobSchedule
from appliance.store.jobs import Jobs
from appliance.store.sqlite import Database


class Repositories(msgspec.Struct, frozen=True, kw_only=True):
    """All of one data folder."""

    database: Database
    blobs: Blobs
    collections: Collections
    documents: Documents
    queue: IndexQueue
    jobs: Jobs
    schedule: JobSchedule
    reports: JobReports

    @classmethod
    def of(cls, database: Database, blobs: Blobs) -> Repositories:
        """Built on this database and blob folder."""
        return cls(
            database=database,
            blobs=blobs,
            collections=Collections(database),
            documents=Documents(database),
            queue=IndexQueue(database),
            jobs=Jobs(database),
            schedule=JobSchedule(database),
            reports=JobReports(database),
        )
