"""Questions wait in a bounded queue and are worked on one at a time, in a thread.

Arrives: a question. Leaves: its run id at once, its events as they happen, its answer in the store.
"""

from __future__ import annotations

import logging
import threading
from collections import deque

import msgspec

from appliance.domain import Principal, RunId, RunOptions, RunStatus, SteerRow
from appliance.errors import AssayError, BusyError, CancelledError, PausedError, UserError
from appliance.reasoning.forking import ForkChange
from appliance.store.runs import RunRecord
from appliance.wiring import Appliance

logger = logging.getLogger("assay.questions")
STOP_S = 60.0


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A run in the queue."""

    run_id: RunId


class QuestionWorker:
    """Owns the thread that answers."""

    def __init__(self, appliance: Appliance) -> None:
        self._appliance = appliance
        self._most = appliance.config.llm.queue
        self._changed = threading.Condition()
        self._waiting: deque[Waiting] = deque()
        self._current: RunId | None = None
        self._cancelled = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="assay-questions", daemon=True)

    def start(self) -> None:
        """Go on with the runs that an earlier process left, oldest first."""
        self._waiting.extend(Waiting(run_id=run) for run in self._appliance.runs.unfinished())
        self._thread.start()

    def stop(self) -> None:
        """Stop at the next step; what is unfinished goes on when the server starts again."""
        self._stopping.set()
        with self._changed:
            self._changed.notify_all()
        self._thread.join(STOP_S)

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    @property
    def waiting(self) -> int:
        """How many runs are in the queue."""
        return len(self._waiting)

    def ask(self, question: str, collection: str, options: RunOptions) -> RunRecord:
        """The stored run; answered already where a kept answer holds.

        Raises BusyError (queue full), UserError, OverBudgetError, NotFoundError (no such collection).
        """
        with self._changed:
            self._must_have_room()
            run = self._appliance.researcher.start(
                question,
                principal=Principal(),
                collection=collection,
                options=options,
            )
            if run.status is RunStatus.RUNNING:
                self._put(run.id)
            return run

    def fork(self, run_id: RunId, step: int | None, change: ForkChange) -> RunRecord:
        """A new run that goes on from a step of another. Raises as ``ask``."""
        with self._changed:
            self._must_have_room()
            run = self._appliance.fork(run_id, Principal().user, step=step, change=change)
            self._put(run.id)
            return run

    def guide(self, run_id: RunId, text: str) -> SteerRow:
        """Words for the run's next step. Raises NotFoundError, UserError."""
        return self._appliance.steering.guide(self._own(run_id).id, text, Principal().user)

    def resume(self, run_id: RunId) -> None:
        """Go on with a run that is paused, failed or was cancelled.

        Raises BusyError, NotFoundError, UserError.
        """
        with self._changed:
            run = self._own(run_id)
            if run.status not in (RunStatus.PAUSED, RunStatus.FAILED, RunStatus.CANCELLED):
                hint = "only a paused, a failed or a cancelled run goes on"
                raise UserError(f"run {run_id} is {run.status}", hint=hint)
            self._must_have_room()
            self._appliance.steering.resume(run_id, Principal().user)
            self._appliance.runs.reopen(run_id)
            self._put(run_id)

    def pause(self, run_id: RunId) -> None:
        """Hold a run at its next step boundary, or take it out of the queue.

        Raises NotFoundError, UserError.
        """
        with self._changed:
            self._appliance.steering.pause(self._own(run_id).id, Principal().user)
            self._settle(run_id)

    def cancel(self, run_id: RunId) -> None:
        """Stop a run within its step, or take it out of the queue. Raises NotFoundError, UserError."""
        with self._changed:
            self._appliance.steering.cancel(self._own(run_id).id, Principal().user)
            if run_id == self._current:
                self._cancelled.set()
            self._settle(run_id)

    def _settle(self, run_id: RunId) -> None:
        """What nobody works on stops at once."""
        if run_id != self._current:
            self._waiting = deque(each for each in self._waiting if each.run_id != run_id)
            self._appliance.steering.settle(run_id)

    def _own(self, run_id: RunId) -> RunRecord:
        return self._appliance.runs.get(run_id, Principal().user)

    def _must_have_room(self) -> None:
        if len(self._waiting) >= self._most:
            raise BusyError(f"{len(self._waiting)} questions are waiting already", hint="ask again later")

    def _put(self, run_id: RunId) -> None:
        self._waiting.append(Waiting(run_id=run_id))
        self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._stopping.is_set())
                if self._stopping.is_set():
                    return
                work = self._waiting.popleft()
                self._current = work.run_id
                self._cancelled.clear()
            try:
                self._carry_out(work)
            finally:
                with self._changed:
                    self._current = None

    def _carry_out(self, work: Waiting) -> None:
        try:
            run = self._appliance.runs.get(work.run_id)
            self._appliance.researcher.work(run, cancelled=self._must_stop)
        except PausedError:
            logger.info("run %s is paused", work.run_id)
        except CancelledError:
            # The server stops: the run is left as running, for the next one. A person's cancel is kept.
            if self._stopping.is_set() and not self._cancelled.is_set():
                self._appliance.runs.reopen(work.run_id)
        except AssayError as error:
            logger.warning("run %s stopped: %s", work.run_id, error)
        except Exception as error:
            logger.exception("run %s failed", work.run_id)
            self._end(work.run_id, RunStatus.FAILED, f"internal error ({type(error).__name__})")

    def _must_stop(self) -> bool:
        return self._cancelled.is_set() or self._stopping.is_set()

    def _end(self, run_id: RunId, status: RunStatus, error: str) -> None:
        # The event first: whoever follows the run leaves when its status changes.
        self._appliance.events.emit(run_id, "run.stopped", {"status": status.value, "error": error})
        self._appliance.runs.fail(run_id, status, error)
