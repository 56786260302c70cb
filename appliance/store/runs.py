"""Runs: who asked what, with which configuration and models, and what came of it."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Mapping

import msgspec

from appliance.domain import Answer, Principal, RunId, RunStatus, Usage
from appliance.errors import NotFoundError
from appliance.store.collections import utc_now
from appliance.store.events import EventLog
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text

_JSON_COLUMNS = ("groups", "model_digests", "answer", "usage", "timings")


class NewRun(msgspec.Struct, frozen=True, kw_only=True):
    """A question about to be worked on."""

    question: str
    collection: str
    principal: Principal
    config_digest: str
    model_digests: Mapping[str, str]
    """Role → sha256 of the model."""
    parent: RunId | None = None
    """The run that this one was forked from."""


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
    parent: RunId | None = None
    error: str = ""


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
                " model_digests, created_at, parent) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
                    new.parent,
                ),
            )
        return self.get(run)

    def get(self, run: RunId, user: str | None = None) -> RunRecord:
        """Raises NotFoundError when unknown or another user's."""
        row = self._database.one("SELECT * FROM runs WHERE id = ? AND (?2 IS NULL OR user = ?2)", (run, user))
        if row is None:
            raise NotFoundError(f"no run {run!r}", hint="assay runs list shows them")
        return _record(row)

    def list(self, user: str | None = None, *, limit: int = 50, offset: int = 0) -> list[RunRecord]:
        """Newest first."""
        rows = self._database.query(
            "SELECT * FROM runs WHERE ?1 IS NULL OR user = ?1 ORDER BY created_at DESC, rowid DESC"
            " LIMIT ?2 OFFSET ?3",
            (user, limit, offset),
        )
        return [_record(row) for row in rows]

    def unfinished(self) -> list[RunId]:
        """Runs that a killed process left running, oldest first."""
        rows = self._database.query(
            "SELECT id FROM runs WHERE status = ? ORDER BY created_at, rowid", (RunStatus.RUNNING,)
        )
        return [RunId(row[0]) for row in rows]

    def finish(self, run: RunId, answer: Answer, usage: Usage, timings: Mapping[str, float]) -> None:
        """Keep the answer; whoever follows the events sees the end."""
        self._end(
            run,
            "status = ?, answer = ?, usage = ?, timings = ?",
            (answer.status, json_text(answer), json_text(usage), json_text(timings)),
        )

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
