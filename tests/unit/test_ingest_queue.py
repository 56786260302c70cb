"""The queue at work: several readers, small files first, pauses, cancellations and second attempts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from store_fakes import ALL, CountingEmbedder, MemoryIndexes, plain_readers

from appliance.config import Ingest
from appliance.domain import IngestReport, JobState, Priority
from appliance.errors import BackendError, CancelledError, NotFoundError, UserError
from appliance.ingest import Ingestor, Repositories, storing
from appliance.ingest.readers import Found
from appliance.store import jobs as jobs_module
from appliance.store.blobs import Blobs
from appliance.store.cache import DiskCache
from appliance.store.embedding_cache import EmbeddingCache
from appliance.store.job_control import JobControl, queue_of
from appliance.store.jobs import NewJob
from appliance.store.sqlite import Database

LARGE = "large\n\n" + "word " * 10_000


class Readers:
    """The plain readers; SLOW waits at a gate, FLAKY fails ``failures`` times before it is read."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.failures = 0
        self.read: list[str] = []
        self._plain = plain_readers()
        self.all = msgspec.structs.replace(self._plain, read_file=self.parse)

    def parse(self, path: Path, name: str, stopped: Callable[[], bool]) -> Found:
        self.read.append(Path(name).name)
        text = path.read_text("utf-8")
        while "SLOW" in text and not self.gate.wait(0.02):
            if stopped():
                raise CancelledError("stopped")
        if "FLAKY" in text and self.failures:
            self.failures -= 1
            raise BackendError(f"the parser of {name} was ended from outside")
        return self._plain.read_file(path, name, stopped)


class Bench:
    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.files = folder / "files"
        self.files.mkdir()
        self.readers = Readers()
        self.database = Database(self.data / "assay.db")
        self.cache = DiskCache(self.data / "cache", 1 << 24)
        self.repositories = Repositories.of(self.database, Blobs(self.data / "blobs"))
        self.control = JobControl(self.database)
        embedder = CountingEmbedder()
        self.ingestor = Ingestor(
            self.repositories,
            self.readers.all,
            MemoryIndexes(),
            embedder,
            EmbeddingCache(self.cache, embedder.digest, embedder.dim),
            Ingest(workers=2),
        )
        self._pool = ThreadPoolExecutor(1)

    def put(self, name: str, text: str, priority: Priority = Priority.NORMAL) -> int:
        (self.files / name).write_text(text, "utf-8")
        (job,) = self.ingestor.enqueue([self.files / name], "c", priority=priority)
        return job

    def start(self) -> Callable[[], IngestReport]:
        """Begin to work in a thread of its own; the result waits for the end."""
        running = self._pool.submit(self.ingestor.resume)
        return lambda: running.result(20)

    def state(self, job: int) -> JobState:
        found = self.repositories.jobs.get(job)
        assert found is not None
        return found.state

    def close(self) -> None:
        self.readers.gate.set()
        self._pool.shutdown()
        self.cache.close()
        self.database.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with closing(Bench(tmp_path)) as bench:
        yield bench


def until(true: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.01)


# ---------------------------------------------------------------- order
def test_a_small_file_does_not_wait_for_large_ones_before_it(bench: Bench) -> None:
    large = [bench.put(f"{n}.txt", f"SLOW {n} {LARGE}") for n in range(3)]
    small = bench.put("small.txt", "a page")
    end = bench.start()
    until(lambda: bench.state(small) is JobState.DONE)
    assert {bench.state(job) for job in large} == {JobState.QUEUED}
    bench.readers.gate.set()
    assert end().documents == 4
    assert {bench.state(job) for job in large} == {JobState.DONE}


def test_the_order_is_by_priority_then_size_then_age(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1_000_000.0]
    monkeypatch.setattr(jobs_module.time, "time", lambda: clock[0])
    jobs, mb = bench.repositories.jobs, 1 << 20

    def queue(name: str, size: int, priority: Priority = Priority.NORMAL) -> None:
        new = NewJob(collection="c", source=name, record_id=name, bytes=size, priority=priority)
        jobs.enqueue([new])

    queue("large.pdf", 20 * mb)
    queue("low.pdf", 1, Priority.LOW)
    clock[0] += 60
    queue("small.pdf", 1)
    queue("high.pdf", 20 * mb, Priority.HIGH)
    clock[0] += 600
    queue("late small.pdf", 1)
    bench.repositories.schedule.begin()
    order: list[str] = []
    while job := bench.repositories.schedule.take():
        order.append(job.source)
    assert order == ["high.pdf", "small.pdf", "large.pdf", "late small.pdf", "low.pdf"]


def test_of_two_versions_the_later_stays_on_top(bench: Bench) -> None:
    first = bench.put("a.txt", f"SLOW old {LARGE}")
    second = bench.put("a.txt", "new")
    end = bench.start()
    until(lambda: bench.readers.read == ["a.txt"])
    time.sleep(0.3)
    assert bench.state(second) is JobState.QUEUED
    bench.readers.gate.set()
    end()
    assert (bench.state(first), bench.state(second)) == (JobState.DONE, JobState.DONE)
    assert bench.repositories.documents.list(ALL)[0].version == 2
    versions = bench.repositories.documents.versions(bench.repositories.documents.list(ALL)[0].id, ALL)
    newest = max(versions, key=lambda each: each.version)
    assert newest.content_sha256 == bench.control.show(second).job.blob_sha256


# ---------------------------------------------------------------- people
def test_another_process_pauses_and_resumes_the_queue(bench: Bench) -> None:
    first = bench.put("a.txt", "SLOW one")
    with queue_of(bench.data) as elsewhere:
        end = bench.start()
        until(lambda: bench.readers.read == ["a.txt"])
        elsewhere.pause_all()
        time.sleep(0.3)
        later = bench.put("b.txt", "two")
        bench.readers.gate.set()
        until(lambda: bench.state(first) is JobState.STORED)
        time.sleep(0.5)
        status = elsewhere.status()
        assert (status.paused, status.waiting_files, status.waiting_passages) == (True, 1, 1)
        assert bench.state(later) is JobState.QUEUED
        elsewhere.resume_all()
        until(lambda: bench.state(later) is JobState.DONE, 5)
    assert end().documents == 1, "the report is on what waited when the work began"


def test_a_job_that_is_being_read_is_cancelled_within_a_second(bench: Bench) -> None:
    job, other = bench.put("a.txt", "SLOW one"), bench.put("b.txt", "two")
    end = bench.start()
    until(lambda: "a.txt" in bench.readers.read)
    with queue_of(bench.data) as elsewhere:
        elsewhere.cancel(job)
    report = end()
    assert (report.documents, report.cancelled) == (1, 1)
    assert (bench.state(job), bench.state(other)) == (JobState.CANCELLED, JobState.DONE)
    with pytest.raises(UserError, match="job 2 is done — what is stored leaves with"):
        bench.control.cancel(other)
    with pytest.raises(NotFoundError, match="no ingest job 9"):
        bench.control.cancel(9)


def test_a_paused_job_waits_and_goes_on(bench: Bench) -> None:
    job = bench.put("a.txt", "one")
    bench.control.pause(job)
    assert bench.ingestor.resume().files == 0
    assert bench.readers.read == []
    bench.control.resume(job)
    assert bench.ingestor.resume().documents == 1


# ---------------------------------------------------------------- failures
def test_what_the_machine_failed_is_tried_again_and_then_put_aside(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "BACKOFF_S", 0.01)
    bench.readers.failures = storing.ATTEMPTS - 1
    job = bench.put("a.txt", "FLAKY")
    assert bench.ingestor.resume().documents == 1
    assert bench.state(job) is JobState.DONE
    bench.readers.failures = storing.ATTEMPTS
    job = bench.put("b.txt", "FLAKY too")
    report = bench.ingestor.resume()
    assert report.documents == 0
    ((source, reason),) = report.refused
    assert (Path(source).name, "ended from outside (tried 4 times)" in reason) == ("b.txt", True)
    (dead,), total = bench.control.page([JobState.FAILED])
    assert (dead.id, total) == (job, 1)
    bench.control.retry(job)
    assert bench.ingestor.resume().documents == 1
    assert bench.state(job) is JobState.DONE


def test_a_refused_file_is_not_tried_again_before_a_person_says_so(bench: Bench) -> None:
    job = bench.put("a.txt", "DAMAGED")
    assert len(bench.ingestor.resume().refused) == 1
    assert bench.readers.read == ["a.txt"]
    bench.control.retry(job)
    bench.ingestor.resume()
    assert bench.readers.read == ["a.txt", "a.txt"]
    newer = bench.put("a.txt", "mended")
    bench.ingestor.resume()
    with pytest.raises(UserError, match=f"job {newer} is newer and of the same document"):
        bench.control.retry(job)


def test_a_job_keeps_its_report(bench: Bench) -> None:
    job = bench.put("a.txt", "one\n\ntwo")
    bench.ingestor.resume()
    detail = bench.control.show(job)
    assert (detail.job.documents, detail.job.passages, detail.report.title) == (1, 2, "a.txt")
    assert set(detail.report.seconds) == {"parse", "store", "embed", "index"}
    assert detail.job.finished_at
    status = bench.control.status()
    assert (status.states, status.waiting_files, status.index_eta_s) == ({"done": 1}, 0, 0.0)
