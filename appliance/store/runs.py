"""Runs: who asked what, with which configuration and models, and what came of it."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Mapping, Sequence

import msgspec

from appliance.domain import Answer, ForkPoint, Principal, RunId, RunOptions, RunStatus, Usage
from appliance.errors import NotFoundError
from appliance.store.collections import utc_now
from appliance.store.events import EventLog
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text

_JSON_COLUMNS = ("groups", "model_digests", "answer", "usage", "timings", "options", "fork")

TOO_LATE = "too late: the run had its answer"
_CHOSEN = "WHERE (?1 IS NULL OR user = ?1) AND (?2 = '[]' OR status IN (SELECT value FROM json_each(?2)))"


class NewRun(msgspec.Struct, frozen=True, kw_only=True):
    """A question about to be worked on."""

    question: str
    collection: str
    principal: Principal
    config_digest: str
    model_digests: Mapping[str, str]
    """Role → sha256 of the model."""
    options: RunOptions = RunOptions()
    parent: RunId | None = None
    """The run that this one was forked from."""
    fork: ForkPoint | None = None
    """Where it left it."""


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One run as stored."""

    id: RunId
    question: str
    collection: str
    user: str
    groups: tuple[str, ...]
    status: RunStatus
    config_digest: str
    model_digests: dict[str, str]
    created_at: str
    finished_at: str | None = None
    answer: Answer | None = None
    usage: Usage | None = None
    timings: dict[str, float] = {}
    options: RunOptions = RunOptions()
    parent: RunId | None = None
    fork: ForkPoint | None = None
    error: str = ""
    head: str = ""
    """Digest of the newest stored step; empty before the first and after the steps were erased."""


class Runs:
    """The repository of runs. A person sees their own; ``user=None`` is the system's own reading."""

    def __init__(self, database: Database, events: EventLog) -> None:
        self._database = database
        self._events = events

    def create(self, new: NewRun) -> RunRecord:
        """A running run with a fresh id."""
        run = RunId(f"r-{uuid.uuid4().hex[:16]}")
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO runs(id, collection, question, user, groups, status, config_digest,"
                " model_digests, created_at, options, parent, fork)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    run,
                    new.collection,
                    new.question,
                    new.principal.user,
                    json_text(new.principal.groups),
                    RunStatus.RUNNING,
                    new.config_digest,
                    json_text(new.model_digests),
                    utc_now(),
                    json_text(new.options),
                    new.parent,
                    json_text(new.fork) if new.fork else None,
                ),
            )
        return self.get(run)

    def get(self, run: RunId, user: str | None = None) -> RunRecord:
        """Raises NotFoundError when unknown or another user's."""
        row = self._database.one("SELECT * FROM runs WHERE id = ? AND (?2 IS NULL OR user = ?2)", (run, user))
        if row is None:
            raise NotFoundError(f"no run {run!r}", hint="assay runs list shows them")
        return _record(row)

    def list(
        self,
        user: str | None = None,
        *,
        statuses: Sequence[RunStatus] = (),
        limit: int = 50,
        offset: int = 0,
    ) -> list[RunRecord]:
        """Newest first; only those in one of the statuses where any is given."""
        rows = self._database.query(
            f"SELECT * FROM runs {_CHOSEN} ORDER BY created_at DESC, rowid DESC LIMIT ?3 OFFSET ?4",
            (user, json_text(statuses), limit, offset),
        )
        return [_record(row) for row in rows]

    def count(self, user: str | None = None, *, statuses: Sequence[RunStatus] = ()) -> int:
        """How many there are to list."""
        row = self._database.one(f"SELECT count(*) FROM runs {_CHOSEN}", (user, json_text(statuses)))
        return int(row[0]) if row else 0

    def forks_of(self, run: RunId) -> list[RunId]:
        """The runs that were forked from this one, oldest first."""
        rows = self._database.query("SELECT id FROM runs WHERE parent = ? ORDER BY created_at, rowid", (run,))
        return [RunId(row[0]) for row in rows]

    def unfinished(self) -> list[RunId]:
        """Runs that a killed process left running, oldest first."""
        rows = self._database.query(
            "SELECT id FROM runs WHERE status = ? ORDER BY created_at, rowid", (RunStatus.RUNNING,)
        )
        return [RunId(row[0]) for row in rows]

    def finish(self, run: RunId, answer: Answer, usage: Usage, timings: Mapping[str, float]) -> None:
        """Keep the answer; whoever follows the events sees the end, and nothing waits for its next step."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE steering SET taken_at = ?, outcome = ? WHERE run_id = ? AND taken_at IS NULL",
                (utc_now(), TOO_LATE, run),
            )
            self._end(
                run,
                "status = ?, answer = ?, usage = ?, timings = ?",
                (answer.status, json_text(answer), json_text(usage), json_text(timings)),
            )
        self._events.wake()

    def fail(self, run: RunId, status: RunStatus, error: str) -> None:
        """End without an answer: FAILED or CANCELLED, with the reason in one line."""
        self._end(run, "status = ?, error = ?", (status, error))

    def reopen(self, run: RunId) -> None:
        """Running again: it was resumed or steered after its end."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE runs SET status = ?, finished_at = NULL, error = '' WHERE id = ?",
                (RunStatus.RUNNING, run),
            )

    def hold(self, run: RunId) -> None:
        """Paused: nobody works on it until ``reopen``; whoever follows the events sees the end of them."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE runs SET status = ? WHERE id = ?", (RunStatus.PAUSED, run))
        self._events.wake()

    def _end(self, run: RunId, assignments: str, values: tuple[str, ...]) -> None:
        with self._database.transaction() as connection:
            connection.execute(
                f"UPDATE runs SET {assignments}, finished_at = ? WHERE id = ?", (*values, utc_now(), run)
            )
        self._events.wake()


def _record(row: sqlite3.Row) -> RunRecord:
    fields = dict(row)
    for name in _JSON_COLUMNS:
        if fields[name] is not None:
            fields[name] = msgspec.json.decode(fields[name])
    return msgspec.convert(fields, RunRecord)
