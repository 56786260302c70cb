"""The review queue: answers that were withheld, with all that led to them, until a person decides.

A review is addressed by its run's id: one answer, one review. Only who may read every document that the
answer rests on sees it. Deciding is one transaction: the review, the run's answer, its event, and what had
been kept of the collection.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from appliance.domain import (
    Answer,
    Finding,
    Fingerprint,
    Review,
    ReviewStatus,
    RunId,
    Scope,
    Struct,
    citations_of,
)
from appliance.errors import NotFoundError, UserError
from appliance.store.collections import utc_now
from appliance.store.events import EventLog
from appliance.store.sqlite import Database, Value
from appliance.store.visibility import json_text, readable

_SHOWN = (
    "SELECT v.run_id, v.collection, v.status, v.opened_at, v.decided_at, v.decided_by, v.note, v.chain,"
    " r.question, r.user FROM reviews v JOIN runs r ON r.id = v.run_id"
)


class Chain(Struct, frozen=True, kw_only=True):
    """What was withheld. The run's events tell how it came about; they stay in the log."""

    answer: Answer
    """As it was written, with the status it would have had."""
    findings: tuple[Finding, ...] = ()
    language: str = ""
    """Of the question."""


class ReviewRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One review as stored."""

    run_id: RunId
    collection: str
    question: str
    user: str
    """Who asked."""
    status: ReviewStatus
    opened_at: str
    chain: Chain
    decided_at: str = ""
    decided_by: str = ""
    note: str = ""

    def told(self) -> Review:
        """What the asker sees of it."""
        return Review(status=self.status, by=self.decided_by, at=self.decided_at, note=self.note)


class Reviews:
    """The repository of reviews."""

    def __init__(self, database: Database, events: EventLog) -> None:
        self._database, self._events = database, events

    def open(self, run: RunId, collection: str, chain: Chain) -> None:
        """Put a withheld answer in the queue; again for a run that was interrupted at its end: once.

        What the run had added to the knowledge graph is taken out of it.
        """
        documents = sorted({mark.partition("#")[0] for mark in _sources(chain)})
        with self._database.transaction() as connection:
            new = connection.execute(
                "INSERT OR IGNORE INTO reviews(run_id, collection, status, chain, opened_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (run, collection, ReviewStatus.OPEN, json_text(chain), utc_now()),
            ).rowcount
            if new:
                connection.executemany(
                    "INSERT INTO review_sources VALUES (?, ?)", [(run, each) for each in documents]
                )
                connection.execute("DELETE FROM edges WHERE run_id = ?", (run,))

    def get(self, run: RunId, scope: Scope) -> ReviewRecord:
        """Raises NotFoundError: none of this run, or it rests on what the reader may not read."""
        where, values = _visible(scope)
        row = self._database.one(f"{_SHOWN} WHERE v.run_id = ? AND {where}", (run, *values))
        if row is None:
            raise NotFoundError(f"no review of run {run!r}", hint="assay reviews list shows them")
        return _record(row)

    def list(
        self, scope: Scope, *, status: ReviewStatus | None = None, limit: int = 50, offset: int = 0
    ) -> list[ReviewRecord]:
        """The longest waiting first; those of one status and of the scope's collection where given."""
        where, values = _listed(scope, status)
        rows = self._database.query(
            f"{_SHOWN} WHERE {where} ORDER BY v.opened_at, v.run_id LIMIT ? OFFSET ?",
            (*values, limit, offset),
        )
        return [_record(row) for row in rows]

    def count(self, scope: Scope, *, status: ReviewStatus | None = None) -> int:
        """How many there are to list."""
        where, values = _listed(scope, status)
        row = self._database.one(f"SELECT count(*) FROM reviews v WHERE {where}", values)
        return int(row[0]) if row else 0

    def decide(self, run: RunId, answer: Answer, by: str, at: str) -> None:
        """Keep a decision; ``answer`` is what the asker sees from now on, its ``review`` the decision.

        Everything kept of the collection is void from here on. Raises UserError: decided already.
        """
        review = answer.review or Review()
        with self._database.transaction() as connection:
            changed = connection.execute(
                "UPDATE reviews SET status = ?, decided_at = ?, decided_by = ?, note = ?"
                " WHERE run_id = ? AND status = ?",
                (review.status, at, by, review.note, run, ReviewStatus.OPEN),
            ).rowcount
            if not changed:
                raise UserError(
                    f"the review of run {run} has been decided already", hint=f"assay reviews show {run}"
                )
            connection.execute(
                "UPDATE runs SET status = ?, answer = ? WHERE id = ?", (answer.status, json_text(answer), run)
            )
            connection.execute(
                "UPDATE epochs SET token = hex(randomblob(8))"
                " WHERE collection = (SELECT collection FROM reviews WHERE run_id = ?)",
                (run,),
            )
            told: dict[str, object] = {"decision": review.status.value, "by": by, "note": review.note}
            self._events.emit(run, "review.decided", told)
        self._events.wake()  # those woken inside the transaction could not see it yet


def _sources(chain: Chain) -> Sequence[Fingerprint]:
    claims = [*chain.answer.claims, *(side for one in chain.answer.contradictions for side in one.sides)]
    claims += [claim for finding in chain.findings for claim in finding.claims]
    return (*citations_of(claims), *chain.answer.evidence)


def _visible(scope: Scope) -> tuple[str, tuple[Value, ...]]:
    """SQL over ``v``: the reader may read every document of the review that still exists."""
    condition = readable(msgspec.structs.replace(scope, collection=None))
    hidden = (
        "SELECT 1 FROM review_sources s JOIN documents d ON d.id = s.document_id"
        f" WHERE s.run_id = v.run_id AND NOT ({condition.sql})"
    )
    return f"NOT EXISTS ({hidden})", condition.parameters


def _listed(scope: Scope, status: ReviewStatus | None) -> tuple[str, tuple[Value, ...]]:
    where, values = _visible(scope)
    for column, wanted in (("status", status), ("collection", scope.collection)):
        if wanted is not None:
            where, values = f"{where} AND v.{column} = ?", (*values, wanted)
    return where, values


def _record(row: sqlite3.Row) -> ReviewRecord:
    fields = dict(row)
    fields["chain"] = msgspec.json.decode(fields["chain"], type=Chain)
    return msgspec.convert(fields, ReviewRecord)
