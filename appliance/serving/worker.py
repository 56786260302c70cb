"""One thread that owns a model, and the bounded line in front of it.

Arrives: jobs from any thread. Leaves: their results, in the order of arrival. A job that waits can be
cancelled; a job that runs is told through ``stopped`` and ends itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Condition, Event, Thread
from typing import Any, TypeVar

from appliance.errors import BackendError, BusyError, CancelledError

T = TypeVar("T")
Stopped = Callable[[], bool]
POLL_S = 0.05
"""How often a waiting caller looks whether it was cancelled."""


class Worker:
    """Runs one job at a time; at most ``waiting`` more may wait."""

    def __init__(self, name: str, *, waiting: int) -> None:
        """The thread starts with the first job."""
        self._name, self._limit = name, waiting
        self._jobs: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._changed = Condition()
        self._closing = Event()
        self._running = False
        self._thread: Thread | None = None

    def run(self, job: Callable[[Stopped], T], *, cancelled: Callable[[], bool] | None = None) -> T:
        """The job's result, computed on the worker's thread; the job's own errors come through.

        ``job`` is handed ``stopped``, which it must ask often. Raises BusyError (the line is full),
        CancelledError (cancelled while it waited), BackendError (closed).
        """
        future: Future[T] = Future()
        abandoned = Event()
        asked = cancelled or _never

        def stopped() -> bool:
            return abandoned.is_set() or self._closing.is_set() or asked()

        self._enqueue(future, lambda: job(stopped))
        try:
            while not wait((future,), timeout=POLL_S).done:
                if not future.running() and asked() and self._withdraw(future):
                    raise CancelledError(f"{self._name}: cancelled while it waited")
            return future.result()
        except BaseException:
            abandoned.set()
            self._withdraw(future)
            raise

    def close(self) -> None:
        """Tell the running job to stop, refuse those that wait, end the thread; harmless twice."""
        with self._changed:
            self._closing.set()
            refused = [future for future, _ in self._jobs]
            self._jobs.clear()
            self._changed.notify_all()
        for future in refused:
            if future.set_running_or_notify_cancel():
                future.set_exception(BackendError(f"{self._name} was closed"))
        if self._thread is not None:
            self._thread.join()

    def _enqueue(self, future: Future[Any], job: Callable[[], Any]) -> None:
        with self._changed:
            if self._closing.is_set():
                raise BackendError(f"{self._name} is closed")
            if len(self._jobs) + self._running > self._limit:
                raise BusyError(
                    f"{self._name} is busy and {self._limit} requests wait already",
                    hint="try again in a moment, or raise llm.queue",
                )
            self._jobs.append((future, job))
            if self._thread is None:
                self._thread = Thread(target=self._serve, name=self._name, daemon=True)
                self._thread.start()
            self._changed.notify()

    def _withdraw(self, future: Future[Any]) -> bool:
        """Whether the job had not begun; its place in the line is free again."""
        with self._changed:
            for place, (waiting, _) in enumerate(self._jobs):
                if waiting is future:
                    del self._jobs[place]
                    return future.cancel()
        return False

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._jobs or self._closing.is_set())
                if self._closing.is_set():
                    return
                future, job = self._jobs.popleft()
                future.set_running_or_notify_cancel()
                self._running = True
            try:
                result = job()
            except BaseException as error:
                self._finish()
                future.set_exception(error)
            else:
                self._finish()
                future.set_result(result)

    def _finish(self) -> None:
        with self._changed:
            self._running = False


def _never() -> bool:
    return False
