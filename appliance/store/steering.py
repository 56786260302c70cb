"""What people say to a run, from any process: rows in SQLite that the run takes up at its next step boundary.

Writing one needs no hold on the data folder: SQLite's WAL lets a second process add a row while the first one
works. A row is taken up once, in one transaction with its event, and stays as the record of who said what.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from appliance.domain import RunId, RunStatus, SteerKind, SteerRow
from appliance.errors import NotFoundError, UserError
from appliance.store.collections import utc_now
from appliance.store.events import EventLog
from appliance.store.runs import TOO_LATE, Runs
from appliance.store.sqlite import Database

MAX_CHARS = 1_000
"""Guidance longer than this is a document."""
MAX_WAITING = 50
"""Wishes of one run that may wait: a run that nobody works on does not pile them up without end."""
_UNFINISHED = (RunStatus.RUNNING, RunStatus.PAUSED)
_STOPPED = (RunStatus.FAILED, RunStatus.CANCELLED)
Describe = Callable[[SteerRow], dict[str, object]]
"""What the event says of a piece of guidance beside its words."""


class Heeded(msgspec.Struct, frozen=True, kw_only=True):
    """What a step boundary took up."""

    fresh: tuple[SteerRow, ...] = ()
    """Guidance taken up now, in the order in which it was given."""
    pause: SteerRow | None = None
    cancel: SteerRow | None = None


class Steering:
    """The repository of wishes."""

    def __init__(self, database: Database, events: EventLog) -> None:
        self._database, self._events = database, events
        self._runs = Runs(database, events)

    # ------------------------------------------------------------ people
    def guide(self, run: RunId, text: str, user: str) -> SteerRow:
        """Words for the next step. Raises UserError (empty, too long, the run has its answer)."""
        words = " ".join(text.encode("utf-8", "replace").decode().split())
        if not words:
            raise UserError("the guidance is empty", hint='for example: "look in the 2023 report"')
        if len(words) > MAX_CHARS:
            raise UserError(
                f"the guidance has {len(words):,} characters, more than {MAX_CHARS:,}", hint="shorten it"
            )
        hint = f'assay runs fork {run} --guidance "…" tries again with it'
        with self._database.transaction():  # no answer comes between the look and the row
            self._must_be(run, (*_UNFINISHED, *_STOPPED), hint)
            return self._put(run, SteerKind.GUIDE, words, user)

    def pause(self, run: RunId, user: str) -> SteerRow:
        """Hold at the next boundary. Raises UserError: the run is not running."""
        with self._database.transaction():
            self._must_be(run, (RunStatus.RUNNING,), "only a running one can be paused")
            return self._put(run, SteerKind.PAUSE, "", user)

    def cancel(self, run: RunId, user: str) -> SteerRow:
        """Stop at the next boundary. Raises UserError: the run has ended."""
        with self._database.transaction():
            self._must_be(run, _UNFINISHED, "only a running or a paused one can be cancelled")
            return self._put(run, SteerKind.CANCEL, "", user)

    def resume(self, run: RunId, user: str) -> SteerRow:
        """Note that it goes on: wishes to pause or cancel that still wait are overruled."""
        with self._database.transaction() as connection:
            row = self._put(run, SteerKind.RESUME, "", user)
            now = utc_now()
            connection.execute(
                "UPDATE steering SET taken_at = ?, outcome = 'overruled: the run was resumed'"
                " WHERE run_id = ? AND taken_at IS NULL AND kind IN ('pause', 'cancel') AND id < ?",
                (now, run, row.id),
            )
            connection.execute(
                "UPDATE steering SET taken_at = ?, outcome = 'taken' WHERE id = ?", (now, row.id)
            )
        return self._get(row.id)

    def rows(self, run: RunId) -> tuple[SteerRow, ...]:
        """All that was said, in order."""
        return _rows(self._database.query("SELECT * FROM steering WHERE run_id = ? ORDER BY id", (run,)))

    # ------------------------------------------------------------ the run
    def waiting(self, run: RunId) -> bool:
        """Whether anything waits to be taken up: a look, no write."""
        where = "run_id = ? AND taken_at IS NULL"
        return self._database.one(f"SELECT 1 FROM steering WHERE {where} LIMIT 1", (run,)) is not None

    def heed(self, run: RunId, step: int | None, describe: Describe) -> Heeded:
        """Take up everything that waits, each once, with its event; all of it is on disk when this returns.

        A cancel outweighs a pause. ``step``: the last finished one; None: the newest that is stored.
        """
        if not self.waiting(run):
            return Heeded()
        with self._database.transaction() as connection:
            found = _rows(
                connection.execute(
                    "SELECT * FROM steering WHERE run_id = ? AND taken_at IS NULL ORDER BY id", (run,)
                ).fetchall()
            )
            now = utc_now()
            step = self._newest_step(connection, run) if step is None else step
            for row in found:
                connection.execute(
                    "UPDATE steering SET taken_at = ?, step = ?, outcome = 'taken' WHERE id = ?",
                    (now, step, row.id),
                )
                if row.kind is SteerKind.GUIDE:
                    self._events.emit(run, "guidance.taken", {**_said(row), **describe(row)})
            held = _last(found, SteerKind.PAUSE)
            stopped = _last(found, SteerKind.CANCEL)
            if held and not stopped:
                self._events.emit(run, "run.paused", _said(held))
        self._events.wake()  # those woken inside the transaction could not see it yet
        return Heeded(
            fresh=tuple(row for row in found if row.kind is SteerKind.GUIDE),
            pause=None if stopped else held,
            cancel=stopped,
        )

    def settle(self, run: RunId) -> None:
        """Where nobody works on the run: a pause or cancel that waits takes effect now.

        Guidance that waits is left to the next step.
        """
        with self._database.transaction() as connection:
            found = self._take_stops(connection, run)
            held, stopped = _last(found, SteerKind.PAUSE), _last(found, SteerKind.CANCEL)
            if stopped:
                error = f"the run was cancelled by {stopped.user} while nobody worked on it"
                status = RunStatus.CANCELLED
                self._events.emit(run, "run.stopped", {"status": status.value, "error": error})
                self._runs.fail(run, status, error)
            elif held:
                self._events.emit(run, "run.paused", _said(held))
                self._runs.hold(run)
        self._events.wake()

    def late(self, run: RunId) -> None:
        """The run has its answer: what still waits came too late, and is told so."""
        if not self.waiting(run):
            return
        with self._database.transaction() as connection:
            found = _rows(
                connection.execute(
                    "UPDATE steering SET taken_at = ?, outcome = ? WHERE run_id = ? AND taken_at IS NULL"
                    " RETURNING *",
                    (utc_now(), TOO_LATE, run),
                ).fetchall()
            )
            for row in found:
                self._events.emit(run, "steering.late", {**_said(row), "kind": row.kind.value})
        self._events.wake()

    def close(self, run: RunId) -> None:
        """The run was stopped in the midst of a step: a pause or cancel that waited has been met."""
        with self._database.transaction() as connection:
            self._take_stops(connection, run)

    @staticmethod
    def _newest_step(connection: sqlite3.Connection, run: RunId) -> int | None:
        row = connection.execute(
            "SELECT json_extract(metadata, '$.step') FROM checkpoints WHERE thread_id = ? AND ns = ''"
            " ORDER BY checkpoint_id DESC LIMIT 1",
            (run,),
        ).fetchone()
        return None if row is None else int(row[0])

    def _take_stops(self, connection: sqlite3.Connection, run: RunId) -> tuple[SteerRow, ...]:
        return _rows(
            connection.execute(
                "UPDATE steering SET taken_at = ?, outcome = 'taken' WHERE run_id = ? AND taken_at IS NULL"
                " AND kind IN ('pause', 'cancel') RETURNING *",
                (utc_now(), run),
            ).fetchall()
        )

    def guidance(self, run: RunId) -> tuple[SteerRow, ...]:
        """The guidance that was taken up so far, in order: the same before and after a crash."""
        return _rows(
            self._database.query(
                "SELECT * FROM steering WHERE run_id = ? AND kind = 'guide' AND taken_at IS NOT NULL"
                " AND outcome = 'taken' ORDER BY id",
                (run,),
            )
        )

    def inherit(self, parent: RunId, child: RunId, step: int) -> None:
        """A fork keeps the guidance that its parent had taken up by the step at which they part."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO steering(run_id, kind, text, user, at, taken_at, step, outcome)"
                " SELECT ?2, kind, text, user, at, taken_at, step, outcome FROM steering"
                " WHERE run_id = ?1 AND kind = 'guide' AND outcome = 'taken' AND coalesce(step, 0) <= ?3"
                " ORDER BY id",
                (parent, child, step),
            )

    def _must_be(self, run: RunId, statuses: Sequence[RunStatus], hint: str) -> None:
        status = self._runs.get(run).status
        if status not in statuses:
            ended = status not in _UNFINISHED
            raise UserError(f"run {run} {'has ended: ' if ended else 'is '}{status}", hint=hint)

    def _put(self, run: RunId, kind: SteerKind, text: str, user: str) -> SteerRow:
        with self._database.transaction() as connection:
            waiting = connection.execute(
                "SELECT count(*) FROM steering WHERE run_id = ? AND taken_at IS NULL", (run,)
            ).fetchone()
            if int(waiting[0]) >= MAX_WAITING and kind is SteerKind.GUIDE:
                raise UserError(
                    f"{waiting[0]} wishes wait for run {run} already", hint=f"assay runs resume {run}"
                )
            cursor = connection.execute(
                "INSERT INTO steering(run_id, kind, text, user, at) VALUES (?, ?, ?, ?, ?)",
                (run, kind, text, user, utc_now()),
            )
            number = int(cursor.lastrowid or 0)
        return self._get(number)

    def _get(self, number: int) -> SteerRow:
        return _rows(self._database.query("SELECT * FROM steering WHERE id = ?", (number,)))[0]


def _rows(found: Sequence[sqlite3.Row]) -> tuple[SteerRow, ...]:
    return tuple(msgspec.convert(dict(row), SteerRow) for row in found)


def _last(rows: Sequence[SteerRow], kind: SteerKind) -> SteerRow | None:
    return next((row for row in reversed(rows) if row.kind is kind), None)


def _said(row: SteerRow) -> dict[str, object]:
    said: dict[str, object] = {"by": row.user, "asked_at": row.at}
    return {**said, "text": row.text} if row.text else said


@contextmanager
def steering_of(data_folder: Path) -> Generator[tuple[Steering, Runs, EventLog]]:
    """The wishes of a data folder, also while another process works in it.

    Raises NotFoundError when there is none, DamagedError.
    """
    file = data_folder / "assay.db"
    if not file.is_file():
        raise NotFoundError(f"there are no runs in {data_folder}", hint="check --data")
    database = Database(file)
    try:
        events = EventLog(database)
        yield Steering(database, events), Runs(database, events), events
    finally:
        database.close()
