"""The event stream of a run: numbered, stored, then told to whoever follows in this process.

A follower reads the stored rows and is merely woken by new ones, so a slow one loses nothing and fills no
memory, and one that comes late or returns after a break sees the same stream.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import msgspec

from appliance.domain import Event, RunId, RunStatus
from appliance.errors import NotFoundError
from appliance.store.collections import utc_now
from appliance.store.sqlite import Database
from appliance.store.visibility import json_text


class EventLog:
    """Implements ``ports.EventSink``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._changed = threading.Condition()
        self._version = 0

    def emit(self, run_id: RunId, kind: str, data: dict[str, object]) -> Event:
        """The stored event. Raises NotFoundError for an unknown run."""
        at = utc_now()
        with self._database.transaction() as connection:
            row = connection.execute(
                "INSERT INTO events SELECT r.id,"
                " coalesce((SELECT max(seq) FROM events e WHERE e.run_id = r.id), 0) + 1, ?, ?, ?"
                " FROM runs r WHERE r.id = ? RETURNING seq",
                (kind, at, json_text(data), run_id),
            ).fetchone()
        if row is None:
            raise NotFoundError(f"no run {run_id!r}", hint="assay runs list shows them")
        self.wake()
        return Event(seq=int(row[0]), kind=kind, at=at, data=data)

    def after(self, run_id: RunId, seq: int = 0) -> list[Event]:
        """Stored events with a higher number, in order."""
        rows = self._database.query(
            "SELECT seq, kind, at, data FROM events WHERE run_id = ? AND seq > ? ORDER BY seq", (run_id, seq)
        )
        return [
            Event(
                seq=row[0], kind=row[1], at=row[2], data=msgspec.json.decode(row[3], type=dict[str, object])
            )
            for row in rows
        ]

    def wait(self, run_id: RunId, seq: int, timeout_s: float) -> list[Event]:
        """``after``, but waits for the first one, up to ``timeout_s``; empty: none came, or the run ended."""
        deadline = time.monotonic() + timeout_s
        while True:
            with self._changed:
                version = self._version
            ended = self._ended(run_id)
            events = self.after(run_id, seq)
            if events or ended:
                return events
            with self._changed:
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait_for(lambda seen=version: self._version != seen, left):
                    return []

    def subscribe(
        self, run_id: RunId, after_seq: int = 0, *, stop: Callable[[], bool] | None = None
    ) -> Iterator[Event]:
        """Stored events, then new ones as they come; ends with the run, or when ``stop()`` is true.

        ``stop`` is asked at least every half second.
        """
        seq = after_seq
        while True:
            ended = self._ended(run_id)
            for event in self.after(run_id, seq) if ended else self.wait(run_id, seq, 0.5):
                seq = event.seq
                yield event
            if ended or (stop is not None and stop()):
                return

    def wake(self) -> None:
        """Let followers look again."""
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def _ended(self, run_id: RunId) -> bool:
        row = self._database.one("SELECT status FROM runs WHERE id = ?", (run_id,))
        return row is None or row[0] != RunStatus.RUNNING
