"""What a person's questions have cost since a moment, computed from the stored runs: there is no counter.

Seconds and tokens stand in the newest step of each run; what it had cost before the moment, or before it was
forked from another run, is taken off. Retrievals are counted in the events.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from appliance.domain import ForkPoint, RunId, Spent
from appliance.store.sqlite import Database, Value

RETRIEVAL_EVENTS = ("passages.found",)
_COST = (
    " coalesce(json_extract(checkpoint, '$.channel_values.seconds'), 0.0) AS seconds,"
    " coalesce(json_extract(checkpoint, '$.channel_values.usage.v.prompt_tokens'), 0)"
    " + coalesce(json_extract(checkpoint, '$.channel_values.usage.v.completion_tokens'), 0) AS tokens"
    " FROM checkpoints WHERE thread_id = ? AND ns = ''"
)
_NEWEST_FIRST = " ORDER BY checkpoint_id DESC LIMIT 1"
_TS = "substr(json_extract(checkpoint, '$.ts'), 1, 19)"


class Spending:
    """Reads runs, steps and events."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, user: str, since: str) -> Spent:
        """What all of the person's runs have cost since then (UTC, ISO 8601)."""
        rows = self._database.query(
            "SELECT id, created_at, fork, usage, timings FROM runs WHERE user = ?1"
            " AND (created_at >= ?2 OR finished_at IS NULL OR finished_at >= ?2)",
            (user, since),
        )
        total = Spent()
        for row in rows:
            total = _plus(total, self._run(dict(row), since))
        return total

    def _run(self, row: Mapping[str, Any], since: str) -> Spent:
        run = RunId(row["id"])
        fork = msgspec.json.decode(row["fork"], type=ForkPoint) if row["fork"] else None
        now = self._newest(run)
        if now is None:
            # Its steps were erased with a document that they quoted: what it cost in all is left.
            now = _whole(row) if row["created_at"] >= since else Spent()
        before = self._at(run, fork) if fork else Spent()
        if row["created_at"] < since:
            before = self._newest(run, before=since) or before
        return Spent(
            seconds=max(0.0, now.seconds - before.seconds),
            llm_tokens=max(0, now.llm_tokens - before.llm_tokens),
            retrievals=self._retrievals(run, since, fork.event_seq if fork else 0),
        )

    def _newest(self, run: RunId, before: str = "9999") -> Spent | None:
        return self._cost(f"SELECT{_COST} AND {_TS} < ?{_NEWEST_FIRST}", (run, before[:19]))

    def _at(self, run: RunId, fork: ForkPoint) -> Spent:
        return self._cost(f"SELECT{_COST} AND checkpoint_id = ?", (run, fork.checkpoint)) or Spent()

    def _cost(self, sql: str, parameters: tuple[Value, ...]) -> Spent | None:
        row = self._database.one(sql, parameters)
        return Spent(seconds=float(row["seconds"]), llm_tokens=int(row["tokens"])) if row else None

    def _retrievals(self, run: RunId, since: str, after_seq: int) -> int:
        marks = ", ".join("?" * len(RETRIEVAL_EVENTS))
        row = self._database.one(
            f"SELECT count(*) FROM events WHERE run_id = ? AND at >= ? AND seq > ? AND kind IN ({marks})",
            (run, since, after_seq, *RETRIEVAL_EVENTS),
        )
        return int(row[0]) if row else 0


def _whole(row: Mapping[str, Any]) -> Spent:
    usage: dict[str, int] = msgspec.json.decode(row["usage"], type=dict[str, int]) if row["usage"] else {}
    timings = msgspec.json.decode(row["timings"], type=dict[str, float])
    tokens = usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0)
    return Spent(seconds=timings.get("seconds", 0.0), llm_tokens=tokens)


def _plus(one: Spent, other: Spent) -> Spent:
    return Spent(
        seconds=one.seconds + other.seconds,
        llm_tokens=one.llm_tokens + other.llm_tokens,
        retrievals=one.retrievals + other.retrievals,
    )
