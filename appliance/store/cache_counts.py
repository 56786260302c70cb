"""How often each kind of cached result was there, and in which tier: counted in memory, kept in SQLite.

Arrives: one outcome a look-up. Leaves: sums over all processes of this data folder. A killed process loses
the counts that it had not yet written, nothing else.
"""

from __future__ import annotations

import threading
from collections import Counter
from enum import StrEnum

import msgspec

from appliance.domain import Struct
from appliance.store.sqlite import Database

WRITE_AFTER = 200
"""Outcomes that are counted before SQLite hears of them."""


class Kind(StrEnum):
    """What is kept."""

    SEARCH = "search"
    READING = "reading"
    REWRITE = "rewrite"
    CONCLUSION = "conclusion"
    ANSWER = "answer"


class Outcome(StrEnum):
    """How a look-up, or a keeping, went."""

    MEMORY = "memory"
    """There, in the first tier."""
    DISK = "disk"
    """There, in the second; it stands in the first from now on."""
    MISS = "miss"
    REFUSED = "refused"
    """There, but what it names cannot be read (any more) or does not hold: used as a miss."""
    KEPT = "kept"
    UNFIT = "unfit"
    """Not kept: a part was missing when it was made."""


class KindCounts(Struct, frozen=True, kw_only=True):
    """One kind's sums."""

    kind: Kind
    memory: int = 0
    disk: int = 0
    miss: int = 0
    refused: int = 0
    kept: int = 0
    unfit: int = 0

    @property
    def asked(self) -> int:
        """Look-ups."""
        return self.memory + self.disk + self.miss

    @property
    def hit_rate(self) -> float:
        """Share of the look-ups that were answered; 0 where there were none."""
        return (self.memory + self.disk - self.refused) / self.asked if self.asked else 0.0


class CacheCounts:
    """Adds up outcomes. Safe to share between threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._fresh: Counter[tuple[Kind, Outcome]] = Counter()

    def add(self, kind: Kind, outcome: Outcome) -> None:
        """Count one."""
        with self._lock:
            self._fresh[kind, outcome] += 1
            due = self._fresh.total() >= WRITE_AFTER
        if due:
            self.write()

    def write(self) -> None:
        """Put what was counted here into SQLite."""
        with self._lock:
            fresh, self._fresh = self._fresh, Counter()
        if not fresh:
            return
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT INTO cache_counts VALUES (?, ?, ?)"
                " ON CONFLICT(kind, outcome) DO UPDATE SET times = times + excluded.times",
                [(kind, outcome, times) for (kind, outcome), times in fresh.items()],
            )

    def read(self) -> list[KindCounts]:
        """The sums, one for each kind."""
        self.write()
        sums: dict[str, dict[str, int]] = {kind: {} for kind in Kind}
        for row in self._database.query("SELECT kind, outcome, times FROM cache_counts"):
            sums.setdefault(str(row["kind"]), {})[str(row["outcome"])] = int(row["times"])
        return [msgspec.convert({"kind": kind, **counts}, KindCounts) for kind, counts in sums.items()]

    def forget(self) -> None:
        """Begin again at nothing."""
        with self._lock:
            self._fresh.clear()
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM cache_counts")
