"""What every route is handed: the appliance and the threads that the server runs over it."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

from litestar.di import NamedDependency

from appliance.api.ingesting import IngestWorker
from appliance.api.questioning import QuestionWorker
from appliance.api.watching import FolderKeepers
from appliance.domain import Principal, Scope
from appliance.wiring import Appliance

FOLLOWERS = 16
"""Threads that wait for events. More followers than that take turns."""


class Desk:
    """Made once per application; ``start`` and ``stop`` are its lifespan."""

    def __init__(self, appliance: Appliance) -> None:
        self.appliance = appliance
        self.principal = Principal()
        """Before sign-in exists, everyone on this machine is the local operator."""
        self.uploads = appliance.config.data_dir() / "uploads"
        self.ingest = IngestWorker(appliance)
        self.folders = FolderKeepers(appliance)
        self.questions = QuestionWorker(appliance)
        self.followers = ThreadPoolExecutor(FOLLOWERS, thread_name_prefix="assay-follow")
        self.closing = threading.Event()
        """Set as soon as the server is told to stop: streams end, so that it can."""

    def scope(self, collection: str | None = None) -> Scope:
        """What the asker may read."""
        return self.appliance.scope(self.principal, collection)

    def start(self) -> None:
        """Start the threads. What a killed process had received but not acknowledged is thrown away."""
        shutil.rmtree(self.uploads, ignore_errors=True)
        self.ingest.start()
        self.folders.start()
        self.questions.start()

    def stop(self) -> None:
        """End the streams, then the threads; unfinished work is on disk and goes on at the next start."""
        self.closing.set()
        self.followers.shutdown(wait=True, cancel_futures=True)
        self.questions.stop()
        self.folders.stop()
        self.ingest.stop()


TheDesk = NamedDependency[Desk]
"""A route's parameter ``desk`` of this type is the application's desk."""
