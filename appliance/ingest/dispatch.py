"""Several jobs read at once, stored by one thread, and none held up by a larger one.

Files that are read in a moment are stored in the order of the queue, so that passage ids do not depend on
timing; what takes longer than ``IN_TURN_S`` holds nobody up.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from appliance.domain import IngestJob
from appliance.errors import AssayError, CancelledError
from appliance.ingest.progress import Cancelled, stop_if
from appliance.ingest.reading import Prepared, Reading
from appliance.ingest.storing import Storing
from appliance.store.job_order import size_class
from appliance.store.job_schedule import JobSchedule
from appliance.store.jobs import JobProgress

IN_TURN_S = 2.0
LOOK_AGAIN_S = 0.1
READ_AHEAD = 2
"""Batches of records that may wait for the store."""


class _Flight:
    """One job that is being read."""

    def __init__(self, job: IngestJob) -> None:
        self.job = job
        self.started = time.monotonic()
        self.stop = threading.Event()
        self.room = threading.Semaphore(READ_AHEAD)
        self.ready: deque[Prepared] = deque()
        self.ended = False
        self.error: BaseException | None = None


Step = tuple[IngestJob, JobProgress]


class Dispatch:
    """Takes jobs from the schedule until none is left."""

    def __init__(self, schedule: JobSchedule, reading: Reading, storing: Storing, workers: int) -> None:
        """``workers``: files read at once; one of them is kept for small files where there are several."""
        self._schedule = schedule
        self._reading = reading
        self._storing = storing
        self._workers = workers
        self._flights: list[_Flight] = []
        self._arrived: queue.SimpleQueue[tuple[_Flight, Prepared | BaseException | None]]

    def run(self, cancelled: Cancelled) -> Generator[Step]:
        """Every step as it is stored; a job that was not taken is an empty one.

        Raises CancelledError and what stops the whole ingest; readers are at rest then.
        """
        self._flights, self._arrived = [], queue.SimpleQueue()
        self._schedule.begin()
        with ThreadPoolExecutor(self._workers, thread_name_prefix="ingest-read") as pool:
            try:
                while True:
                    stop_if(cancelled)
                    if not self._schedule.paused():
                        self._launch(pool)
                    if not self._flights and not self._schedule.waiting():
                        return
                    self._receive()
                    self._heed_people()
                    yield from self._store_in_turn()
            finally:
                for flight in self._flights:
                    flight.stop.set()
                with suppress(AssayError):
                    self._schedule.begin()

    def _launch(self, pool: ThreadPoolExecutor) -> None:
        while len(self._flights) < self._workers:
            large = sum(size_class(flight.job.source, flight.job.bytes) > 0 for flight in self._flights)
            only_small = self._workers > 1 and large >= self._workers - 1
            job = self._schedule.take(largest_class=0 if only_small else None)
            if job is None:
                return
            flight = _Flight(job)
            self._flights.append(flight)
            pool.submit(self._read, flight)

    def _read(self, flight: _Flight) -> None:
        """Runs in a reader's thread."""
        try:
            for prepared in self._reading.steps(flight.job, flight.stop.is_set):
                while not flight.room.acquire(timeout=LOOK_AGAIN_S):
                    stop_if(flight.stop.is_set)
                stop_if(flight.stop.is_set)
                self._arrived.put((flight, prepared))
            self._arrived.put((flight, None))
        except BaseException as error:
            self._arrived.put((flight, error))

    def _receive(self) -> None:
        wait_s = LOOK_AGAIN_S
        while True:
            try:
                flight, news = self._arrived.get(timeout=wait_s)
            except queue.Empty:
                return
            wait_s = 0.0
            if isinstance(news, Prepared):
                flight.ready.append(news)
            else:
                flight.ended, flight.error = True, news

    def _heed_people(self) -> None:
        """Stop reading what was paused or cancelled meanwhile."""
        flying = {flight.job.id: flight for flight in self._flights}
        for job in self._schedule.dropped(list(flying)) if flying else []:
            flying[job].stop.set()

    def _store_in_turn(self) -> Iterator[Step]:
        now = time.monotonic()
        for flight in list(self._flights):
            while flight.ready:
                step = self._storing.commit(flight.ready.popleft())
                flight.room.release()
                if step is None:
                    flight.stop.set()
                else:
                    yield flight.job, step
            if flight.ended:
                self._flights.remove(flight)
                self._end(flight)
                if flight.error is not None:
                    yield flight.job, JobProgress()
            elif now - flight.started < IN_TURN_S:
                return

    def _end(self, flight: _Flight) -> None:
        if flight.error is None or (flight.stop.is_set() and isinstance(flight.error, CancelledError)):
            if flight.stop.is_set():
                self._schedule.let_go(flight.job.id)
        else:
            self._storing.fail(flight.job, flight.error)
